#pragma once
/// A mini-batch on its way through sampling, and room for it.
#include "libcore/device/cuda/engines/batch_slots.h"
#include "libcore/device/cuda/engines/workspace.h"
#include "libcore/device/cuda/kernels/graph/sample_hops.h"

namespace frugal::cuda {

/// What batches of an engine have, whatever their sizes.
struct SampleShape {
  explicit SampleShape(const Settings& settings);

  std::vector<std::uint32_t> fanouts;
  std::uint32_t batch_size;
  DrawMethod method;
  bool anew;       ///< each hop draws for all nodes known so far
  bool trees;      ///< each seed has a neighbourhood of its own
  bool positions;  ///< places of edges are told
  bool long_draws;
  std::uint64_t most_nodes;  ///< that a batch can have

  std::uint32_t hops() const { return static_cast<std::uint32_t>(fanouts.size()); }
  /// What the largest batches need, up to so many edges.
  SampleRoom expected(std::uint64_t edges) const;
  std::uint64_t num_offsets(const SampleCounts& counts) const;
};

/// The arrays of a batch; in the host's memory picks only where places are told.
void lay_out_batch(Workspace& room, const SampleRoom& sizes, const SampleShape& shape, bool picks,
                   SampledBatch& to);
void lay_out_work(Workspace& room, const SampleRoom& sizes, const SampleShape& shape,
                  SampleWork& to);

/// A batch in pinned memory and on the device.
struct SampleSlot : BatchSlot {
  bool waits = false;               ///< it is sampled, or was and is still to be fetched
  bool coming = false;              ///< its copy to the host is on its way
  std::vector<std::uint64_t> keys;  ///< of hops
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

  /// Room for its seeds.
  void prepare(const SampleShape& shape, bool times_too, Room& room);
  void make_room(const SampleRoom& sizes, const SampleShape& shape);
  /// Of so many edges.
  void make_room_for_hidden(std::uint64_t n);
  /// Gives the stream the copies of what is there, whose counts the host has.
  void bring_back(const SampleShape& shape, const Stream& copies);
};

}  // namespace frugal::cuda
