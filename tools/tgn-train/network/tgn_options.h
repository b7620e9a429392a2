#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/kernels/gemm.h"
#include "libcore/options/option_fields.h"

namespace frugal::tgn {

/// Content of a message. identity: [own memory | other node's memory | edge features | time
/// encoding]. mlp: that, after two fully connected layers.
enum class MessageKind : std::uint8_t { identity, mlp };
/// Which of a node's messages of a batch updates its memory: the last, or their mean.
enum class AggregatorKind : std::uint8_t { last, mean };
/// Recurrent cell that updates the memory. none: nodes have no memory, only features (TGAT).
enum class UpdaterKind : std::uint8_t { none, gru, rnn };
/// How a node's embedding is computed. identity: its memory. time: its memory projected in time
/// (JODIE). sum: the sum of its neighbours. attention: attention over them. transformer: attention
/// as PyTorch Geometric's TransformerConv. walks: a PairNetwork embeds both ends of a pair by their
/// neighbours and by walks between them (TPNet).
enum class EmbeddingKind : std::uint8_t { identity, time, sum, attention, transformer, walks };

/// True if a PairNetwork computes the embeddings, which then depend on the pair.
inline bool embeds_pairs(EmbeddingKind kind) { return kind == EmbeddingKind::walks; }

/// True if the embedding layers use the model's time encoder.
inline bool layers_encode_times(EmbeddingKind kind) {
  return kind == EmbeddingKind::sum || kind == EmbeddingKind::attention || embeds_pairs(kind);
}

/// How the logit of a pair is computed. mlp: two fully connected layers over the embeddings of both
/// ends. common: over the product of both, and over sums of the memories of their common neighbours
/// (TNCN).
enum class DecoderKind : std::uint8_t { mlp, common };

/// Implementation whose rules the network follows. twitter: twitter-research/tgn, by the authors of
/// the paper. pyg: Graphcore's and PyTorch Geometric's. There, a message has the other node's
/// memory at the moment of evaluation, and its time encoding learns. Batches see neighbours as of
/// before the batch. Attention encodes the time from a neighbour's event to the neighbour's last
/// event.
enum class Rules : std::uint8_t { twitter, pyg };

/// Which of a node's earlier neighbours a layer reads. recent: the last ones. uniform: as many
/// drawn uniformly from all, with replacement.
enum class NeighborSampling : std::uint8_t { recent, uniform };

// Names of the values, in order.
inline constexpr std::array<std::string_view, 2> kMessageNames = {"identity", "mlp"};
inline constexpr std::array<std::string_view, 2> kAggregatorNames = {"last", "mean"};
inline constexpr std::array<std::string_view, 3> kUpdaterNames = {"none", "gru", "rnn"};
inline constexpr std::array<std::string_view, 6> kEmbeddingNames = {
    "identity", "time", "sum", "attention", "transformer", "walks"};
inline constexpr std::array<std::string_view, 2> kDecoderNames = {"mlp", "common"};
inline constexpr std::array<std::string_view, 2> kSamplingNames = {"recent", "uniform"};
inline constexpr std::array<std::string_view, 2> kRulesNames = {"twitter", "pyg"};

/// The modules of a temporal graph network (Rossi et al. 2020, sections 3.1 and 4) and their sizes.
struct TgnOptions {
  Rules rules = Rules::twitter;
  MessageKind message = MessageKind::identity;
  AggregatorKind aggregator = AggregatorKind::last;
  UpdaterKind updater = UpdaterKind::gru;
  EmbeddingKind embedding = EmbeddingKind::attention;
  std::size_t memory_dim = 172;  ///< also of embeddings and of node features
  std::size_t time_dim = 172;
  std::size_t message_dim = 100;  ///< of MessageKind::mlp
  std::size_t layers = 1;         ///< of sum and attention; of walks: MLP-Mixers
  std::size_t neighbors = 10;     ///< neighbours of a node that each layer reads
  NeighborSampling sampling = NeighborSampling::recent;
  std::size_t heads = 2;
  float dropout = 0.1F;    ///< of attention weights
  bool train_time = true;  ///< time encoder learns
  /// DyRep: messages have the other node's embedding instead of its memory, and links are scored
  /// from memory alone. The embedding layers then learn nothing, because messages carry no
  /// gradient.
  bool dyrep = false;
  DecoderKind decoder = DecoderKind::mlp;
  bool is_empty = false;  ///< the one of no_network()
  Precision precision = Precision::f32;

  bool has_memory() const { return updater != UpdaterKind::none; }
  bool has_neighbors() const {
    return embedding != EmbeddingKind::identity && embedding != EmbeddingKind::time;
  }
  bool reads_common() const { return decoder == DecoderKind::common; }
  /// True if the embedding or the decoder reads the last neighbours of nodes.
  bool reads_neighbors() const { return has_neighbors() || reads_common(); }
  bool is_pyg() const { return rules == Rules::pyg; }
  bool embeds_pairs() const { return tgn::embeds_pairs(embedding); }
  /// Hops from a queried node to the nodes that the embedding reads.
  std::size_t hops() const { return embeds_pairs() ? 1 : layers; }
};

/// In place of a network, for labels that are predicted without one. It has no parameters and no
/// memory. The embedding of a node is its features, [node_dim], and links have no logits.
TgnOptions no_network(std::size_t node_dim);

/// Sizes that the data determine.
struct TgnInputs {
  std::size_t edge_features = 0;  ///< with a column for each edge type
  bool node_features = false;     ///< of memory_dim numbers
  /// Features of a pair of nodes that the decoder reads, with a column for each edge type.
  std::size_t pair_features = 0;
  std::size_t types = 0;      ///< edge types; 0: events have none
  std::size_t walk_hops = 0;  ///< EmbeddingKind::walks: length of the longest walk
};

std::string_view embedding_name(EmbeddingKind kind);

/// Largest number of edge types that a network reads. Each type is a column in the inputs of
/// messages, neighbours and pairs, so more types would make these wider than the node memory.
inline constexpr std::size_t kMostNetworkTypes = 256;

/// Describes the options of a network, which the command line sets and the model file stores.
void describe_network(const OptionFields& fields, TgnOptions& options);

/// Fails (usage) if options contradict each other.
void check_network(const TgnOptions& options);

/// A model of the paper, under its name there, or Graphcore's.
struct TgnArchitecture {
  std::string_view name, description;
  TgnOptions options;
};
const std::vector<TgnArchitecture>& tgn_architectures();
/// Fails (usage) for an unknown name, with a list of the known ones.
const TgnArchitecture& tgn_architecture(std::string_view name);

}  // namespace frugal::tgn
