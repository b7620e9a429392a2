#include "tools/tgn-train/network/tgn_options.h"

#include <algorithm>
#include <span>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

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

std::string_view embedding_name(EmbeddingKind kind) {
  return kEmbeddingNames[static_cast<std::size_t>(kind)];
}

void describe_network(const OptionFields& fields, TgnOptions& options) {
  fields.add("--message", options.message, kMessageNames,
             "function of an event's message: identity, or an mlp");
  fields.add("--aggregator", options.aggregator, kAggregatorNames,
             "which of a node's messages in a batch counts; by events in turn all do");
  fields.add("--updater", options.updater, kUpdaterNames,
             "cell that updates the memory; none: no memory");
  fields.add("--embedding", options.embedding, kEmbeddingNames,
             "how a node is embedded: identity: its memory; time: memory projected in time; sum, "
             "attention and transformer: over its last neighbours");
  fields.add("--layers", options.layers, "layers of sum or attention; auto: of the architecture")
      .range(1, 4);
  fields
      .add("--memory-dim", options.memory_dim,
           "numbers of a node's memory and embedding; auto: 172, of pyg 100")
      .range(1, 8192);
  fields.add("--time-dim", options.time_dim, "numbers of a time encoding; auto: 172, of pyg 100")
      .range(1, 8192);
  fields.add("--message-dim", options.message_dim, "numbers of a message through an mlp")
      .range(1, 8192);
  fields.add("--neighbors", options.neighbors, "neighbours of a node to look at").range(1, 1024);
  fields.add("--neighbor-sampling", options.sampling, kSamplingNames,
             "which neighbours: recent: the last ones; uniform: drawn from all, some maybe several "
             "times");
  fields.add("--heads", options.heads, "heads of attention").range(1, 8);
  fields.add("--dropout", options.dropout, "share of attention weights left out").range(0.0, 0.99);
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
