#include "tools/tgn-train/memory/plan_parts.h"

#include <cassert>

namespace frugal::tgn {

std::span<const StepPlan> PlanParts::cut(const StepPlan& whole, std::size_t events) {
  assert(whole.answers.empty());
  const std::size_t queries = events == 0 ? 0 : whole.layers.back().size() / events;
  const std::size_t numbers = events == 0 ? 0 : whole.pairs.size() / events;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    StepPlan& part = parts_[p];
    const Rows of{events * p / parts_.size(), events * (p + 1) / parts_.size()};
    find_rows(whole, {of.begin * queries, of.end * queries});
    mark_slots(whole, p);
    number_slots(whole, part);
    copy_updates(whole, part);
    copy_loads(whole, part);
    part.layers.resize(whole.layers.size());
    for (std::size_t layer = 0; layer < whole.layers.size(); ++layer) {
      copy_layer(whole, layer, part);
    }
    copy_stores(whole, p, part);
    part.pair_dim = whole.pair_dim;
    part.others = whole.others;
    part.pairs.assign(whole.pairs.data() + of.begin * numbers,
                      whole.pairs.data() + of.end * numbers);
  }
  return parts_;
}

/// True if part `number` stores the record. Slots are numbered in the order of events, so most
/// records that a part stores are made by its own events.
bool PlanParts::keeps(const StepPlan& whole, const MemoryStore& store, std::size_t number) const {
  return store.slot * parts_.size() / whole.num_slots == number;
}

/// Sets rows_. The rows of the layer below that consecutive queries read are consecutive, too.
void PlanParts::find_rows(const StepPlan& whole, Rows top) {
  rows_.resize(whole.layers.size());
  rows_.back() = top;
  for (std::size_t layer = whole.layers.size() - 1; layer > 0; --layer) {
    const QueryRows& above = whole.layers[layer];
    const std::size_t below = whole.layers[layer - 1].size();
    const auto first = [&](std::size_t row) {
      return row < above.size() ? above.self[row] : below;
    };
    rows_[layer - 1] = {first(rows_[layer].begin), first(rows_[layer].end)};
  }
}

/// Sets needed_ for all slots that the part reads, directly or through updates. Updates only read
/// slots made before them, so one pass backwards finds all.
void PlanParts::mark_slots(const StepPlan& whole, std::size_t number) {
  needed_.assign(whole.num_slots, 0);
  needed_[0] = 1;
  const QueryRows& rows = whole.layers.front();
  for (std::size_t r = rows_.front().begin; r < rows_.front().end; ++r) {
    needed_[rows.self[r]] = 1;
    for (std::size_t n = rows.offsets[r]; n < rows.offsets[r + 1]; ++n) {
      needed_[rows.neighbors[n]] = 1;
    }
  }
  for (const MemoryStore& store : whole.stores) {
    if (!keeps(whole, store, number)) continue;
    needed_[store.slot] = 1;
    for (std::size_t m = store.message_begin; m < store.message_end; ++m) {
      needed_[whole.messages.other[m]] = 1;
    }
  }
  const UpdateRows& updates = whole.updates;
  for (std::size_t i = updates.size(); i-- > 0;) {
    if (needed_[updates.out[i]] == 0) continue;
    needed_[updates.own[i]] = needed_[updates.other[i]] = 1;
  }
}

void PlanParts::number_slots(const StepPlan& whole, StepPlan& part) {
  part.num_slots = 0;
  part.node_of_slot.clear();
  slot_numbers_.assign(whole.num_slots, kNoRow);
  for (std::size_t slot = 0; slot < whole.num_slots; ++slot) {
    if (needed_[slot] == 0) continue;
    slot_numbers_[slot] = static_cast<std::uint32_t>(part.num_slots++);
    part.node_of_slot.push_back(whole.node_of_slot[slot]);
  }
}

void PlanParts::copy_updates(const StepPlan& whole, StepPlan& part) {
  const UpdateRows& from = whole.updates;
  UpdateRows to;
  to.kept = from.kept;
  to.time_learns = from.time_learns;
  to.level_begin.push_back(0);
  update_numbers_.assign(from.size(), kNoRow);
  for (std::size_t level = 0; level + 1 < from.level_begin.size(); ++level) {
    for (std::size_t i = from.level_begin[level]; i < from.level_begin[level + 1]; ++i) {
      if (needed_[from.out[i]] == 0) continue;
      update_numbers_[i] = static_cast<std::uint32_t>(to.size());
      to.own.push_back(slot_numbers_[from.own[i]]);
      to.other.push_back(slot_numbers_[from.other[i]]);
      to.event.push_back(from.event[i]);
      to.dt.push_back(from.dt[i]);
      to.out.push_back(slot_numbers_[from.out[i]]);
    }
    const auto end = static_cast<std::uint32_t>(to.size());
    if (end != to.level_begin.back()) to.level_begin.push_back(end);
  }
  part.updates = std::move(to);
}

void PlanParts::copy_loads(const StepPlan& whole, StepPlan& part) const {
  part.loads.clear();
  for (const MemoryLoad& load : whole.loads) {
    const bool of_update = load.part == MemoryPart::message && whole.updates.kept;
    const std::uint32_t row = of_update ? update_numbers_[load.row] : slot_numbers_[load.row];
    if (row != kNoRow) part.loads.push_back({row, load.node, load.part});
  }
}

void PlanParts::copy_layer(const StepPlan& whole, std::size_t layer, StepPlan& part) const {
  const QueryRows& from = whole.layers[layer];
  const Rows rows = rows_[layer];
  const bool is_first = layer == 0;
  const std::size_t below = is_first ? 0 : rows_[layer - 1].begin;
  const auto row_below = [&](std::uint32_t row) {
    return is_first ? slot_numbers_[row] : row - static_cast<std::uint32_t>(below);
  };
  const auto gradient_below = [&](std::uint32_t row) {
    return is_first ? update_of(row) : row_below(row);
  };
  QueryRows to;
  to.offsets.push_back(0);
  for (std::size_t r = rows.begin; r < rows.end; ++r) {
    to.self.push_back(row_below(from.self[r]));
    to.since.push_back(from.since[r]);
    to.self_gradient.push_back(gradient_below(from.self_gradient[r]));
    for (std::size_t n = from.offsets[r]; n < from.offsets[r + 1]; ++n) {
      to.neighbors.push_back(row_below(from.neighbors[n]));
      to.events.push_back(from.events[n]);
      to.dt.push_back(from.dt[n]);
      to.neighbor_gradient.push_back(gradient_below(from.neighbor_gradient[n]));
    }
    to.offsets.push_back(static_cast<std::uint32_t>(to.neighbors.size()));
  }
  part.layers[layer] = std::move(to);
}

void PlanParts::copy_stores(const StepPlan& whole, std::size_t number, StepPlan& part) const {
  MessageRows messages;
  part.stores.clear();
  for (const MemoryStore& store : whole.stores) {
    if (!keeps(whole, store, number)) continue;
    MemoryStore kept{store.node, slot_numbers_[store.slot],
                     static_cast<std::uint32_t>(messages.other.size()), 0};
    for (std::size_t m = store.message_begin; m < store.message_end; ++m) {
      messages.other.push_back(slot_numbers_[whole.messages.other[m]]);
      messages.event.push_back(whole.messages.event[m]);
      messages.dt.push_back(whole.messages.dt[m]);
    }
    kept.message_end = static_cast<std::uint32_t>(messages.other.size());
    part.stores.push_back(kept);
  }
  part.messages = std::move(messages);
}

}  // namespace frugal::tgn
