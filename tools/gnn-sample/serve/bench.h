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
  WalkOptions walks;              ///< from the seeds instead, where they have a length
  std::uint64_t max_batches = 0;  ///< of a round; 0: as many as the first does in round_seconds
  double round_seconds = 0;       ///< 0: an epoch
  std::uint32_t rounds = 5;
  bool features = false;  ///< also gather those of all nodes of a mini-batch
  bool ladder = false;    ///< also with the optimisations switched on one by one, and each off
  Residence residence = Residence::automatic;
  std::uint64_t seed = 0;
  std::string device = "cpu";  ///< --device
  DeviceGraph device_graph = DeviceGraph::automatic;
  std::size_t hidden = 256;  ///< units of the network that the ladder of a device trains
};

/// One way of sampling, over all rounds.
struct BenchFigure {
  std::string name;
  /// Of a round; edges are the steps of walks.
  std::uint64_t batches = 0, edges = 0, nodes = 0, feature_bytes = 0;
  std::vector<double> seconds, cpu_seconds;  ///< of each round
  /// Of each round: in which a device sampled, or did steps of a training. None: on the CPU.
  std::vector<double> busy_seconds;
  std::optional<double> loss;  ///< of a seed, where a device trains
  double gain = 0;             ///< times the edges a second of the step before in a device's ladder
  std::string left_out;        ///< why nothing was measured

  double edges_per_second() const;      ///< median of the rounds
  double edges_per_cpu_second() const;  ///< the same
  double waiting_share() const;         ///< of the time: the device has nothing to do
};

struct BenchResult {
  std::uint64_t batches_of_epoch = 0;
  std::vector<BenchFigure> figures;  ///< first that of the options as given, on the CPU
  std::string device;                ///< that sampled, too
};

/// Samples the same mini-batches a round with each way in turn, without output, on num_threads()
/// threads.
BenchResult bench(const BenchOptions& options,
                  const std::function<void(std::uint64_t done, std::uint64_t of)>& progress);

}  // namespace frugal::gnn
