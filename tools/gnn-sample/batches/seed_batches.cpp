#include "tools/gnn-sample/batches/seed_batches.h"

#include <cassert>
#include <utility>

namespace frugal::gnn {

SeedBatches::SeedBatches(std::vector<NodeId> nodes, std::vector<double> times,
                         const SeedBatchOptions& options)
    : nodes_(std::move(nodes)), times_(std::move(times)), order_(nodes_.size(), options) {
  assert(times_.empty() || times_.size() == nodes_.size());
}

bool SeedBatches::next(Seeds& seeds) {
  if (!order_.next()) return false;
  seeds.epoch = order_.epoch();
  seeds.number = order_.number();
  seeds.nodes.clear();
  seeds.times.clear();
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    seeds.nodes.push_back(nodes_[order_.item(i)]);
    if (!times_.empty()) seeds.times.push_back(times_[order_.item(i)]);
  }
  return true;
}

}  // namespace frugal::gnn
