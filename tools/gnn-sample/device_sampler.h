#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/device/engine.h"
#include "tools/gnn-sample/sampler_factory.h"

namespace frugal::gnn {

/// Where the graph lies while a device samples: in its memory, or pinned in the host's, which the
/// device reads.
enum class DeviceGraph { automatic, device, pinned };
inline constexpr std::array<std::string_view, 3> kDeviceGraphNames = {"auto", "device", "pinned"};

struct DeviceSampling {
  std::string device;   ///< --device
  std::string command;  ///< "gnn-sample sample", for messages
  DeviceGraph place = DeviceGraph::automatic;
  /// What there is room for at first; larger mini-batches are sampled once more.
  std::uint64_t expected_edges = std::uint64_t{1} << 21;
};

/// Samples mini-batches on a device to the bits of NeighborSampler, some at once. One thread at a
/// time.
class DeviceSampler {
 public:
  static constexpr std::size_t kDepth = 3;  ///< mini-batches on their way

  /// Borrows the factory and its graph.
  DeviceSampler(std::unique_ptr<DeviceEngine> engine, const SamplerFactory& factory);

  /// Begins a mini-batch; fewer than kDepth are on their way.
  void submit(const SampleSeeds& seeds, std::uint64_t epoch, std::uint64_t number);
  /// Waits for the oldest, which was begun with those seeds; epoch and number of `batch` are set.
  void fetch(const SampleSeeds& seeds, MiniBatch& batch);
  /// Mini-batches that were sampled here, since the device's draws were in doubt.
  std::uint64_t num_doubtful() const { return num_doubtful_; }

 private:
  void bring_graph();
  void fill(const SampleSeeds& seeds, const std::vector<std::uint64_t>& sizes, MiniBatch& batch);

  std::unique_ptr<DeviceEngine> engine_;
  const SamplerFactory& factory_;
  DrawnEdges edges_;
  std::unique_ptr<NeighborSampler> here_;
  std::uint64_t num_doubtful_ = 0;
  std::vector<EdgeId> hidden_;
};

/// --device-graph.
void describe_device_graph(const OptionFields& fields, DeviceGraph& place);

/// On the device that is asked for; null: the CPU samples. Fails (unavailable) where a device is
/// asked for by name and cannot do it.
std::unique_ptr<DeviceSampler> make_device_sampler(const StoredGraph& graph,
                                                   const SamplerFactory& factory,
                                                   const DeviceSampling& sampling);

}  // namespace frugal::gnn
