#include "tools/tgn-train/network/tgn_options.h"

#include <algorithm>
#include <span>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

template <class Kind>
Kind from_name(std::string_view what, std::string_view name,
               std::span<const std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::vector<std::string> known(names.begin(), names.end());
    fail(ExitStatus::usage, "unknown ", what, " '", printable(name), "', expected one of ",
         joined(known), did_you_mean(name, known));
  }
  return static_cast<Kind>(found - names.begin());
}

TgnOptions with(UpdaterKind updater, EmbeddingKind embedding, std::size_t layers = 1,
                AggregatorKind aggregator = AggregatorKind::last) {
  TgnOptions o;
  o.updater = updater;
  o.embedding = embedding;
  o.layers = layers;
  o.aggregator = aggregator;
  return o;
}

TgnOptions dyrep_options() {
  TgnOptions o = with(UpdaterKind::rnn, EmbeddingKind::attention);
  o.dyrep = true;
  return o;
}

TgnOptions pyg_options() {
  TgnOptions o;
  o.rules = Rules::pyg;
  o.embedding = EmbeddingKind::transformer;
  o.memory_dim = o.time_dim = 100;
  return o;
}

}  // namespace

Rules rules_from_name(std::string_view name) {
  return from_name<Rules>("rules", name, kRulesNames);
}
std::string_view rules_name(Rules rules) { return kRulesNames[static_cast<std::size_t>(rules)]; }
MessageKind message_from_name(std::string_view name) {
  return from_name<MessageKind>("message function", name, kMessageNames);
}
AggregatorKind aggregator_from_name(std::string_view name) {
  return from_name<AggregatorKind>("aggregator", name, kAggregatorNames);
}
NeighborSampling sampling_from_name(std::string_view name) {
  return from_name<NeighborSampling>("sampling of neighbours", name, kSamplingNames);
}
std::string_view sampling_name(NeighborSampling sampling) {
  return kSamplingNames[static_cast<std::size_t>(sampling)];
}
UpdaterKind updater_from_name(std::string_view name) {
  return from_name<UpdaterKind>("memory updater", name, kUpdaterNames);
}
EmbeddingKind embedding_from_name(std::string_view name) {
  return from_name<EmbeddingKind>("embedding", name, kEmbeddingNames);
}
std::string_view message_name(MessageKind kind) {
  return kMessageNames[static_cast<std::size_t>(kind)];
}
std::string_view aggregator_name(AggregatorKind kind) {
  return kAggregatorNames[static_cast<std::size_t>(kind)];
}
std::string_view updater_name(UpdaterKind kind) {
  return kUpdaterNames[static_cast<std::size_t>(kind)];
}
std::string_view embedding_name(EmbeddingKind kind) {
  return kEmbeddingNames[static_cast<std::size_t>(kind)];
}

const std::vector<TgnArchitecture>& tgn_architectures() {
  using enum UpdaterKind;
  using enum EmbeddingKind;
  // Rossi et al. 2020, table 1 and section 5.3.
  static const std::vector<TgnArchitecture> architectures = {
      {"tgn-attn", "attention over one layer of neighbours", with(gru, attention)},
      {"tgn-2l", "attention over two layers", with(gru, attention, 2)},
      {"tgn-mean", "messages of a batch averaged", with(gru, attention, 1, AggregatorKind::mean)},
      {"tgn-sum", "neighbours summed", with(gru, sum)},
      {"tgn-id", "memory alone", with(gru, identity)},
      {"tgn-time", "memory projected in time", with(gru, time)},
      {"tgn-no-mem", "attention without memory", with(none, attention)},
      {"jodie", "JODIE in this framework", with(rnn, time)},
      {"dyrep", "DyRep in this framework", dyrep_options()},
      {"pyg",
       "Graphcore's model, as in PyTorch Geometric: 100 numbers a memory, a transformer "
       "convolution",
       pyg_options()},
  };
  return architectures;
}

void check_network(const TgnOptions& o) {
  if (o.dyrep && !o.has_memory()) {
    fail(ExitStatus::usage,
         "--updater none goes with architectures that embed nodes, not with dyrep");
  }
  const bool transformer = o.embedding == EmbeddingKind::transformer;
  const std::size_t size = transformer ? o.memory_dim : o.memory_dim + o.time_dim;
  if ((transformer || o.embedding == EmbeddingKind::attention) && size % o.heads != 0) {
    fail(ExitStatus::usage, "--heads ", o.heads, " do not divide the ", size, " numbers of ",
         transformer ? "--memory-dim" : "--memory-dim and --time-dim");
  }
  if (transformer && o.layers != 1) {
    fail(ExitStatus::usage, "--layers ", o.layers, " goes with embeddings sum and attention");
  }
}

const TgnArchitecture& tgn_architecture(std::string_view name) {
  std::vector<std::string> names;
  for (const TgnArchitecture& known : tgn_architectures()) {
    if (known.name == name) return known;
    names.emplace_back(known.name);
  }
  fail(ExitStatus::usage, "unknown architecture '", printable(name), "', expected one of ",
       joined(names), did_you_mean(name, names));
}

}  // namespace frugal::tgn
