#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "libcore/kernels/gemm.h"
#include "tools/tgn-train/memory/memory_options.h"

namespace frugal::tgn {

/// Everything that `tgn-train embed` is told.
struct EmbedOptions {
  std::string model, events, output;
  std::string nodes;          ///< a file with a node, or node and time, a line; "" = all nodes
  std::string kind = "auto";  ///< of these nodes, where sources and destinations have own ids
  std::string at;             ///< the time of nodes that have none; "" = that of the last event
  std::size_t batch = 200;
  bool if_changed = false;
  Precision precision = Precision::f32;
  MemoryPlace place;
  std::string device = "cpu";  ///< --device
  std::string history_entry;
};

struct EmbedResult {
  std::size_t embeddings = 0, dim = 0;
  std::uint64_t events = 0;  ///< that the memory knew in the end
  /// Behind training the memory was the model's own, else made anew by its weights.
  bool memory_of_model = false;
  double read_seconds = 0, seconds = 0;
};

/// Embeds nodes at times, in the order in which they are asked for: `nodes`, `times` and
/// `embeddings` [n, dim], and what the input calls the nodes. A node knows the events strictly
/// before its time; one without events has its features or zeros.
EmbedResult embed_nodes(const EmbedOptions& options,
                        const std::function<void(double share)>& progress);

}  // namespace frugal::tgn
