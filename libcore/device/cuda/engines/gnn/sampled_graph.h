#pragma once
/// A graph from which batches are sampled. It is on the device, or, except for the offsets of rows,
/// in pinned host memory that kernels read.
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/kernels/graph/neighbor_draws.h"

namespace frugal::cuda {

/// Arrays of set(): "graph.offsets", "graph.neighbors" and, depending on the settings,
/// "graph.times", "graph.weights", "graph.alias_high", "graph.alias_low", "graph.drawable".
class DeviceGraph {
 public:
  DeviceGraph(const Settings& settings, DrawMethod method, Room& room, NamedArrays& arrays);

  std::uint64_t num_nodes() const { return nodes_; }
  std::uint64_t num_edges() const { return edges_; }
  bool has_times() const { return times_ != nullptr; }
  /// View for kernels. If the method needs it, rows are in the order of the last shuffle().
  SampledGraph view() const;
  /// For DrawMethod::window: shuffles the rows once per epoch, as a function of seed and stream.
  void shuffle(std::uint64_t epoch, std::uint64_t seed, std::uint64_t stream, dim3 grid,
               const Stream& kernels);

 private:
  template <class T>
  T* take(const std::string& name, std::uint64_t n, Room& room, NamedArrays& arrays);
  template <class T>
  T* keep(std::uint64_t n, Room& room);

  std::uint64_t nodes_, edges_;
  bool pinned_;
  DeviceArray<std::uint64_t> offsets_;
  DeviceArray<std::uint32_t> drawable_;
  std::vector<DeviceArray<char>> device_;
  std::vector<PinnedArray<char>> host_;
  std::uint32_t *neighbors_ = nullptr, *alias_high_ = nullptr, *alias_low_ = nullptr,
                *shuffled_ = nullptr;
  double* times_ = nullptr;
  float* weights_ = nullptr;
  std::uint64_t epoch_ = ~std::uint64_t{0};  ///< epoch of shuffled_
};

}  // namespace frugal::cuda
