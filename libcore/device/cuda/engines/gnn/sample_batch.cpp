#include "libcore/device/cuda/engines/gnn/sample_batch.h"

#include <algorithm>

namespace frugal::cuda {
namespace {

DrawMethod method_from(const std::string& name) {
  constexpr std::pair<const char*, DrawMethod> kMethods[] = {
      {"uniform", DrawMethod::uniform},
      {"repeated", DrawMethod::repeated},
      {"last", DrawMethod::last},
      {"window", DrawMethod::window},
      {"labor", DrawMethod::labor},
      {"weighted", DrawMethod::weighted},
      {"weighted_repeated", DrawMethod::weighted_repeated}};
  for (const auto& [text, method] : kMethods) {
    if (name == text) return method;
  }
  throw Failure(FRUGAL_UNSUPPORTED, "it has no draws '" + name + "'");
}

}  // namespace

SampleShape::SampleShape(const Settings& settings)
    : fanouts(settings.sizes("fanouts")),
      batch_size(static_cast<std::uint32_t>(settings.number("batch_size"))),
      method(method_from(settings.text("method"))),
      anew(settings.text("semantics") == "mfg"),
      trees(settings.flag("disjoint")),
      positions(settings.flag("positions")),
      long_draws(false),
      most_nodes(trees ? kNoRow : settings.number("nodes")) {
  if (fanouts.empty() || hops() > kMostHops) {
    throw Failure(FRUGAL_UNSUPPORTED, "it samples 1 to " + std::to_string(kMostHops) +
                                          " hops, not " + std::to_string(hops()));
  }
  for (const std::uint32_t fanout : fanouts) {
    if (fanout == 0) throw Failure(FRUGAL_UNSUPPORTED, "it has no fanouts of 0");
    const bool is_long = fanout > kSearchedDraws && fanout != kAllNeighbors;
    long_draws = long_draws || (method == DrawMethod::uniform && is_long);
  }
}

SampleRoom SampleShape::expected(std::uint64_t edges) const {
  SampleRoom room{std::min<std::uint64_t>(batch_size, most_nodes), 0, 0};
  for (const std::uint64_t fanout : fanouts) {
    room.offsets += room.nodes + 1;
    const std::uint64_t drawn = std::min(edges, room.nodes * fanout);
    room.edges = std::min(edges, room.edges + drawn);
    room.nodes = std::min(room.nodes + drawn, most_nodes);
  }
  return room;
}

std::uint64_t SampleShape::num_offsets(const SampleCounts& counts) const {
  if (!anew) return counts.known[hops() - 1] + 1;
  std::uint64_t n = 0;
  for (std::uint32_t h = 0; h < hops(); ++h) n += counts.known[h] + 1;
  return n;
}

void lay_out_batch(Workspace& room, const SampleRoom& sizes, const SampleShape& shape, bool picks,
                   SampledBatch& to) {
  to.nodes = room.take<std::uint32_t>(sizes.nodes);
  to.roots = shape.trees ? room.take<std::uint32_t>(sizes.nodes) : nullptr;
  to.offsets = room.take<std::uint32_t>(sizes.offsets);
  to.neighbors = room.take<std::uint32_t>(sizes.edges);
  to.places = room.take<std::uint32_t>(shape.batch_size);
  if (picks) to.picks = room.take<std::uint64_t>(sizes.edges);
}

void lay_out_work(Workspace& room, const SampleRoom& sizes, const SampleShape& shape,
                  SampleWork& to) {
  std::uint64_t slots = 64;
  while (slots < sizes.nodes + sizes.nodes / 2) slots *= 2;
  to.table.keys = room.take<std::uint64_t>(slots);
  to.table.numbers = room.take<std::uint32_t>(slots);
  to.table.mask = static_cast<std::uint32_t>(slots - 1);
  const std::uint64_t met = std::max<std::uint64_t>(sizes.edges, shape.batch_size);
  const std::uint64_t summed = std::max(met, sizes.offsets);
  to.slots = room.take<std::uint32_t>(met);
  to.within = room.take<std::uint32_t>(summed);
  to.sizes = room.take<std::uint32_t>(sizes.offsets);
  to.takes = room.take<std::uint32_t>(sizes.offsets);
  to.long_draws = shape.long_draws ? room.take<std::uint32_t>(4 * sizes.edges) : nullptr;
  to.sums = room.take<std::uint64_t>(summed / kChunk + 1);
}

void SampleSlot::prepare(const SampleShape& shape, bool times_too, Room& room) {
  seeds = room.take<std::uint32_t>(shape.batch_size);
  times = room.take<double>(times_too ? shape.batch_size : 0);
  device_counts = room.take<SampleCounts>(1);
  if (room.counts_only()) return;
  given_seeds = PinnedArray<std::uint32_t>(shape.batch_size);
  given_times = PinnedArray<double>(times_too ? shape.batch_size : 0);
  counts = PinnedArray<SampleCounts>(1);
}

void SampleSlot::make_room(const SampleRoom& sizes, const SampleShape& shape) {
  Workspace on_device(nullptr), on_host(nullptr);
  lay_out_batch(on_device, sizes, shape, true, device);
  lay_out_batch(on_host, sizes, shape, shape.positions, host);
  block = {};
  pinned = {};
  block = DeviceArray<char>(on_device.bytes());
  pinned = PinnedArray<char>(on_host.bytes());
  Workspace in_block(block.data()), in_pinned(pinned.data());
  lay_out_batch(in_block, sizes, shape, true, device);
  lay_out_batch(in_pinned, sizes, shape, shape.positions, host);
}

void SampleSlot::make_room_for_hidden(std::uint64_t n) {
  if (n <= hidden.size()) return;
  hidden = {};
  given_hidden = {};
  hidden = DeviceArray<std::uint64_t>(n + n / 8);
  given_hidden = PinnedArray<std::uint64_t>(n + n / 8);
}

void SampleSlot::bring_back(const SampleShape& shape, const Stream& copies) {
  const SampleCounts& c = *counts.data();
  const std::uint64_t nodes = c.known[shape.hops()], edges = c.edges[shape.hops()];
  copies.copy(host.nodes, device.nodes, nodes);
  if (shape.trees) copies.copy(host.roots, device.roots, nodes);
  copies.copy(host.offsets, device.offsets, shape.num_offsets(c));
  copies.copy(host.neighbors, device.neighbors, edges);
  if (shape.positions) copies.copy(host.picks, device.picks, edges);
  copies.copy(host.places, device.places, device.num_seeds);
  fetched.record(copies);
  coming = true;
}

}  // namespace frugal::cuda
