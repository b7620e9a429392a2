#include "libcore/device/cuda/engines/gnn/sampled_graph.h"

namespace frugal::cuda {

DeviceGraph::DeviceGraph(const Settings& settings, DrawMethod method, Room& room,
                         NamedArrays& arrays)
    : nodes_(settings.number("nodes")),
      edges_(settings.number("edges")),
      pinned_(settings.text("graph_place") == "pinned") {
  if (!pinned_ && settings.text("graph_place") != "device") {
    throw Failure(FRUGAL_UNSUPPORTED,
                  "it has no place '" + settings.text("graph_place") + "' for a graph");
  }
  offsets_ = room.take<std::uint64_t>(nodes_ + 1);
  arrays.add("graph.offsets", offsets_);
  neighbors_ = take<std::uint32_t>("graph.neighbors", edges_, room, arrays);
  if (settings.flag("times")) times_ = take<double>("graph.times", edges_, room, arrays);
  if (method == DrawMethod::window) shuffled_ = keep<std::uint32_t>(edges_, room);
  if (method != DrawMethod::weighted && method != DrawMethod::weighted_repeated) return;
  weights_ = take<float>("graph.weights", edges_, room, arrays);
  alias_high_ = take<std::uint32_t>("graph.alias_high", edges_, room, arrays);
  alias_low_ = take<std::uint32_t>("graph.alias_low", edges_, room, arrays);
  if (!settings.flag("zero_weights")) return;
  drawable_ = room.take<std::uint32_t>(nodes_);
  arrays.add("graph.drawable", drawable_);
}

template <class T>
T* DeviceGraph::take(const std::string& name, std::uint64_t n, Room& room, NamedArrays& arrays) {
  T* data = keep<T>(n, room);
  arrays.add(name, data, n);
  return data;
}

/// Allocates n numbers. Pinned host memory is not counted in `room`.
template <class T>
T* DeviceGraph::keep(std::uint64_t n, Room& room) {
  if (!pinned_) {
    device_.push_back(room.take<char>(n * sizeof(T)));
    return reinterpret_cast<T*>(device_.back().data());
  }
  host_.emplace_back(room.counts_only() ? 0 : n * sizeof(T));
  return reinterpret_cast<T*>(host_.back().data());
}

SampledGraph DeviceGraph::view() const {
  return {offsets_.data(),
          shuffled_ != nullptr ? shuffled_ : neighbors_,
          times_,
          weights_,
          alias_high_,
          alias_low_,
          drawable_.size() != 0 ? drawable_.data() : nullptr};
}

void DeviceGraph::shuffle(std::uint64_t epoch, std::uint64_t seed, std::uint64_t stream, dim3 grid,
                          const Stream& kernels) {
  if (epoch_ == epoch) return;
  epoch_ = epoch;
  SampledGraph as_given = view();
  as_given.neighbors = neighbors_;
  launch(shuffle_rows, grid, dim3(kThreads), kernels, as_given, nodes_, seed, stream, shuffled_);
}

}  // namespace frugal::cuda
