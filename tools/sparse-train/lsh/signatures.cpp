#include "tools/sparse-train/lsh/signatures.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kHashRows = 64;      ///< rows hashed at a time
constexpr std::size_t kScanRows = 4096;    ///< rows whose codes stay in the cache for all vectors
constexpr std::size_t kSampleRows = 1024;  ///< rows by which nearest() guesses how far to look

HashOptions one_table(HashKind kind, std::uint32_t bits, std::uint64_t seed) {
  HashOptions options;
  options.kind = kind;
  options.functions = bits;
  options.tables = 1;
  options.seed = seed;
  return options;
}

}  // namespace

Signatures::Signatures(HashKind kind, std::uint32_t bits, std::uint64_t seed, bool center,
                       std::size_t num_rows, std::size_t dim)
    : num_rows_(num_rows),
      bits_(bits),
      family_(make_hash_family(one_table(kind, bits, seed), dim)),
      center_(center, dim),
      codes_(words() * num_rows) {
  assert(family_->value_bits() == 1 && bits > 0 && bits <= kMostBits);
}

void Signatures::begin_rebuild(MatrixView<const float> rows) { center_.follow(rows, true); }

void Signatures::rebuild(MatrixView<const float> rows, std::size_t block) {
  thread_local std::vector<float> centred;
  centred.resize(kHashRows * rows.cols);
  const std::size_t end = std::min((block + 1) * kBlockRows, num_rows_);
  for (std::size_t first = block * kBlockRows; first < end; first += kHashRows) {
    const std::size_t count = std::min(kHashRows, end - first);
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(rows.row(first + i), rows.cols, centred.data() + i * rows.cols);
    }
    center_.subtract_from({centred.data(), count, rows.cols});
    hash({centred.data(), count, rows.cols}, codes_.data() + first, num_rows_);
  }
}

/// Word w of the code of row i at out[w * stride + i].
void Signatures::hash(MatrixView<const float> x, std::uint64_t* out, std::size_t stride) const {
  thread_local std::vector<std::uint32_t> signs;
  signs.resize(x.rows * bits_);
  family_->hash(x, 0, 1, signs.data());
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t w = 0; w < words(); ++w) {
      const std::uint32_t* sign = signs.data() + i * bits_ + w * 64;
      const std::size_t count = std::min<std::size_t>(64, bits_ - w * 64);
      std::uint64_t word = 0;
      for (std::size_t b = 0; b < count; ++b) word |= std::uint64_t{sign[b]} << b;
      out[w * stride + i] = word;
    }
  }
}

void Signatures::search(MatrixView<const float> x, std::uint32_t wanted, std::span<const Rng> order,
                        std::span<std::vector<std::uint32_t>> found) const {
  thread_local std::vector<std::uint64_t> codes, query;
  thread_local std::vector<std::uint16_t> distances;
  codes.resize(x.rows * words());
  query.resize(x.rows * words());
  distances.resize(x.rows * num_rows_);
  hash(x, codes.data(), x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t w = 0; w < words(); ++w) query[i * words() + w] = codes[w * x.rows + i];
  }
  for (std::size_t first = 0; first < num_rows_; first += kScanRows) {
    const BitCodes block{codes_.data() + first, num_rows_, words(),
                         std::min(kScanRows, num_rows_ - first)};
    for (std::size_t i = 0; i < x.rows; ++i) {
      kernels().bit_distances(block, query.data() + i * words(),
                              distances.data() + i * num_rows_ + first);
    }
  }
  for (std::size_t i = 0; i < x.rows; ++i) {
    nearest({distances.data() + i * num_rows_, num_rows_}, wanted, order[i], found[i]);
  }
}

namespace {

/// The largest distance d of which less than `rank` rows are nearer than d, by counts [distances].
std::uint32_t distance_of_rank(std::span<const std::uint32_t> counts, std::size_t rank) {
  std::size_t nearer = 0;
  std::uint32_t d = 0;
  for (; d + 1 < counts.size() && nearer + counts[d] < rank; ++d) nearer += counts[d];
  return d;
}

}  // namespace

/// A sample of the rows tells up to which distance about half as many rows again lie as are wanted;
/// only these are ranked. If the guess was too low, all are.
void Signatures::nearest(std::span<const std::uint16_t> distances, std::uint32_t wanted, Rng order,
                         std::vector<std::uint32_t>& found) const {
  found.clear();
  if (wanted == 0) return;
  thread_local std::vector<std::uint32_t> counts, near;
  near.resize(num_rows_);
  const auto count_all = [&](std::span<const std::uint32_t> rows) {
    counts.assign(bits_ + 1, 0);
    for (const std::uint32_t r : rows) ++counts[distances[r]];
  };
  const std::size_t step = std::max<std::size_t>(1, num_rows_ / kSampleRows);
  counts.assign(bits_ + 1, 0);
  for (std::size_t r = 0; r < num_rows_; r += step) ++counts[distances[r]];
  const std::uint32_t guess =
      step == 1 ? bits_ : distance_of_rank(counts, 3 * wanted / (2 * step) + 4);
  std::size_t size = kernels().select_at_most(distances.data(), num_rows_,
                                              static_cast<std::uint16_t>(guess), near.data());
  if (size < wanted) {
    size = num_rows_;
    std::iota(near.begin(), near.end(), 0U);
  }
  const std::span<const std::uint32_t> rows(near.data(), size);
  count_all(rows);
  const std::uint32_t cut = distance_of_rank(counts, wanted);
  std::size_t left = wanted;
  for (std::uint32_t d = 0; d < cut; ++d) left -= counts[d];
  const auto first = static_cast<std::uint32_t>(order.below(num_rows_));
  const auto middle = std::lower_bound(rows.begin(), rows.end(), first);
  const auto take = [&](std::span<const std::uint32_t> part) {
    for (const std::uint32_t r : part) {
      const std::uint32_t d = distances[r];
      if (d > cut || (d == cut && left == 0)) continue;
      left -= d == cut ? 1 : 0;
      found.push_back(r);
    }
  };
  take({middle, rows.end()});
  take({rows.begin(), middle});
}

void Signatures::save(Document& state) const {
  state.tensors.push_back(
      Tensor::copy_of<std::uint64_t>("lsh.signatures", {words(), num_rows_}, codes_));
  center_.save(state);
}

void Signatures::restore(const Document& state, const std::string& path) {
  const auto stored = state.at("lsh.signatures").as<std::uint64_t>();
  if (stored.size() != codes_.size()) {
    fail(ExitStatus::bad_input, path, ": tensor 'lsh.signatures' has ", stored.size(),
         " elements, expected ", codes_.size());
  }
  codes_.assign(stored.begin(), stored.end());
  center_.restore(state, path);
}

}  // namespace frugal::sparse
