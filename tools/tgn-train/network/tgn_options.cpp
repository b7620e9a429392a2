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

}  // namespace

Architecture architecture_from_name(std::string_view name) {
  return from_name<Architecture>("architecture", name, kArchitectureNames);
}
std::string_view architecture_name(Architecture architecture) {
  return kArchitectureNames[static_cast<std::size_t>(architecture)];
}
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

const std::vector<TgnPreset>& tgn_presets() {
  using enum UpdaterKind;
  using enum EmbeddingKind;
  // Rossi et al. 2020, table 1 and section 5.3.
  static const std::vector<TgnPreset> presets = {
      {"tgn-attn", "attention over one layer of neighbours", with(gru, attention)},
      {"tgn-2l", "over two layers", with(gru, attention, 2)},
      {"tgn-mean", "messages of a batch averaged", with(gru, attention, 1, AggregatorKind::mean)},
      {"tgn-sum", "neighbours summed", with(gru, sum)},
      {"tgn-id", "memory alone", with(gru, identity)},
      {"tgn-time", "memory projected in time", with(gru, time)},
      {"tgn-no-mem", "attention without memory", with(none, attention)},
      {"jodie", "JODIE in this framework", with(rnn, time)},
      {"dyrep", "DyRep in this framework", dyrep_options()},
  };
  return presets;
}

TgnOptions pyg_options() {
  TgnOptions o;
  o.architecture = Architecture::pyg;
  o.embedding = EmbeddingKind::transformer;
  o.memory_dim = o.time_dim = 100;
  return o;
}

void check_network(const TgnOptions& o) {
  if (o.dyrep && !o.has_memory()) {
    fail(ExitStatus::usage, "--updater none goes with presets that embed nodes, not with dyrep");
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

const TgnPreset& tgn_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const TgnPreset& preset : tgn_presets()) {
    if (preset.name == name) return preset;
    names.emplace_back(preset.name);
  }
  fail(ExitStatus::usage, "unknown preset '", printable(name), "', expected one of ", joined(names),
       did_you_mean(name, names));
}

}  // namespace frugal::tgn
