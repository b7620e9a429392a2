#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/gnn-sample/batches/device_sampler.h"
#include "tools/gnn-sample/batches/seed_source.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/random_walk.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {

struct BenchOptions {
  std::string graph;
  SamplingOptions sampling;
  std::uint32_t batch_size = 1024;
  SeedSourceOptions source;
  WalkOptions walks;  ///< walks from the seeds instead of neighbourhoods, if their length is not 0
  /// mini-batches in a round; 0: as many as the first way does in round_seconds
  std::uint64_t max_batches = 0;
  double round_seconds = 0;  ///< duration of a round; 0: an epoch
  std::uint32_t rounds = 5;
  bool features = false;  ///< also gather the features of all nodes of a mini-batch
  bool ladder = false;    ///< also measure optimisations switched on one by one, and each one off
  Residence residence = Residence::automatic;
  std::uint64_t seed = 0;
  std::string device = "cpu";  ///< --device
  DeviceGraph device_graph = DeviceGraph::automatic;
  std::size_t hidden = 256;  ///< units of the network that the ladder of a device trains
};

/// Measurements of one way of sampling, over all rounds.
struct BenchFigure {
  std::string name;
  /// Work of a round; for walks, edges are steps.
  std::uint64_t batches = 0, edges = 0, nodes = 0, feature_bytes = 0;
  std::vector<double> seconds, cpu_seconds;  ///< of each round
  /// Seconds of each round in which a device sampled or trained. Empty: on the CPU.
  std::vector<double> busy_seconds;
  std::optional<double> loss;  ///< mean loss of a seed, if a device trains
  double gain = 0;       ///< edges per second relative to the step before in a device's ladder
  std::string left_out;  ///< why nothing was measured

  double edges_per_second() const;      ///< median of the rounds
  double edges_per_cpu_second() const;  ///< median of the rounds
  double waiting_share() const;         ///< share of the time in which the device is idle
};

struct BenchResult {
  std::uint64_t batches_of_epoch = 0;
  std::vector<BenchFigure> figures;  ///< the first is for the given options, on the CPU
  std::string device;                ///< device that sampled, if any
};

/// Samples the same mini-batches in each round with every way, one after another, without output,
/// on num_threads() threads.
BenchResult bench(const BenchOptions& options,
                  const std::function<void(std::uint64_t done, std::uint64_t of)>& progress);

}  // namespace frugal::gnn
