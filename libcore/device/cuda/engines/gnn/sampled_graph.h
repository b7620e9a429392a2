#pragma once
/// A graph that batches are sampled of: on the device, or but for where rows begin in pinned memory
/// of the host that kernels read.
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/kernels/graph/neighbor_draws.h"

namespace frugal::cuda {

/// Arrays of set(): "graph.offsets", "graph.neighbors" and, as the settings say, "graph.times",
/// "graph.weights", "graph.alias", "graph.drawable".
class DeviceGraph {
 public:
  DeviceGraph(const Settings& settings, DrawMethod method, Room& room, NamedArrays& arrays);

  std::uint64_t num_nodes() const { return nodes_; }
  std::uint64_t num_edges() const { return edges_; }
  bool has_times() const { return times_ != nullptr; }
  /// With the rows of the epoch that was shuffled last, where draws need them.
  SampledGraph view() const;
  /// For DrawMethod::window: rows in the order that follows from the seed and the stream.
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
  std::uint32_t *neighbors_ = nullptr, *alias_ = nullptr, *shuffled_ = nullptr;
  double* times_ = nullptr;
  float* weights_ = nullptr;
  std::uint64_t epoch_ = ~std::uint64_t{0};  ///< of shuffled_
};

}  // namespace frugal::cuda
