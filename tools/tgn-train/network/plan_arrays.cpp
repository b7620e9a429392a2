#include "tools/tgn-train/network/plan_arrays.h"

#include <array>
#include <utility>

namespace frugal::tgn {
namespace {

/// Sets rows, [n, Columns], to row(0), ..., row(n - 1).
template <std::size_t Columns, class Row>
void fill_rows(std::vector<std::uint32_t>& rows, std::size_t n, const Row& row) {
  rows.resize(n * Columns);
  std::uint32_t* to = rows.data();
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::uint32_t number : row(i)) *to++ = number;
  }
}

template <std::size_t N>
using Numbers = std::array<std::uint32_t, N>;

}  // namespace

void GradientLists::sort(const QueryRows& queries, std::size_t rows) {
  const std::vector<std::uint32_t>&neighbors = queries.neighbor_gradient,
        &selves = queries.self_gradient;
  begin.assign(rows + 1, 0);
  for (const auto* entries : {&neighbors, &selves}) {
    for (const std::uint32_t row : *entries) {
      if (row != kNoRow) ++begin[row];
    }
  }
  std::uint32_t end = 0;
  for (std::uint32_t& count : begin) count = end += count;
  from.resize(end);
  // Fills the lists from the last entry to the first, so that `begin` ends at the beginning of
  // each.
  const auto put = [this](std::uint32_t row, std::size_t entry) {
    if (row != kNoRow) from[--begin[row]] = static_cast<std::uint32_t>(entry);
  };
  for (std::size_t i = selves.size(); i-- > 0;) put(selves[i], neighbors.size() + i);
  for (std::size_t i = neighbors.size(); i-- > 0;) put(neighbors[i], i);
}

std::span<const EngineArray> PlanArrays::of(const StepPlan& plan, bool training) {
  arrays_.clear();
  layers_.resize(plan.layers.size());
  add_memory(plan);
  for (std::size_t k = 0; k < plan.layers.size(); ++k) add_layer(plan, k, training);
  add_stores(plan);
  if (training) {
    const MatrixView<const float> pairs = plan.pair_rows();
    add("pairs", FRUGAL_F32, pairs.rows, pairs.cols, pairs.data);
  }
  return arrays_;
}

void PlanArrays::add(std::string name, frugal_type type, std::size_t rows, std::size_t columns,
                     const void* data) {
  if (rows == 0) return;
  std::vector<std::uint64_t> shape{rows};
  if (columns != 0) shape.push_back(columns);
  arrays_.push_back({std::move(name), type, std::move(shape), const_cast<void*>(data)});
}

void PlanArrays::add_memory(const StepPlan& plan) {
  const UpdateRows& u = plan.updates;
  fill_rows<3>(loads_, plan.loads.size(), [&](std::size_t i) {
    const MemoryLoad& load = plan.loads[i];
    return Numbers<3>{load.row, load.node, static_cast<std::uint32_t>(load.part)};
  });
  fill_rows<4>(updates_, u.size(), [&](std::size_t i) {
    return Numbers<4>{u.own[i], u.other[i], u.event[i], u.out[i]};
  });
  add("slots", FRUGAL_U32, plan.num_slots, 0, plan.node_of_slot.data());
  add("loads", FRUGAL_U32, plan.loads.size(), 3, loads_.data());
  add("updates", FRUGAL_U32, u.size(), 4, updates_.data());
  add("updates.dt", FRUGAL_F64, u.size(), 0, u.dt.data());
  if (u.size() != 0) add("levels", FRUGAL_U32, u.level_begin.size(), 0, u.level_begin.data());
}

void PlanArrays::add_layer(const StepPlan& plan, std::size_t k, bool training) {
  const QueryRows& q = plan.layers[k];
  Layer& layer = layers_[k];
  if (q.size() == 0) return;
  layer.since.assign(q.since.begin(), q.since.end());
  fill_rows<2>(layer.neighbors, q.neighbors.size(), [&](std::size_t i) {
    return Numbers<2>{q.neighbors[i], q.events[i]};
  });
  const std::string of = "." + std::to_string(k);
  add("queries" + of, FRUGAL_U32, q.size(), 0, q.self.data());
  add("since" + of, FRUGAL_F32, q.size(), 0, layer.since.data());
  add("offsets" + of, FRUGAL_U32, q.offsets.size(), 0, q.offsets.data());
  add("neighbors" + of, FRUGAL_U32, q.neighbors.size(), 2, layer.neighbors.data());
  add("neighbors.dt" + of, FRUGAL_F64, q.neighbors.size(), 0, q.dt.data());
  const std::size_t below = k == 0 ? plan.updates.size() : plan.layers[k - 1].size();
  if (!training || below == 0) return;
  layer.gradients.sort(q, below);
  const auto& [begin, from] = layer.gradients;
  add("gradients.begin" + of, FRUGAL_U32, begin.size(), 0, begin.data());
  add("gradients.from" + of, FRUGAL_U32, from.size(), 0, from.data());
}

void PlanArrays::add_stores(const StepPlan& plan) {
  fill_rows<4>(stores_, plan.stores.size(), [&](std::size_t i) {
    const MemoryStore& store = plan.stores[i];
    return Numbers<4>{store.node, store.slot, store.message_begin, store.message_end};
  });
  const MessageRows& m = plan.messages;
  fill_rows<2>(messages_, m.dt.size(), [&](std::size_t i) {
    return Numbers<2>{m.other[i], m.event[i]};
  });
  add("stores", FRUGAL_U32, plan.stores.size(), 4, stores_.data());
  add("messages", FRUGAL_U32, m.dt.size(), 2, messages_.data());
  add("messages.dt", FRUGAL_F64, m.dt.size(), 0, m.dt.data());
}

}  // namespace frugal::tgn
