#include "tools/sparse-train/lsh/hash_family.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/kernels/gemm.h"

namespace frugal::sparse {
namespace {

constexpr std::array<std::string_view, 5> kHashNames = {"simhash", "simhash-dense", "wta", "dwta",
                                                        "minhash"};
/// Rows hashed at a time: their values stay in the cache.
constexpr std::size_t kBlockRows = 64;

/// The code of `functions` values.
std::uint32_t join(const std::uint32_t* values, std::uint32_t functions, std::uint32_t bits,
                   std::uint32_t range_pow) {
  const std::uint32_t mask = (1U << bits) - 1;
  std::uint64_t code = 0, attempts = 0;
  const bool fits = functions * bits <= range_pow;
  for (std::uint32_t j = 0; j < functions; ++j) {
    code = fits ? code << bits | (values[j] & mask) : hash_combine(code, values[j] & mask);
    // Most vectors find all values at the first attempt and keep the plain code.
    if (values[j] > mask) attempts = hash_combine(attempts + j, values[j] >> bits);
  }
  code ^= attempts;
  return static_cast<std::uint32_t>(code & ((std::uint64_t{1} << range_pow) - 1));
}

}  // namespace

HashKind hash_from_name(std::string_view name) {
  const auto found = std::find(kHashNames.begin(), kHashNames.end(), name);
  if (found == kHashNames.end()) {
    fail(ExitStatus::usage, "unknown hash '", name,
         "', expected simhash, simhash-dense, wta, dwta or minhash");
  }
  return static_cast<HashKind>(found - kHashNames.begin());
}

std::string_view hash_name(HashKind kind) { return kHashNames[static_cast<std::size_t>(kind)]; }

std::unique_ptr<HashFamily> make_hash_family(const HashOptions& options, std::size_t dim) {
  assert(dim > 0 && options.functions > 0 && options.tables > 0);
  switch (options.kind) {
    case HashKind::simhash:
    case HashKind::simhash_dense: return std::make_unique<SignHash>(options, dim);
    default: return std::make_unique<BinHash>(options, dim);
  }
}

void hash_codes(const HashFamily& family, MatrixView<const float> x, std::uint32_t begin,
                std::uint32_t end, std::uint32_t range_pow, MatrixView<std::uint32_t> out) {
  const std::uint32_t functions = family.options().functions, tables = end - begin;
  thread_local std::vector<std::uint32_t> values;
  values.resize(std::min(x.rows, kBlockRows) * tables * functions);
  for (std::size_t first = 0; first < x.rows; first += kBlockRows) {
    const std::size_t last = std::min(first + kBlockRows, x.rows);
    family.hash(x.rows_between(first, last), begin, end, values.data());
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t* own = values.data() + (i - first) * tables * functions;
      for (std::uint32_t t = 0; t < tables; ++t) {
        out.row(t)[i] = join(own + t * functions, functions, family.value_bits(), range_pow);
      }
    }
  }
}

SignHash::SignHash(const HashOptions& options, std::size_t dim)
    : HashFamily(options, dim),
      directions_(std::size_t{options.tables} * options.functions * dim, uninitialized) {
  redraw_all();
}

void SignHash::redraw(std::uint32_t table, std::uint64_t generation) {
  const std::size_t size = options_.functions * dim_;
  float* direction = directions_.data() + table * size;
  Rng rng(options_.seed, hash_combine(generation, table));
  for (std::size_t i = 0; i < size; ++i) {
    const float sign = rng.below(2) == 0 ? -1.0F : 1.0F;
    const bool zero = options_.kind == HashKind::simhash && rng.below(3) != 0;
    direction[i] = zero ? 0 : sign;
  }
}

void SignHash::hash(MatrixView<const float> x, std::uint32_t begin, std::uint32_t end,
                    std::uint32_t* out) const {
  const std::size_t columns = std::size_t{end - begin} * options_.functions;
  thread_local Array<float> products;
  if (products.size() < x.rows * columns) products = Array<float>(x.rows * columns, uninitialized);
  const MatrixView<const float> directions(
      directions_.data() + std::size_t{begin} * options_.functions * dim_, columns, dim_);
  gemm(x, Transpose::no, directions, Transpose::yes, {products.data(), x.rows, columns});
  for (std::size_t i = 0; i < x.rows * columns; ++i) out[i] = products[i] >= 0 ? 1 : 0;
}

namespace {

constexpr std::size_t kLanes = 16;  ///< vectors hashed side by side
constexpr std::uint32_t kMostAttempts = 64;
/// Value for a vector without any counted coordinate.
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

/// Sets place, [kLanes], to each vector's position in the bin, or -1 if no coordinate counts.
/// Unused lanes get any value.
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

/// As hash_bin(), for one vector.
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
