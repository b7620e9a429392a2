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

TgnOptions tpnet_options() {
  TgnOptions o = with(UpdaterKind::none, EmbeddingKind::walks, 2);
  o.time_dim = 100;
  o.neighbors = 20;
  return o;
}

TgnOptions pyg_options() {
  TgnOptions o;
  o.rules = Rules::pyg;
  o.embedding = EmbeddingKind::transformer;
  o.memory_dim = o.time_dim = 100;
  return o;
}

TgnOptions tncn_options() {
  TgnOptions o = pyg_options();
  o.decoder = DecoderKind::common;
  return o;
}

}  // namespace

TgnOptions no_network(std::size_t node_dim) {
  TgnOptions o = with(UpdaterKind::none, EmbeddingKind::identity);
  o.memory_dim = node_dim;
  o.time_dim = 0;
  o.is_empty = true;
  return o;
}

std::string_view embedding_name(EmbeddingKind kind) {
  return kEmbeddingNames[static_cast<std::size_t>(kind)];
}

void describe_network(const OptionFields& fields, TgnOptions& options) {
  fields.add("--message", options.message, kMessageNames,
             "message function, which makes a message of memories, features and time encoding. "
             "identity: joins them. mlp: applies two fully connected layers to them");
  fields.add("--aggregator", options.aggregator, kAggregatorNames,
             "how the messages of a batch to one node are combined. last: only the most recent one "
             "counts. mean: their average. With --memory window, every message updates the memory");
  fields.add("--updater", options.updater, kUpdaterNames,
             "recurrent cell that updates the memory of a node from a message. none: nodes have no "
             "memory");
  fields.add(
      "--embedding", options.embedding, kEmbeddingNames,
      "how the embedding of a node is computed. identity: its memory. time: its memory "
      "projected in time. sum, attention, transformer: that operation over its neighbours. "
      "walks: MLP-Mixers over the neighbours of both ends of a pair and the walks between them");
  fields
      .add("--layers", options.layers,
           "number of layers of sum or attention; each reaches one hop further. With walks, number "
           "of MLP-Mixers. auto: as in the architecture")
      .range(1, 4);
  fields
      .add("--memory-dim", options.memory_dim,
           "size of a node's memory and of its embedding, in numbers. auto: 172, or 100 with pyg "
           "and tncn")
      .range(1, 8192);
  fields
      .add("--time-dim", options.time_dim,
           "size of a time encoding, in numbers. auto: 172, or 100 with pyg, tncn and tpnet")
      .range(1, 8192);
  fields.add("--message-dim", options.message_dim, "size of a message of --message mlp, in numbers")
      .range(1, 8192);
  fields
      .add("--neighbors", options.neighbors,
           "number of neighbours of a node that each layer reads. auto: 10, or 20 with tpnet")
      .range(1, 1024);
  fields.add("--neighbor-sampling", options.sampling, kSamplingNames,
             "which neighbours are read. recent: the most recent ones. uniform: drawn from all "
             "earlier ones, with replacement");
  fields.add("--heads", options.heads, "number of attention heads").range(1, 8);
  fields
      .add(
          "--dropout", options.dropout,
          "probability that an attention weight, or a unit of an MLP-Mixer, is dropped in training")
      .range(0.0, 0.99);
}

const std::vector<TgnArchitecture>& tgn_architectures() {
  using enum UpdaterKind;
  using enum EmbeddingKind;
  // Rossi et al. 2020, table 1 and section 5.3; Lu et al. 2024, section 5.1; Zhang et al. 2024.
  static const std::vector<TgnArchitecture> architectures = {
      {"tgn-attn", "one layer of attention over a node's most recent neighbours",
       with(gru, attention)},
      {"tgn-2l", "two layers of attention", with(gru, attention, 2)},
      {"tgn-mean", "as tgn-attn, with a node's messages of a batch averaged; needs --memory exact",
       with(gru, attention, 1, AggregatorKind::mean)},
      {"tgn-sum", "sum over neighbours instead of attention", with(gru, sum)},
      {"tgn-id", "the embedding is the memory", with(gru, identity)},
      {"tgn-time", "the embedding is the memory projected in time", with(gru, time)},
      {"tgn-no-mem", "attention without a memory", with(none, attention)},
      {"jodie", "JODIE, as the TGN paper builds it", with(rnn, time)},
      {"dyrep", "DyRep, as the TGN paper builds it; needs --memory exact", dyrep_options()},
      {"pyg",
       "Graphcore's model, as in PyTorch Geometric, with a memory of 100 numbers and a transformer "
       "convolution",
       pyg_options()},
      {"tpnet",
       "TPNet: MLP-Mixers over the recent neighbours of both nodes of a pair, and the walks "
       "between "
       "them; no memory",
       tpnet_options()},
      {"tncn",
       "TNCN: as pyg, with a decoder that also reads the memories of the common neighbours of a "
       "pair, over one or two hops",
       tncn_options()},
  };
  return architectures;
}

void check_network(const TgnOptions& o) {
  if (o.dyrep && !o.has_memory()) {
    fail(ExitStatus::usage,
         "--updater none goes with architectures that embed nodes, not with dyrep");
  }
  if (o.embeds_pairs() && (o.has_memory() || o.dyrep || o.is_pyg())) {
    fail(ExitStatus::usage,
         "--embedding walks reads no memory: it goes with --updater none, or set ",
         "--architecture tpnet alone");
  }
  if (o.reads_common() && (o.embeds_pairs() || o.dyrep)) {
    fail(ExitStatus::usage,
         "--decoder common reads embeddings of single nodes: it does not go with ",
         o.dyrep ? "--architecture dyrep" : "--embedding walks");
  }
  const bool transformer = o.embedding == EmbeddingKind::transformer;
  const std::size_t size = transformer ? o.memory_dim : o.memory_dim + o.time_dim;
  if ((transformer || o.embedding == EmbeddingKind::attention) && size % o.heads != 0) {
    fail(ExitStatus::usage, "--heads ", o.heads, " do not divide the ", size, " numbers of ",
         transformer ? "--memory-dim" : "--memory-dim and --time-dim");
  }
  if (transformer && o.layers != 1) {
    fail(ExitStatus::usage, "--layers ", o.layers,
         " goes with embeddings sum, attention and walks");
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
