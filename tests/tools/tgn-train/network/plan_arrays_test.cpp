// Plans of real streams as the arrays of engines.
#include "tools/tgn-train/network/plan_arrays.h"

#include <doctest/doctest.h>

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/tgn-train/memory/model_on_stream.h"

using namespace frugal;
using namespace frugal::tgn;

namespace as_arrays {
namespace {

constexpr std::size_t kOurBatch = 15;

struct Case {
  const char* variant;
  MemoryMode mode;
  RefreshKind refresh = RefreshKind::none;
};
constexpr Case kCases[] = {{"attention over two layers", MemoryMode::window, RefreshKind::touched},
                           {"attention, features of pairs", MemoryMode::window},
                           {"attention, three heads, node features", MemoryMode::exact},
                           {"sum over two layers, node features", MemoryMode::read},
                           {"attention without memory", MemoryMode::window},
                           {"time", MemoryMode::window, RefreshKind::touched}};

Variant variant_of(const char* name) {
  for (const Variant& v : variants()) {
    if (v.name == name) return v;
  }
  FAIL(name);
  return {};
}

const EngineArray* find(std::span<const EngineArray> arrays, const std::string& name) {
  for (const EngineArray& array : arrays) {
    if (array.name == name) return &array;
  }
  return nullptr;
}

/// Its numbers, where it has the type and so many columns (1: it has no rows of several); none
/// where it is left out.
template <class T>
std::vector<T> numbers(std::span<const EngineArray> arrays, const std::string& name,
                       frugal_type type, std::size_t columns = 1) {
  const EngineArray* const array = find(arrays, name);
  if (array == nullptr) return {};
  CAPTURE(name);
  CHECK(array->type == type);
  CHECK(array->shape.size() == (columns == 1 ? 1 : 2));
  CHECK(array->shape.back() == (columns == 1 ? array->shape[0] : columns));
  CHECK(array->shape[0] != 0);
  const T* const from = static_cast<const T*>(array->data);
  return {from, from + array->num_bytes() / sizeof(T)};
}
std::vector<std::uint32_t> u32(std::span<const EngineArray> arrays, const std::string& name,
                               std::size_t columns = 1) {
  return numbers<std::uint32_t>(arrays, name, FRUGAL_U32, columns);
}

void check_memory(std::span<const EngineArray> arrays, const StepPlan& plan) {
  CHECK(u32(arrays, "slots") == plan.node_of_slot);
  std::vector<std::uint32_t> loads, updates, stores, messages;
  for (const MemoryLoad& load : plan.loads) {
    loads.insert(loads.end(), {load.row, load.node, load.part == MemoryPart::message ? 1U : 0U});
  }
  const UpdateRows& u = plan.updates;
  for (std::size_t i = 0; i < u.size(); ++i) {
    updates.insert(updates.end(), {u.own[i], u.other[i], u.event[i], u.out[i]});
  }
  for (const MemoryStore& s : plan.stores) {
    stores.insert(stores.end(), {s.node, s.slot, s.message_begin, s.message_end});
  }
  for (std::size_t i = 0; i < plan.messages.dt.size(); ++i) {
    messages.insert(messages.end(), {plan.messages.other[i], plan.messages.event[i]});
  }
  CHECK(u32(arrays, "loads", 3) == loads);
  CHECK(u32(arrays, "updates", 4) == updates);
  CHECK(u32(arrays, "stores", 4) == stores);
  CHECK(u32(arrays, "messages", 2) == messages);
  CHECK(numbers<double>(arrays, "updates.dt", FRUGAL_F64) == u.dt);
  CHECK(numbers<double>(arrays, "messages.dt", FRUGAL_F64) == plan.messages.dt);
  if (u.size() != 0) CHECK(u32(arrays, "levels") == u.level_begin);
  if (u.size() == 0) CHECK(find(arrays, "levels") == nullptr);
}

/// begin and from of the rows as QueryRows says whose gradient is whose.
void check_gradients(std::span<const EngineArray> arrays, const QueryRows& q, std::size_t rows,
                     const std::string& of) {
  std::vector<std::uint32_t> begin{0}, from;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t e = 0; e < q.neighbor_gradient.size(); ++e) {
      if (q.neighbor_gradient[e] == row) from.push_back(static_cast<std::uint32_t>(e));
    }
    for (std::size_t i = 0; i < q.self_gradient.size(); ++i) {
      if (q.self_gradient[i] != row) continue;
      from.push_back(static_cast<std::uint32_t>(q.neighbors.size() + i));
    }
    begin.push_back(static_cast<std::uint32_t>(from.size()));
  }
  if (rows == 0) begin.clear();
  CHECK(u32(arrays, "gradients.begin" + of) == begin);
  CHECK(u32(arrays, "gradients.from" + of) == from);
}

void check_layer(std::span<const EngineArray> arrays, const StepPlan& plan, std::size_t k,
                 bool training) {
  const QueryRows& q = plan.layers[k];
  const std::string of = "." + std::to_string(k);
  CHECK(u32(arrays, "queries" + of) == q.self);
  const std::vector<float> since(q.since.begin(), q.since.end());
  CHECK(numbers<float>(arrays, "since" + of, FRUGAL_F32) == since);
  if (q.size() != 0) CHECK(u32(arrays, "offsets" + of) == q.offsets);
  std::vector<std::uint32_t> neighbors;
  for (std::size_t e = 0; e < q.neighbors.size(); ++e) {
    neighbors.insert(neighbors.end(), {q.neighbors[e], q.events[e]});
  }
  CHECK(u32(arrays, "neighbors" + of, 2) == neighbors);
  CHECK(numbers<double>(arrays, "neighbors.dt" + of, FRUGAL_F64) == q.dt);
  if (training && q.size() != 0) {
    const std::size_t rows = k == 0 ? plan.updates.size() : plan.layers[k - 1].size();
    check_gradients(arrays, q, rows, of);
  } else {
    CHECK(find(arrays, "gradients.begin" + of) == nullptr);
    CHECK(find(arrays, "gradients.from" + of) == nullptr);
  }
}

/// The arrays of a contract: no other names are in a batch.
void check_names(std::span<const EngineArray> arrays, std::size_t layers) {
  std::set<std::string> known{"slots",  "loads",    "updates",     "updates.dt", "levels",
                              "stores", "messages", "messages.dt", "pairs"};
  for (std::size_t k = 0; k < layers; ++k) {
    for (const char* name : {"queries.", "since.", "offsets.", "neighbors.", "neighbors.dt.",
                             "gradients.begin.", "gradients.from."}) {
      known.insert(name + std::to_string(k));
    }
  }
  for (const EngineArray& array : arrays) CHECK(known.erase(array.name) == 1);
}

void check_plan(PlanArrays& made, const StepPlan& plan, bool training) {
  const std::span<const EngineArray> arrays = made.of(plan, training);
  check_names(arrays, plan.layers.size());
  check_memory(arrays, plan);
  for (std::size_t k = 0; k < plan.layers.size(); ++k) check_layer(arrays, plan, k, training);
  const auto pairs = numbers<float>(arrays, "pairs", FRUGAL_F32, plan.pair_dim);
  CHECK(pairs == (training ? plan.pairs : std::vector<float>()));
}

}  // namespace

TEST_CASE("a plan's arrays have its rows, and lists of what gradients add up") {
  for (const Case& c : kCases) {
    CAPTURE(c.variant);
    const Variant v = variant_of(c.variant);
    StreamShape shape;
    shape.events = 90;
    const RandomStream stream(shape, v.inputs, v.options.memory_dim);
    ModelOnStream ours(v, stream, c.mode, c.refresh);
    PlanArrays made;
    std::set<std::size_t> sizes;
    StepPlan plan;
    for (std::size_t begin = 0; begin < shape.events; begin += kOurBatch) {
      std::vector<EventId> events(kOurBatch);
      std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
      const auto first = stream.negatives.begin() + static_cast<std::ptrdiff_t>(begin);
      const std::vector<NodeId> others(first, first + kOurBatch);
      const bool asks = begin / kOurBatch % 3 != 2;
      ours.planner->plan(events, others, asks ? StepKind::queries_and_updates : StepKind::updates,
                         plan);
      plan.pair_dim = v.inputs.pair_features;
      if (asks) plan.pairs.assign(2 * kOurBatch * plan.pair_dim, 0.25F);
      check_plan(made, plan, true);
      check_plan(made, plan, false);
      sizes.insert(plan.updates.size());
    }
    CHECK(sizes.size() > (v.options.has_memory() ? 1 : 0));
  }
}

}  // namespace as_arrays
