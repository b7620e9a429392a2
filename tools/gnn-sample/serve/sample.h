#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/gnn-sample/batches/batch_document.h"
#include "tools/gnn-sample/batches/device_sampler.h"
#include "tools/gnn-sample/batches/seed_batches.h"
#include "tools/gnn-sample/batches/seed_source.h"
#include "tools/gnn-sample/batches/walk_documents.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {

struct SampleOptions {
  std::string graph;
  std::string output = "-";
  std::string shared;       ///< socket to a program that reads from shared memory, or "": output
  std::uint32_t slots = 0;  ///< mini-batches for which there is shared memory; 0: by the threads
  SamplingOptions sampling;
  SeedBatchOptions batches;
  BatchDocumentOptions document;
  SeedSourceOptions source;
  WalkDocumentOptions walks;      ///< instead of neighbourhoods, where they have a length
  std::uint64_t max_batches = 0;  ///< 0: all
  Residence residence = Residence::automatic;
  std::string device = "cpu";  ///< --device
  DeviceGraph device_graph = DeviceGraph::automatic;
  std::optional<int> level;  ///< of compression; none: 1 for files, pipes are not compressed
  std::uint64_t seed = 0;
  std::string history_entry;
};

struct SampleResult {
  std::uint64_t batches = 0, nodes = 0, seeds = 0;
  std::uint64_t edges = 0;       ///< drawn; with walks their steps
  std::uint64_t next_batch = 0;  ///< where a later run would go on
  double seconds = 0;
  /// Share of the time in which the writer had no mini-batch to write, of the time of the loop.
  double waiting_share = 0;
};

/// Streams mini-batches in the order of their numbers, sampled on num_threads() threads. `begun` is
/// told how many there will be, `progress` how many are written.
SampleResult sample(const SampleOptions& options,
                    const std::function<void(std::uint64_t batches)>& begun,
                    const std::function<void(std::uint64_t batches)>& progress);

}  // namespace frugal::gnn
