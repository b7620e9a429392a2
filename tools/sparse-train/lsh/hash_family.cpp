#include "tools/sparse-train/lsh/hash_family.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/kernels/gemm.h"
#include "tools/sparse-train/lsh/bin_hash.h"

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

}  // namespace frugal::sparse
