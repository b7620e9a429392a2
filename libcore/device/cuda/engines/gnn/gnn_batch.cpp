#include "libcore/device/cuda/engines/gnn/gnn_batch.h"

#include <algorithm>
#include <vector>

namespace frugal::cuda {
namespace {

std::string of_block(const char* name, std::uint32_t block) {
  return name + ("." + std::to_string(block));
}

std::uint32_t size_of(const frugal_array* batch, std::size_t n, const std::string& name) {
  const std::uint64_t size = array_size(find_array(batch, n, name));
  if (size < 0xffffffffU) return static_cast<std::uint32_t>(size);
  throw Failure(FRUGAL_BAD_ARGUMENT, "batch array '" + name + "' is too large");
}

template <class Visit>
void for_each_size(GnnSizes& a, const GnnSizes& b, const Visit& visit) {
  visit(a.pairs, b.pairs);
  for (std::uint32_t k = 0; k < kMostBlocks; ++k) {
    visit(a.targets[k], b.targets[k]);
    visit(a.sources[k], b.sources[k]);
    visit(a.edges[k], b.edges[k]);
  }
}

/// Kernels read and write where these say.
void check_block(const GnnSizes& s, std::uint32_t k, const std::uint32_t* offsets,
                 const std::uint32_t* neighbors) {
  bool sound = s.targets[k] <= s.sources[k] && offsets[s.targets[k]] - offsets[0] == s.edges[k];
  if (k != 0) sound = sound && s.sources[k] == s.targets[k - 1];
  for (std::uint32_t t = 0; t < s.targets[k]; ++t) sound = sound && offsets[t] <= offsets[t + 1];
  for (std::uint32_t e = 0; e < s.edges[k]; ++e) sound = sound && neighbors[e] < s.sources[k];
  if (sound) return;
  throw Failure(FRUGAL_BAD_ARGUMENT,
                "block " + std::to_string(k) + " of the batch does not go together");
}

/// Lists of the sides of pairs that each row is.
void list_sides(const GnnSizes& sizes, std::uint32_t rows, GnnArrays& to) {
  std::fill_n(to.pair_offsets, rows + 1, 0U);
  const std::uint32_t sides = 2 * sizes.pairs;
  for (std::uint32_t i = 0; i < sides; ++i) {
    if (to.sides[i] >= rows) {
      throw Failure(FRUGAL_BAD_ARGUMENT, "a pair's row is none of the batch's seeds");
    }
    ++to.pair_offsets[to.sides[i] + 1];
  }
  for (std::uint32_t r = 0; r < rows; ++r) to.pair_offsets[r + 1] += to.pair_offsets[r];
  std::vector<std::uint32_t> places(to.pair_offsets, to.pair_offsets + rows);
  for (std::uint32_t pair = 0; pair < sizes.pairs; ++pair) {
    for (const std::uint32_t side : {pair, pair + sizes.pairs}) {
      to.pair_entries[places[to.sides[side]]++] = side;
    }
  }
}

GnnLoss loss_of(const std::string& name) {
  if (name == "classes") return GnnLoss::classes;
  if (name == "labels") return GnnLoss::labels;
  if (name == "links") return GnnLoss::links;
  throw Failure(FRUGAL_UNSUPPORTED, "it has no loss " + name);
}

}  // namespace

GnnBatchShape::GnnBatchShape(const Settings& settings)
    : blocks(static_cast<std::uint32_t>(settings.number("layers"))),
      batch_size(static_cast<std::uint32_t>(settings.number("batch_size"))),
      classes(static_cast<std::uint32_t>(settings.number("outputs"))),
      loss(loss_of(settings.text("loss"))),
      degrees(settings.text("architecture") == "gcn"),
      row_bytes(settings.number("row_bytes")) {
  if (blocks == 0 || blocks > kMostBlocks) {
    throw Failure(FRUGAL_UNSUPPORTED, "it has networks of 1 to " + std::to_string(kMostBlocks) +
                                          " layers, not of " + std::to_string(blocks));
  }
}

GnnSizes GnnSizes::of(const frugal_array* batch, std::size_t n, const GnnBatchShape& shape) {
  GnnSizes s;
  const auto* sources = static_cast<const std::uint32_t*>(
      batch_array(batch, n, "sources", FRUGAL_U32, shape.blocks).data);
  for (std::uint32_t k = 0; k < shape.blocks; ++k) {
    const frugal_array& offsets = find_array(batch, n, of_block("offsets", k));
    const frugal_array& neighbors = find_array(batch, n, of_block("neighbors", k));
    const std::uint32_t ends = size_of(batch, n, offsets.name);
    if (ends < 2) throw Failure(FRUGAL_BAD_ARGUMENT, "the batch has a block without targets");
    s.targets[k] = ends - 1;
    s.sources[k] = sources[k];
    s.edges[k] = size_of(batch, n, neighbors.name);
    check_block(s, k, static_cast<const std::uint32_t*>(offsets.data),
                static_cast<const std::uint32_t*>(neighbors.data));
  }
  if (shape.loss == GnnLoss::links) s.pairs = size_of(batch, n, "pairs") / 2;
  return s;
}

GnnSizes GnnSizes::expected(const Settings& settings, const GnnBatchShape& shape) {
  GnnSizes s;
  const auto fill = [&](const char* name, std::uint32_t* to) {
    const std::vector<std::uint32_t> sizes = settings.sizes(name);
    if (sizes.size() != shape.blocks) {
      throw Failure(FRUGAL_BAD_ARGUMENT, std::string("setting '") + name + "' has " +
                                             std::to_string(sizes.size()) + " sizes, expected " +
                                             std::to_string(shape.blocks));
    }
    std::copy(sizes.begin(), sizes.end(), to);
  };
  fill("targets", s.targets);
  fill("sources", s.sources);
  fill("edges", s.edges);
  s.pairs = shape.loss == GnnLoss::links ? shape.batch_size : 0;
  return s;
}

bool GnnSizes::fits(const GnnSizes& room) const {
  bool fits = true;
  GnnSizes mine = *this;
  for_each_size(mine, room, [&](std::uint32_t& a, std::uint32_t b) { fits = fits && a <= b; });
  return fits;
}

void GnnSizes::grow(const GnnSizes& more) {
  constexpr std::uint32_t kSpare = 8;  // an eighth
  constexpr std::uint32_t kWhole = 16;
  for_each_size(*this, more, [](std::uint32_t& a, std::uint32_t b) {
    if (b > a) a = (b + b / kSpare + kWhole - 1) / kWhole * kWhole;
  });
}

void GnnArrays::lay_out(Workspace& room, const GnnSizes& sizes, const GnnBatchShape& shape) {
  values = room.take<StepValues>(1);
  targets = room.take<std::uint32_t>(shape.blocks);
  sources = room.take<std::uint32_t>(shape.blocks);
  for (std::uint32_t k = 0; k < shape.blocks; ++k) {
    offsets[k] = room.take<std::uint32_t>(std::uint64_t{sizes.targets[k]} + 1);
    neighbors[k] = room.take<std::uint32_t>(sizes.edges[k]);
  }
  const std::uint64_t all = sizes.sources[0], seeds = sizes.targets[shape.blocks - 1];
  nodes = room.take<std::uint32_t>(shape.row_bytes == 0 ? all : 0);
  degrees = room.take<std::uint32_t>(shape.degrees ? all : 0);
  rows = room.take<char>(all * shape.row_bytes);
  labels = room.take<std::int32_t>(shape.loss == GnnLoss::classes ? seeds : 0);
  label_rows = room.take<std::uint8_t>(shape.loss == GnnLoss::labels ? seeds * shape.classes : 0);
  const bool links = shape.loss == GnnLoss::links;
  sides = room.take<std::uint32_t>(2 * std::uint64_t{sizes.pairs});
  pair_entries = room.take<std::uint32_t>(2 * std::uint64_t{sizes.pairs});
  pair_offsets = room.take<std::uint32_t>(links ? seeds + 1 : 0);
}

GnnFacts fill_gnn_batch(const frugal_array* batch, std::size_t n, const GnnBatchShape& shape,
                        const GnnSizes& sizes, GnnArrays& to) {
  const auto bring = [&](const std::string& name, frugal_type type, auto* place,
                         std::uint64_t size) {
    const frugal_array& from = batch_array(batch, n, name.c_str(), type, size);
    if (size != 0) std::memcpy(place, from.data, size * type_bytes(type));
  };
  std::copy_n(sizes.targets, shape.blocks, to.targets);
  std::copy_n(sizes.sources, shape.blocks, to.sources);
  for (std::uint32_t k = 0; k < shape.blocks; ++k) {
    bring(of_block("offsets", k), FRUGAL_U32, to.offsets[k], std::uint64_t{sizes.targets[k]} + 1);
    const std::uint32_t first = to.offsets[k][0];
    for (std::uint32_t t = 0; t <= sizes.targets[k]; ++t) to.offsets[k][t] -= first;
    bring(of_block("neighbors", k), FRUGAL_U32, to.neighbors[k], sizes.edges[k]);
  }
  const std::uint64_t all = sizes.sources[0];
  const std::uint32_t seeds = sizes.targets[shape.blocks - 1];
  if (shape.row_bytes == 0) bring("nodes", FRUGAL_U32, to.nodes, all);
  if (shape.degrees) bring("degrees", FRUGAL_U32, to.degrees, all);
  if (shape.row_bytes != 0) bring("rows", FRUGAL_U8, to.rows, all * shape.row_bytes);
  GnnFacts facts;
  if (shape.loss == GnnLoss::labels) {
    bring("label_rows", FRUGAL_U8, to.label_rows, std::uint64_t{seeds} * shape.classes);
  } else if (shape.loss == GnnLoss::classes) {
    bring("labels", FRUGAL_I32, to.labels, seeds);
    for (std::uint32_t s = 0; s < seeds; ++s) {
      if (to.labels[s] >= 0) ++facts.labelled;
      if (to.labels[s] < static_cast<std::int64_t>(shape.classes)) continue;
      throw Failure(FRUGAL_BAD_ARGUMENT, "a label is none of the classes");
    }
  } else {
    bring("pairs", FRUGAL_U32, to.sides, 2 * std::uint64_t{sizes.pairs});
    const frugal_array& links = batch_array(batch, n, "links", FRUGAL_U32, 1);
    facts.links = *static_cast<const std::uint32_t*>(links.data);
    list_sides(sizes, seeds, to);
  }
  return facts;
}

}  // namespace frugal::cuda
