#include "libcore/device/cuda/engines/tgn/tgn_plan.h"

#include <algorithm>

#include "libcore/device/cuda/kernels/row_places.h"
#include "libcore/device/size_class.h"

namespace frugal::cuda {
namespace {

std::uint32_t number(const Settings& settings, const char* name) {
  return static_cast<std::uint32_t>(settings.number(name));
}

const frugal_array* find(const frugal_array* batch, std::size_t n, const std::string& name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (name == batch[i].name) return batch + i;
  }
  return nullptr;
}

/// Rows of an array with so many numbers each; 0 where there is none.
std::uint32_t rows_of(const frugal_array* batch, std::size_t n, const std::string& name,
                      std::uint32_t columns) {
  const frugal_array* array = find(batch, n, name);
  if (array == nullptr || columns == 0) return 0;
  const std::uint64_t size = array_size(*array);
  if (size % columns != 0 || size / columns >= 0xffffffffU) {
    throw Failure(FRUGAL_BAD_ARGUMENT, "batch array '" + name + "' has " + std::to_string(size) +
                                           " numbers, expected rows of " + std::to_string(columns));
  }
  return static_cast<std::uint32_t>(size / columns);
}

/// Rows of an array of offsets: one fewer than it has numbers.
std::uint32_t lists_of(const frugal_array* batch, std::size_t n, const std::string& name) {
  const std::uint32_t size = rows_of(batch, n, name, 1);
  return size == 0 ? 0 : size - 1;
}

std::string of_layer(const char* name, std::uint32_t layer) {
  return name + ("." + std::to_string(layer));
}

template <class Visit>
void for_each_size(PlanSizes& a, const PlanSizes& b, const Visit& visit) {
  visit(a.slots, b.slots);
  visit(a.loads, b.loads);
  visit(a.updates, b.updates);
  visit(a.levels, b.levels);
  visit(a.stores, b.stores);
  visit(a.messages, b.messages);
  visit(a.pairs, b.pairs);
  visit(a.later, b.later);
  for (std::uint32_t k = 0; k < kMostTgnLayers; ++k) {
    visit(a.queries[k], b.queries[k]);
    visit(a.neighbors[k], b.neighbors[k]);
    visit(a.below[k], b.below[k]);
    visit(a.lists[k], b.lists[k]);
  }
}

/// Adds to the loads that the plan has zeros for the slots that nothing else fills; returns how
/// many loads there are.
std::uint32_t add_zeros(const TgnShape& shape, const PlanSizes& sizes, PlanArrays& plan) {
  std::vector<bool> filled(sizes.slots);
  const auto fill = [&](std::uint32_t slot) {
    if (slot >= sizes.slots) {
      throw Failure(FRUGAL_BAD_ARGUMENT, "no slot " + std::to_string(slot));
    }
    filled[slot] = true;
  };
  std::uint32_t loads = sizes.given_loads;
  for (std::uint32_t i = 0; i < loads; ++i) {
    const bool message = plan.loads[3 * i + 2] != 0;
    if (!message || !shape.made) fill(plan.loads[3 * i]);
  }
  for (std::uint32_t i = 0; i < sizes.updates; ++i) fill(plan.updates[4 * i + 3]);
  for (std::uint32_t slot = 0; slot < sizes.slots; ++slot) {
    if (filled[slot]) continue;
    std::uint32_t* load = plan.loads + 3 * std::uint64_t{loads++};
    load[0] = slot;
    load[1] = kNoRow;
    load[2] = 0;
  }
  return loads;
}

}  // namespace

TgnShape::TgnShape(const Settings& s)
    : nodes(number(s, "nodes")),
      events(number(s, "events")),
      dim(number(s, "memory_dim")),
      time_dim(number(s, "time_dim")),
      edge_dim(number(s, "edge_dim")),
      pair_dim(number(s, "pair_dim")),
      message_dim(number(s, "message_dim")),
      kept_dim(number(s, "kept_dim")),
      layers(number(s, "layers")),
      heads(number(s, "heads")),
      neighbors(number(s, "neighbors")),
      batch_size(number(s, "batch_size")),
      node_features(s.flag("node_features")),
      mlp(s.text("message") == "mlp"),
      gru(s.text("updater") == "gru"),
      memory(s.text("updater") != "none"),
      made(s.flag("made")),
      train_time(s.flag("train_time")),
      message_time(s.flag("message_time")),
      bf16_memory(s.text("memory_type") == "bf16") {
  if (layers == 0 || layers > kMostTgnLayers) {
    throw Failure(FRUGAL_UNSUPPORTED, "it has networks of 1 to " + std::to_string(kMostTgnLayers) +
                                          " layers, not of " + std::to_string(layers));
  }
}

PlanSizes PlanSizes::of(const frugal_array* batch, std::size_t n, const TgnShape& shape) {
  PlanSizes s;
  s.slots = std::max(1U, rows_of(batch, n, "slots", 1));
  s.given_loads = rows_of(batch, n, "loads", 3);
  s.loads = s.given_loads + s.slots;
  s.updates = rows_of(batch, n, "updates", 4);
  s.levels = lists_of(batch, n, "levels");
  s.stores = rows_of(batch, n, "stores", 4);
  s.messages = rows_of(batch, n, "messages", 2);
  s.pairs = rows_of(batch, n, "pairs", shape.pair_dim);
  if (const frugal_array* levels = find(batch, n, "levels")) {
    const auto* begin = static_cast<const std::uint32_t*>(levels->data);
    for (std::uint32_t l = 1; l < s.levels; ++l)
      s.later = std::max(s.later, begin[l + 1] - begin[l]);
    if (s.levels != 0 && begin[s.levels] != s.updates) {
      throw Failure(FRUGAL_BAD_ARGUMENT,
                    "batch array 'levels' ends with another number than that "
                    "of updates");
    }
  }
  for (std::uint32_t k = 0; k < shape.layers; ++k) {
    s.queries[k] = rows_of(batch, n, of_layer("queries", k), 1);
    s.neighbors[k] = rows_of(batch, n, of_layer("neighbors", k), 2);
    s.below[k] = lists_of(batch, n, of_layer("gradients.begin", k));
    s.lists[k] = rows_of(batch, n, of_layer("gradients.from", k), 1);
  }
  return s;
}

PlanSizes PlanSizes::expected(const TgnShape& shape) {
  PlanSizes s;
  std::uint32_t queries = 3 * shape.batch_size;
  for (std::uint32_t k = shape.layers; k-- > 0;) {
    s.queries[k] = queries;
    s.neighbors[k] = queries * shape.neighbors;
    s.lists[k] = s.queries[k] + s.neighbors[k];
    queries = std::min(s.lists[k], std::max(shape.nodes, 3 * shape.batch_size));
    s.below[k] = queries;
  }
  s.slots = queries + 2 * shape.batch_size;
  s.loads = 3 * s.slots;  // states, messages, zeros
  s.updates = shape.memory ? s.slots : 0;
  s.levels = 32;
  s.later = shape.batch_size;
  s.stores = s.messages = s.pairs = 2 * shape.batch_size;
  return s;
}

PlanSizes PlanSizes::padded(const PlanSizes& room) const {
  PlanSizes s = room;
  s.exact = 0;
  const auto pad = [&](std::uint32_t& size, std::uint32_t rows, std::uint32_t bit) {
    const std::uint32_t padded = library_rows(rows);
    if (padded == 0) return;
    size = padded;
    s.exact |= 1U << bit;
  };
  for (std::uint32_t k = 0; k < kMostTgnLayers; ++k) {
    pad(s.queries[k], queries[k], k);
    if (k + 1 < kMostTgnLayers && library_rows(queries[k]) != 0) s.below[k + 1] = s.queries[k];
  }
  pad(s.updates, updates, kMostTgnLayers);
  return s;
}

bool PlanSizes::fits(const PlanSizes& room) const {
  bool fits = true;
  PlanSizes mine = *this;
  for_each_size(mine, room, [&](std::uint32_t& a, std::uint32_t b) { fits = fits && a <= b; });
  return fits;
}

void PlanSizes::grow(const PlanSizes& more) {
  constexpr std::uint32_t kSpare = 4;  // a quarter
  constexpr std::uint32_t kWhole = 16;
  for_each_size(*this, more, [](std::uint32_t& a, std::uint32_t b) {
    if (b > a) a = (b + b / kSpare + kWhole - 1) / kWhole * kWhole;
  });
}

void PlanArrays::lay_out(Workspace& room, const PlanSizes& sizes, const TgnShape& shape) {
  counts = room.take<PlanCounts>(1);
  slots = room.take<std::uint32_t>(sizes.slots);
  loads = room.take<std::uint32_t>(3 * std::uint64_t{sizes.loads});
  updates = room.take<std::uint32_t>(4 * std::uint64_t{sizes.updates});
  updates_dt = room.take<double>(sizes.updates);
  levels = room.take<std::uint32_t>(level_class(sizes.levels) + 1);
  stores = room.take<std::uint32_t>(4 * std::uint64_t{sizes.stores});
  messages = room.take<std::uint32_t>(2 * std::uint64_t{sizes.messages});
  messages_dt = room.take<double>(sizes.messages);
  pairs = room.take<float>(std::uint64_t{sizes.pairs} * shape.pair_dim);
  for (std::uint32_t k = 0; k < shape.layers; ++k) {
    Layer& layer = layers[k];
    layer.queries = room.take<std::uint32_t>(sizes.queries[k]);
    layer.since = room.take<float>(sizes.queries[k]);
    layer.offsets = room.take<std::uint32_t>(std::uint64_t{sizes.queries[k]} + 1);
    layer.neighbors = room.take<std::uint32_t>(2 * std::uint64_t{sizes.neighbors[k]});
    layer.dt = room.take<double>(sizes.neighbors[k]);
    layer.gradients_begin = room.take<std::uint32_t>(std::uint64_t{sizes.below[k]} + 1);
    layer.gradients_from = room.take<std::uint32_t>(sizes.lists[k]);
  }
}

void fill_plan(const frugal_array* batch, std::size_t n, const TgnShape& shape,
               const PlanSizes& sizes, std::uint32_t levels, PlanArrays& to) {
  const auto bring = [&](const std::string& name, frugal_type type, void* place,
                         std::uint64_t size) {
    if (size == 0) return;
    const frugal_array& from = batch_array(batch, n, name.c_str(), type, size);
    std::memcpy(place, from.data, size * type_bytes(type));
  };
  PlanCounts& c = *to.counts;
  c = {};
  c.slots = sizes.slots;
  c.updates = sizes.updates;
  c.stores = sizes.stores;
  c.messages = sizes.messages;
  bring("slots", FRUGAL_U32, to.slots, shape.node_features ? sizes.slots : 0);
  bring("loads", FRUGAL_U32, to.loads, 3 * std::uint64_t{sizes.given_loads});
  bring("updates", FRUGAL_U32, to.updates, 4 * std::uint64_t{sizes.updates});
  c.loads = add_zeros(shape, sizes, to);
  const bool has_times = !shape.made;
  bring("updates.dt", FRUGAL_F64, to.updates_dt, has_times ? sizes.updates : 0);
  bring("levels", FRUGAL_U32, to.levels, sizes.updates == 0 ? 0 : sizes.levels + 1);
  for (std::uint32_t l = sizes.updates == 0 ? 0 : sizes.levels; l <= levels; ++l) {
    to.levels[l] = sizes.updates;
  }
  bring("stores", FRUGAL_U32, to.stores, 4 * std::uint64_t{sizes.stores});
  bring("messages", FRUGAL_U32, to.messages, 2 * std::uint64_t{sizes.messages});
  bring("messages.dt", FRUGAL_F64, to.messages_dt, shape.made ? sizes.messages : 0);
  bring("pairs", FRUGAL_F32, to.pairs, std::uint64_t{sizes.pairs} * shape.pair_dim);
  for (std::uint32_t k = 0; k < shape.layers; ++k) {
    PlanArrays::Layer& layer = to.layers[k];
    c.queries[k] = sizes.queries[k];
    c.neighbors[k] = sizes.neighbors[k];
    c.below[k] = sizes.below[k];
    bring(of_layer("queries", k), FRUGAL_U32, layer.queries, sizes.queries[k]);
    bring(of_layer("since", k), FRUGAL_F32, layer.since, sizes.queries[k]);
    const bool lists = sizes.queries[k] != 0;
    bring(of_layer("offsets", k), FRUGAL_U32, layer.offsets,
          lists ? std::uint64_t{sizes.queries[k]} + 1 : 0);
    bring(of_layer("neighbors", k), FRUGAL_U32, layer.neighbors,
          2 * std::uint64_t{sizes.neighbors[k]});
    bring(of_layer("neighbors.dt", k), FRUGAL_F64, layer.dt, sizes.neighbors[k]);
    bring(of_layer("gradients.begin", k), FRUGAL_U32, layer.gradients_begin,
          sizes.below[k] == 0 ? 0 : std::uint64_t{sizes.below[k]} + 1);
    bring(of_layer("gradients.from", k), FRUGAL_U32, layer.gradients_from, sizes.lists[k]);
  }
}

/// Rows are padded in triples: a query of each kind.
std::uint32_t library_rows(std::uint32_t rows) {
  return rows < kLibraryRows ? 0 : static_cast<std::uint32_t>(3 * size_class((rows + 2) / 3, 4));
}

std::uint32_t level_class(std::uint32_t levels) {
  return static_cast<std::uint32_t>(size_class(levels, 4));
}

}  // namespace frugal::cuda
