#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/device/engine.h"
#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/batches/sampler_factory.h"

namespace frugal::gnn {

/// Where the graph is while a device samples: in the device's memory, or pinned in the host's, from
/// which the device reads.
enum class DeviceGraph { automatic, device, pinned };
inline constexpr std::array<std::string_view, 3> kDeviceGraphNames = {"auto", "device", "pinned"};

struct DeviceSampling {
  std::string device;   ///< --device
  std::string command;  ///< "gnn-sample sample", for messages
  DeviceGraph place = DeviceGraph::automatic;
  /// Number of edges that buffers initially have room for. A larger mini-batch is sampled a second
  /// time.
  std::uint64_t expected_edges = std::uint64_t{1} << 21;
};

/// Samples mini-batches on a device, several at once, with the same results as NeighborSampler. Not
/// for several threads.
class DeviceSampler {
 public:
  static constexpr std::size_t kDepth = 3;  ///< most mini-batches in flight

  /// Borrows the factory and its graph.
  DeviceSampler(std::unique_ptr<DeviceEngine> engine, const SamplerFactory& factory);

  /// Starts a mini-batch. Requires fewer than kDepth in flight.
  void submit(const SampleSeeds& seeds, std::uint64_t epoch, std::uint64_t number);
  /// Waits for the oldest mini-batch. seeds: those given to submit(). The epoch and number of
  /// `batch` must be set.
  void fetch(const SampleSeeds& seeds, MiniBatch& batch);
  const std::string& device() const { return engine_->device(); }
  /// Seconds in which the device sampled, by its own clock.
  double busy_seconds() const { return busy_seconds_; }
  /// Number of mini-batches that the host sampled again because rounding could have changed the
  /// device's draws.
  std::uint64_t num_doubtful() const { return num_doubtful_; }

 private:
  void bring_graph();
  void fill(const SampleSeeds& seeds, const std::vector<std::uint64_t>& sizes, MiniBatch& batch);

  std::unique_ptr<DeviceEngine> engine_;
  const SamplerFactory& factory_;
  DrawnEdges edges_;
  std::unique_ptr<NeighborSampler> here_;
  std::uint64_t num_doubtful_ = 0;
  double busy_seconds_ = 0;
  std::vector<EdgeId> hidden_;
};

/// Samples mini-batches in order, as many at once as the sampler allows.
class SampledAhead {
 public:
  /// seeds: sets the seeds of the next mini-batch; false at the end. hides: leaves out edges that
  /// are seeds. Borrows the sampler.
  SampledAhead(DeviceSampler& sampler, bool hides, std::function<bool(LinkBatch&)> seeds)
      : sampler_(sampler), hides_(hides), seeds_(std::move(seeds)) {}

  /// Returns the next mini-batch and its seeds; false at the end.
  bool next(LinkBatch& seeds, MiniBatch& batch);

 private:
  void send();

  DeviceSampler& sampler_;
  bool hides_;
  std::function<bool(LinkBatch&)> seeds_;
  std::deque<LinkBatch> on_their_way_;
};

/// Describes --device-graph.
void describe_device_graph(const OptionFields& fields, DeviceGraph& place);

/// Fails (unavailable) if --device names a device: --walks have no engine.
void check_device_of_walks(const std::string& device, const std::string& command);

/// Makes a sampler on the device that is asked for; null: the CPU samples. Fails (unavailable) if a
/// device is asked for by name and cannot do it.
std::unique_ptr<DeviceSampler> make_device_sampler(const StoredGraph& graph,
                                                   const SamplerFactory& factory,
                                                   const DeviceSampling& sampling);

}  // namespace frugal::gnn
