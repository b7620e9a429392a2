#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/kernels/gemm.h"
#include "libcore/options/option_fields.h"

namespace frugal::tgn {

/// What a message is made of: [own memory | the other's memory | edge features | time encoding], or
/// that through two fully connected layers.
enum class MessageKind : std::uint8_t { identity, mlp };
/// Which of a node's messages of a batch updates its memory: the last, or their mean.
enum class AggregatorKind : std::uint8_t { last, mean };
/// none: a node has no memory, only features (TGAT).
enum class UpdaterKind : std::uint8_t { none, gru, rnn };
/// How a node's embedding is made: its memory; that projected in time (JODIE); the sum of its
/// neighbours; attention over them; attention as PyTorch Geometric's TransformerConv.
enum class EmbeddingKind : std::uint8_t { identity, time, sum, attention, transformer };

/// Whether embedding layers read the encodings of times that the model shares.
inline bool layers_encode_times(EmbeddingKind kind) {
  return kind == EmbeddingKind::sum || kind == EmbeddingKind::attention;
}

/// Whose rules hold. twitter: twitter-research/tgn, the paper's authors'. pyg: Graphcore's and
/// PyTorch Geometric's: a message has the other node's memory of when it is evaluated, its time
/// encoding learns, batches see neighbours as of before the batch, and attention the time from a
/// neighbour's event to its last one.
enum class Rules : std::uint8_t { twitter, pyg };

/// Which of a node's neighbours strictly before are looked at: the last; or as many drawn from all,
/// each as probable as the others, some maybe several times.
enum class NeighborSampling : std::uint8_t { recent, uniform };

// Their names, in order.
inline constexpr std::array<std::string_view, 2> kMessageNames = {"identity", "mlp"};
inline constexpr std::array<std::string_view, 2> kAggregatorNames = {"last", "mean"};
inline constexpr std::array<std::string_view, 3> kUpdaterNames = {"none", "gru", "rnn"};
inline constexpr std::array<std::string_view, 5> kEmbeddingNames = {"identity", "time", "sum",
                                                                    "attention", "transformer"};
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
  std::size_t layers = 1;         ///< of sum and attention
  std::size_t neighbors = 10;     ///< a node's that are looked at
  NeighborSampling sampling = NeighborSampling::recent;
  std::size_t heads = 2;
  float dropout = 0.1F;    ///< of attention weights
  bool train_time = true;  ///< time encodings learn
  /// Messages have the other node's embedding in the place of its memory, and links are told by
  /// memory alone. Embeddings then learn nothing: messages carry no gradient.
  bool dyrep = false;
  Precision precision = Precision::f32;

  bool has_memory() const { return updater != UpdaterKind::none; }
  bool has_neighbors() const {
    return embedding != EmbeddingKind::identity && embedding != EmbeddingKind::time;
  }
  bool is_pyg() const { return rules == Rules::pyg; }
};

/// Sizes that the data give.
struct TgnInputs {
  std::size_t edge_features = 0;
  bool node_features = false;     ///< of memory_dim numbers
  std::size_t pair_features = 0;  ///< of two nodes, besides their embeddings, for the decoder
};

std::string_view embedding_name(EmbeddingKind kind);

/// What a user may say of a network and its model's file keeps.
void describe_network(const OptionFields& fields, TgnOptions& options);

/// Fails (usage) where sizes do not go together.
void check_network(const TgnOptions& options);

/// A model of the paper by its name there, or Graphcore's.
struct TgnArchitecture {
  std::string_view name, description;
  TgnOptions options;
};
const std::vector<TgnArchitecture>& tgn_architectures();
/// Fails (usage) naming those there are.
const TgnArchitecture& tgn_architecture(std::string_view name);

}  // namespace frugal::tgn
