#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "libcore/kernels/gemm.h"
#include "tools/tgn-train/memory/memory_options.h"

namespace frugal::tgn {

/// Options of `tgn-train embed`.
struct EmbedOptions {
  std::string model, events, output;
  std::string nodes;  ///< file with a node, or a node and a time, in each line; "" = all nodes
  /// kind of these nodes, if sources and destinations have their own ids
  std::string kind = "auto";
  std::string at;  ///< time of nodes without one; "" = that of the last event
  std::size_t batch = 200;
  Precision precision = Precision::f32;
  MemoryPlace place;
  std::string device = "cpu";  ///< --device
  std::string history_entry;
};

struct EmbedResult {
  std::size_t embeddings = 0, dim = 0;
  std::uint64_t events = 0;  ///< events applied to the memory
  /// True if the memory after the training events was the model's; false if it was computed anew by
  /// its weights.
  bool memory_of_model = false;
  double read_seconds = 0, seconds = 0;
};

/// Embeds nodes at times and writes `nodes`, `times` and `embeddings` [n, dim] in the order of the
/// requests, and the nodes' names in the input. A node sees the events strictly before its time. A
/// node without events has its features or zeros as embedding input.
EmbedResult embed_nodes(const EmbedOptions& options,
                        const std::function<void(double share)>& progress);

}  // namespace frugal::tgn
