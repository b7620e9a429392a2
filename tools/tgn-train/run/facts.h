#pragma once
#include <cstddef>
#include <cstdint>

#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/settings/train_options.h"

namespace frugal::tgn {

struct TrainFacts {
  std::size_t nodes = 0, events = 0, edge_features = 0, edge_types = 0;
  std::uint64_t train_events = 0, valid_events = 0, test_events = 0;
  std::uint64_t new_valid_events = 0, new_test_events = 0;
  std::uint64_t parameters = 0;
  std::size_t batch = 0, neighbors = 0, memory_dim = 0;
  std::size_t time_ranges = 1;
  std::size_t memory_shards = 0;
  std::uint64_t memory_bytes = 0;  ///< of the nodes' memory, on this rank
};

/// Counts the nodes and events of a training. Warns if --new-nodes keeps many events out of
/// training.
TrainFacts facts_of(const LinkData& data, const TrainOptions& options);

}  // namespace frugal::tgn
