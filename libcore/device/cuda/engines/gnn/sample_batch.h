#pragma once
/// A mini-batch while it is sampled, and memory for it.
#include "libcore/device/cuda/engines/batch_slots.h"
#include "libcore/device/cuda/engines/workspace.h"
#include "libcore/device/cuda/kernels/graph/sample_hops.h"

namespace frugal::cuda {

/// Properties that all batches of an engine share, whatever their sizes.
struct SampleShape {
  explicit SampleShape(const Settings& settings);

  std::vector<std::uint32_t> fanouts;
  std::uint32_t batch_size;
  DrawMethod method;
  bool anew;       ///< each hop draws for all nodes known so far
  bool trees;      ///< each seed has a separate neighbourhood
  bool positions;  ///< the positions of the sampled edges are returned
  bool long_draws;
  std::uint64_t most_nodes;  ///< largest number of nodes of a batch

  std::uint32_t hops() const { return static_cast<std::uint32_t>(fanouts.size()); }
  /// Room for the largest possible batches, limited to `edges` edges.
  SampleRoom expected(std::uint64_t edges) const;
  std::uint64_t num_offsets(const SampleCounts& counts) const;
};

/// Places the arrays of a batch. picks: include positions of edges; in host memory only if they are
/// returned.
void lay_out_batch(Workspace& room, const SampleRoom& sizes, const SampleShape& shape, bool picks,
                   SampledBatch& to);
void lay_out_work(Workspace& room, const SampleRoom& sizes, const SampleShape& shape,
                  SampleWork& to);

/// A batch in pinned memory and on the device.
struct SampleSlot : BatchSlot {
  bool waits = false;               ///< it is being sampled, or is sampled and not fetched
  bool coming = false;              ///< its copy to the host has started
  std::vector<std::uint64_t> keys;  ///< random keys of the hops
  std::uint64_t shuffle[3] = {};    ///< epoch, seed and stream of DeviceGraph::shuffle()
  PinnedArray<std::uint32_t> given_seeds;
  PinnedArray<double> given_times;
  PinnedArray<std::uint64_t> given_hidden;
  PinnedArray<SampleCounts> counts;
  DeviceArray<std::uint32_t> seeds;
  DeviceArray<double> times;
  DeviceArray<std::uint64_t> hidden;
  DeviceArray<SampleCounts> device_counts;
  PinnedArray<char> pinned;
  DeviceArray<char> block;
  SampledBatch host{}, device{};
  Event fetched;

  /// Allocates memory for its seeds.
  void prepare(const SampleShape& shape, bool times_too, Room& room);
  void make_room(const SampleRoom& sizes, const SampleShape& shape);
  /// Allocates memory for n hidden edges.
  void make_room_for_hidden(std::uint64_t n);
  /// Starts copying the arrays to the host, which must already have the counts.
  void bring_back(const SampleShape& shape, const Stream& copies);
};

}  // namespace frugal::cuda
