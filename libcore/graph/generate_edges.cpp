#include "libcore/graph/generate_edges.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 22;
constexpr std::uint64_t kStream = 0x65646765;  ///< of all draws here
constexpr int kDraws = 4;                      ///< an edge

struct Places {
  std::uint64_t source = 0, target = 0;
};

double unit(std::uint64_t draw) { return static_cast<double>(draw >> 11) * 0x1p-53; }

/// Fills chunks with draw(number of the edge).
template <class Draw>
EdgeList make_edges(std::uint64_t edges, const PlantedClasses& nodes, const EdgeProgress& progress,
                    const Draw& draw) {
  EdgeList list;
  list.num_nodes = nodes.nodes();
  list.chunks.resize((edges + kChunk - 1) / kChunk);
  std::atomic<std::uint64_t> done{0};
  parallel_for(list.chunks.size(), 1, [&](std::size_t c) {
    EdgeChunk& chunk = list.chunks[c];
    const std::uint64_t first = c * kChunk;
    const std::size_t size = std::min<std::uint64_t>(kChunk, edges - first);
    chunk.sources.resize(size);
    chunk.targets.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const Places edge = draw(first + i);
      chunk.sources[i] = nodes.id(edge.source);
      chunk.targets[i] = nodes.id(edge.target);
    }
    progress(done.fetch_add(size) + size);
  });
  return list;
}

/// The place of class `to` that lies as far into it as `place` into its class.
std::uint64_t moved_to_class(const PlantedClasses& nodes, std::uint64_t place, std::uint64_t to) {
  const std::uint64_t from = nodes.class_at(place);
  const std::uint64_t offset = place - nodes.begin(from);
  return nodes.begin(to) + offset * nodes.size(to) / nodes.size(from);
}

/// Draws six levels of the recursive matrix at a time: a cell of 64 by 64, by the alias method.
class CellTable {
 public:
  static constexpr int kLevels = 6;
  static constexpr std::uint32_t kCells = 1 << (2 * kLevels);

  explicit CellTable(const RmatShares& shares) : entries_(kCells) {
    AliasBuilder builder;
    for (std::uint32_t cell = 0; cell < kCells; ++cell) {
      builder.shares.push_back(probability(shares, cell) * kCells);
    }
    builder.pair_up(
        [&](std::uint32_t cell, double share, std::uint32_t other) { set(cell, share, other); });
    for (const std::uint32_t cell : builder.small) set(cell, 1, cell);
    for (const std::uint32_t cell : builder.large) set(cell, 1, cell);
  }

  /// The cell for 32 random bits: source bits above target bits, kLevels each.
  std::uint32_t cell(std::uint32_t random) const {
    const std::uint32_t index = random >> kFractionBits;
    const Entry& entry = entries_[index];
    return (random & ((1U << kFractionBits) - 1)) < entry.limit ? index : entry.other;
  }

 private:
  static constexpr int kFractionBits = 32 - 2 * kLevels;
  struct Entry {
    std::uint32_t limit = 0, other = 0;
  };

  static double probability(const RmatShares& shares, std::uint32_t cell) {
    double p = 1;
    for (int level = 0; level < kLevels; ++level) {
      const bool source = (cell >> (kLevels + level) & 1) != 0, target = (cell >> level & 1) != 0;
      p *= source ? (target ? shares.d : shares.c) : (target ? shares.b : shares.a);
    }
    return p;
  }
  void set(std::uint32_t cell, double share, std::uint32_t other) {
    entries_[cell] = {static_cast<std::uint32_t>(std::lround(share * (1 << kFractionBits))), other};
  }

  std::vector<Entry> entries_;
};

void check(const RmatShares& s) {
  const double sum = s.a + s.b + s.c + s.d;
  if (s.a >= 0 && s.b >= 0 && s.c >= 0 && s.d >= 0 && std::abs(sum - 1) < 1e-6) return;
  fail(ExitStatus::usage, "the shares of the quadrants are ", s.a, ", ", s.b, ", ", s.c, ", ", s.d,
       ", expected four that sum to 1");
}

void check_homophily(double homophily) {
  if (homophily >= 0 && homophily <= 1) return;
  fail(ExitStatus::usage, "homophily is ", homophily, ", expected 0 to 1");
}

}  // namespace

EdgeList rmat_edges(const RmatOptions& options, const PlantedClasses& nodes,
                    const EdgeProgress& progress) {
  check(options.shares);
  check_homophily(options.homophily);
  const CellTable table(options.shares);
  const Rng rng(options.seed, kStream);
  const int levels = static_cast<int>(std::bit_width(nodes.nodes() - 1));
  const int groups = std::max(1, (levels + CellTable::kLevels - 1) / CellTable::kLevels);
  const int bits = groups * CellTable::kLevels;
  const auto stretched = [&](std::uint64_t x) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(x) * nodes.nodes() >> bits);
  };
  return make_edges(options.edges, nodes, progress, [&](std::uint64_t e) {
    Places edge;
    std::uint64_t random = 0;
    for (int g = 0; g < groups; ++g) {
      random = g % 2 == 0 ? rng.at(e * kDraws + static_cast<std::uint64_t>(g / 2)) : random >> 32;
      const std::uint32_t cell = table.cell(static_cast<std::uint32_t>(random));
      edge.source = edge.source << CellTable::kLevels | cell >> CellTable::kLevels;
      edge.target = edge.target << CellTable::kLevels | (cell & ((1U << CellTable::kLevels) - 1));
    }
    edge = {stretched(edge.source), stretched(edge.target)};
    if (options.homophily > 0 && unit(rng.at(e * kDraws + 3)) < options.homophily) {
      edge.target = moved_to_class(nodes, edge.target, nodes.class_at(edge.source));
    }
    return edge;
  });
}

EdgeList sbm_edges(const SbmOptions& options, const PlantedClasses& nodes,
                   const EdgeProgress& progress) {
  check_homophily(options.homophily);
  const double gamma = options.degree_exponent;
  if (gamma != 0 && !(gamma > 2 && std::isfinite(gamma))) {
    fail(ExitStatus::usage, "the exponent of the degrees is ", gamma,
         ", expected more than 2, or 0");
  }
  // The node at rank r has weight r^(-1 / (gamma - 1)): the inverse of its cumulative share.
  const double power = gamma == 0 ? 1 : (gamma - 1) / (gamma - 2);
  const Rng rng(options.seed, kStream);
  const auto inside = [&](std::uint64_t c, double u) {
    const auto size = static_cast<double>(nodes.size(c));
    return nodes.begin(c) +
           static_cast<std::uint64_t>(size * (power == 1 ? u : std::pow(u, power)));
  };
  const std::uint64_t classes = nodes.classes();
  return make_edges(options.edges, nodes, progress, [&](std::uint64_t e) {
    const std::uint64_t c = hash_to_range(rng.at(e * kDraws), classes);
    const double choice = unit(rng.at(e * kDraws + 3));
    std::uint64_t other = c;
    if (classes > 1 && choice >= options.homophily) {
      const double u = (choice - options.homophily) / (1 - options.homophily);
      const auto skip = static_cast<std::uint64_t>(u * static_cast<double>(classes - 1));
      other = (c + 1 + std::min(skip, classes - 2)) % classes;
    }
    return Places{inside(c, unit(rng.at(e * kDraws + 1))),
                  inside(other, unit(rng.at(e * kDraws + 2)))};
  });
}

}  // namespace frugal
