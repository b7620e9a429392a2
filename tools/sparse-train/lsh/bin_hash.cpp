#include "tools/sparse-train/lsh/bin_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "libcore/base/rng.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kLanes = 16;  ///< vectors hashed side by side
constexpr std::uint32_t kMostAttempts = 64;
/// What a vector without any coordinate that counts gets.
constexpr std::uint32_t kNothing = kMostAttempts + 1;

}  // namespace

/// Up to kLanes vectors, the values of a coordinate side by side.
struct BinHash::Block {
  const float* values = nullptr;  ///< [dim, kLanes]
  float least[kLanes] = {};       ///< minhash: the smallest value that counts
  float at(std::size_t coordinate, std::size_t lane) const {
    return values[coordinate * kLanes + lane];
  }
};

BinHash::BinHash(const HashOptions& options, std::size_t dim)
    : HashFamily(options, dim),
      bin_(static_cast<std::uint32_t>(std::min<std::size_t>(options.bin, dim))),
      value_bits_(std::max(1U, static_cast<std::uint32_t>(std::bit_width(bin_ - 1)))),
      table_bins_(options.functions),
      borrow_key_(options.tables) {
  if (options.kind != HashKind::wta) {
    const auto in_permutation = static_cast<std::uint32_t>(dim / bin_);
    table_bins_ = (options.functions + in_permutation - 1) / in_permutation * in_permutation;
  }
  bins_.resize(std::size_t{options.tables} * table_bins_ * bin_);
  redraw_all();
}

void BinHash::redraw(std::uint32_t table, std::uint64_t generation) {
  const std::uint64_t stream = hash_combine(generation, table);
  borrow_key_[table] = hash_combine(options_.seed, stream);
  const std::size_t in_permutation = options_.kind == HashKind::wta ? 1 : dim_ / bin_;
  std::vector<std::uint32_t> order(dim_);
  for (std::size_t first = 0; first < table_bins_; first += in_permutation) {
    std::iota(order.begin(), order.end(), 0U);
    shuffle(order.data(), order.size(), Rng(options_.seed, hash_combine(stream, first)));
    std::copy_n(order.begin(), in_permutation * bin_,
                bins_.begin() +
                    static_cast<std::ptrdiff_t>((std::size_t{table} * table_bins_ + first) * bin_));
  }
}

void BinHash::hash(MatrixView<const float> x, std::uint32_t begin, std::uint32_t end,
                   std::uint32_t* out) const {
  thread_local std::vector<float> values;
  values.resize(dim_ * kLanes);
  const std::uint32_t functions = options_.functions;
  std::int32_t place[kLanes];
  Block block;
  for (std::size_t first = 0; first < x.rows; first += kLanes) {
    const std::size_t count = std::min(kLanes, x.rows - first);
    for (std::size_t c = 0; c < dim_; ++c) {
      for (std::size_t i = 0; i < count; ++i) values[c * kLanes + i] = x.row(first + i)[c];
    }
    block.values = values.data();
    if (options_.kind == HashKind::minhash) find_least(block);
    for (std::uint32_t t = begin; t < end; ++t) {
      for (std::uint32_t j = 0; j < functions; ++j) {
        hash_bin(block, bin_of(t, j), place);
        std::uint32_t* value = out + (first * (end - begin) + t - begin) * functions + j;
        for (std::size_t i = 0; i < count; ++i, value += std::size_t{end - begin} * functions) {
          *value = place[i] >= 0 ? static_cast<std::uint32_t>(place[i]) : borrow(block, i, t, j);
        }
      }
    }
  }
}

/// The `top`-th largest value of each vector, but more than 0.
void BinHash::find_least(Block& block) const {
  thread_local std::vector<float> sorted;
  sorted.resize(dim_);
  const std::size_t rank = std::min<std::size_t>(options_.top, dim_) - 1;
  for (std::size_t i = 0; i < kLanes; ++i) {
    for (std::size_t c = 0; c < dim_; ++c) sorted[c] = block.at(c, i);
    const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(sorted.begin(), nth, sorted.end(), std::greater<>());
    block.least[i] = std::max(*nth, std::numeric_limits<float>::min());
  }
}

/// place[kLanes] in the bin, -1 where no coordinate counts. Lanes that hold no vector get anything.
void BinHash::hash_bin(const Block& block, const std::uint32_t* bin, std::int32_t* place) const {
  const auto lanes_of = [&](std::uint32_t p) { return block.values + bin[p] * kLanes; };
  std::fill_n(place, kLanes, -1);
  if (options_.kind == HashKind::minhash) {
    for (std::uint32_t p = bin_; p-- > 0;) {
      const float* v = lanes_of(p);
      for (std::size_t i = 0; i < kLanes; ++i) {
        place[i] = v[i] >= block.least[i] ? static_cast<std::int32_t>(p) : place[i];
      }
    }
    return;
  }
  float best[kLanes];
  std::fill_n(best, kLanes, -std::numeric_limits<float>::infinity());
  const bool skip_zero = options_.kind == HashKind::dwta;
  for (std::uint32_t p = 0; p < bin_; ++p) {
    const float* v = lanes_of(p);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const float candidate =
          skip_zero && v[i] == 0 ? -std::numeric_limits<float>::infinity() : v[i];
      place[i] = candidate > best[i] ? static_cast<std::int32_t>(p) : place[i];
      best[i] = candidate > best[i] ? candidate : best[i];
    }
  }
}

/// The same for one vector.
std::int32_t BinHash::place_in(const Block& block, std::size_t lane,
                               const std::uint32_t* bin) const {
  std::int32_t place = -1;
  float best = -std::numeric_limits<float>::infinity();
  for (std::uint32_t p = 0; p < bin_; ++p) {
    const float v = block.at(bin[p], lane);
    if (options_.kind == HashKind::minhash) {
      if (v >= block.least[lane]) return static_cast<std::int32_t>(p);
    } else if (v > best && (v != 0 || options_.kind != HashKind::dwta)) {
      place = static_cast<std::int32_t>(p);
      best = v;
    }
  }
  return place;
}

std::uint32_t BinHash::borrow(const Block& block, std::size_t lane, std::uint32_t table,
                              std::uint32_t index) const {
  for (std::uint32_t attempt = 1; attempt <= kMostAttempts; ++attempt) {
    const std::uint64_t key = hash_combine(borrow_key_[table], hash_combine(index, attempt));
    const auto other = static_cast<std::uint32_t>(hash_to_range(key, table_bins_));
    const std::int32_t place = place_in(block, lane, bin_of(table, other));
    if (place >= 0) return attempt << value_bits_ | static_cast<std::uint32_t>(place);
  }
  return kNothing << value_bits_;
}

}  // namespace frugal::sparse
