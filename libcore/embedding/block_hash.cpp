#include "libcore/embedding/block_hash.h"

#include <algorithm>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

constexpr std::array<std::string_view, 4> kHashNames = {"golden", "paper", "robe2021", "robe2022"};

/// Rows of several samples that are hashed in one loop, at most.
constexpr std::size_t kHashedTogether = 512;

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;
/// The published codes: their modulus, the 10^8th prime, and the first draws below it of numpy's
/// RandomState(1024).
constexpr std::uint64_t kPublishedPrime = 2038074743;
constexpr std::uint64_t kR1 = 634329019, kR2 = 1825252241, kR3 = 871205356;
/// The paper asks for a prime above all inputs; rows and coefficients below 2^31 - 1 are enough for
/// every table that a model has.
constexpr std::uint64_t kPaperPrime = 2147483647;

std::uint64_t max_size() { return std::numeric_limits<std::uint32_t>::max(); }

/// Starts, or aligned places, in an array of `size` numbers; 0 where it is too small.
std::uint64_t num_places(const BlockHashOptions& o, std::uint64_t size) {
  if (size < o.block) return 0;
  if (o.aligned) return size / o.block;
  switch (o.family) {
    case HashFamily::paper: return size;
    case HashFamily::robe2022: return size - o.block;
    case HashFamily::golden:
    case HashFamily::robe2021: break;
  }
  return size - o.block + 1;
}

}  // namespace

std::vector<std::string> hash_family_names() { return {kHashNames.begin(), kHashNames.end()}; }

HashFamily hash_family_from_name(std::string_view name) {
  const auto found = std::find(kHashNames.begin(), kHashNames.end(), name);
  if (found == kHashNames.end()) {
    fail(ExitStatus::usage, "unknown hash '", printable(name), "', expected one of ",
         joined(hash_family_names()));
  }
  return static_cast<HashFamily>(found - kHashNames.begin());
}

std::string_view hash_family_name(HashFamily family) {
  return kHashNames[static_cast<std::size_t>(family)];
}

void check_hash_options(const BlockHashOptions& o, std::size_t dim) {
  if (o.block > dim) {
    fail(ExitStatus::usage, "blocks of ", o.block, " numbers, expected at most the ", dim,
         " of a row");
  }
  if (o.aligned && o.family != HashFamily::golden) {
    fail(ExitStatus::usage, "aligned blocks need the hash golden, not ",
         hash_family_name(o.family));
  }
}

BlockHash::BlockHash(const TableSet& tables, const BlockHashOptions& options, std::uint64_t size)
    : tables_(tables), options_(options), size_(size) {
  check_hash_options(options, tables.dim());
  if (options_.block == 0) options_.block = tables.dim();
  if (options_.family == HashFamily::paper) options_.sign = true;
  blocks_per_row_ = (tables.dim() + options_.block - 1) / options_.block;
  range_ = num_places(options_, size);
  if (range_ == 0 || size > max_size()) {
    fail(ExitStatus::usage, "an array of ", size, " numbers for blocks of ", options_.block,
         ", expected ", options_.block + (options_.family == HashFamily::robe2022 ? 1 : 0), " to ",
         max_size(), size > max_size() ? "; ids that are no small numbers are for --ids hash" : "");
  }
  if (options_.seed != 0) offset_ = mix64(options_.seed);
  if (options_.aligned) scale_ = options_.block;
  step_ = blocks_per_row_ * kGolden;
  const std::size_t together =
      std::max<std::size_t>(1, kHashedTogether / std::max<std::size_t>(1, tables.size()));
  for (std::size_t i = 0; i < together * tables.size(); ++i) {
    offsets_.push_back(tables.first_row(i % tables.size()) * step_ + offset_);
  }
  Rng rng(options_.seed);
  for (std::uint64_t& c : coefficients_) c = 1 + rng.below(kPaperPrime - 1);
}

template <class Body>
void BlockHash::with_family(const Body& body) const {
  switch (options_.family) {
    case HashFamily::golden: return body.template operator()<HashFamily::golden>();
    case HashFamily::paper: return body.template operator()<HashFamily::paper>();
    case HashFamily::robe2021: return body.template operator()<HashFamily::robe2021>();
    case HashFamily::robe2022: return body.template operator()<HashFamily::robe2022>();
  }
}

template <HashFamily Family, class Put>
inline void BlockHash::hash_row(std::size_t table, std::uint32_t row, const Put& put) const {
  const std::uint64_t v = tables_.first_row(table) + row;
  if constexpr (Family == HashFamily::golden) {
    std::uint64_t product = v * step_ + offset_;
    for (std::size_t c = 0; c < blocks_per_row_; ++c, product += kGolden) {
      put(hash_to_range(product, range_) * scale_);
    }
  } else if constexpr (Family == HashFamily::paper) {
    const auto& a = coefficients_;
    std::uint64_t sum = (a[0] * table + a[1] * (row % kPaperPrime) % kPaperPrime + a[3]);
    for (std::size_t c = 0; c < blocks_per_row_; ++c, sum += a[2]) {
      put(sum % kPaperPrime % range_);
    }
  } else {
    constexpr bool kFirst = Family == HashFamily::robe2021;
    std::uint64_t sum = v % kPublishedPrime * (kFirst ? kR3 : kR1) + (kFirst ? kR1 : kR2 + kR3);
    for (std::size_t c = 0; c < blocks_per_row_; ++c, sum += kR2) {
      put(sum % kPublishedPrime % range_);
    }
  }
}

/// Rows of one block each, several at a time.
void BlockHash::spread(const std::uint64_t* offsets, std::uint64_t offset,
                       const std::uint32_t* rows, std::size_t n, std::uint32_t* starts) const {
  kernels().spread_rows({.offsets = offsets,
                         .rows = rows,
                         .n = n,
                         .step = step_,
                         .offset = offset,
                         .range = static_cast<std::uint32_t>(range_),
                         .scale = static_cast<std::uint32_t>(scale_),
                         .places = starts});
}

void BlockHash::starts_of_sample(const std::uint32_t* rows, std::uint32_t* starts) const {
  if (is_golden_row()) return spread(offsets_.data(), 0, rows, tables_.size(), starts);
  with_family([&]<HashFamily Family>() {
    std::uint32_t* out = starts;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      hash_row<Family>(t, rows[t],
                       [&](std::uint64_t s) { *out++ = static_cast<std::uint32_t>(s); });
    }
  });
}

void BlockHash::starts_of_samples(MatrixView<const std::uint32_t> rows,
                                  std::uint32_t* starts) const {
  const std::size_t fields = tables_.size();
  const bool in_one = is_golden_row() && rows.stride == fields && fields != 0;
  const std::size_t together = in_one ? offsets_.size() / fields : 1;
  for (std::size_t i = 0; i < rows.rows; i += together) {
    std::uint32_t* const to = starts + i * fields * blocks_per_row_;
    if (in_one) {
      spread(offsets_.data(), 0, rows.row(i), std::min(together, rows.rows - i) * fields, to);
    } else {
      starts_of_sample(rows.row(i), to);
    }
  }
}

void BlockHash::starts_of_rows(std::size_t table, const std::uint32_t* rows, std::size_t n,
                               std::uint32_t* starts) const {
  if (is_golden_row()) {
    return spread(nullptr, tables_.first_row(table) * step_ + offset_, rows, n, starts);
  }
  with_family([&]<HashFamily Family>() {
    std::uint32_t* out = starts;
    for (std::size_t j = 0; j < n; ++j) {
      hash_row<Family>(table, rows[j],
                       [&](std::uint64_t s) { *out++ = static_cast<std::uint32_t>(s); });
    }
  });
}

std::array<std::uint64_t, 14> BlockHash::numbers() const {
  std::array<std::uint64_t, 14> all{
      static_cast<std::uint64_t>(options_.family), step_, offset_, range_, scale_, options_.sign};
  std::copy(coefficients_.begin(), coefficients_.end(), all.end() - 8);
  return all;
}

float BlockHash::sign(std::size_t table, std::uint32_t row, std::size_t i) const {
  if (!options_.sign) return 1;
  if (options_.family == HashFamily::paper) {
    const auto& a = coefficients_;
    const std::uint64_t sum =
        a[4] * table + a[5] * (row % kPaperPrime) % kPaperPrime + a[6] * i + a[7];
    return sum % kPaperPrime % 2 == 1 ? 1.0F : -1.0F;
  }
  const std::uint64_t block =
      (tables_.first_row(table) + row) * blocks_per_row_ + i / options_.block;
  return mix64(block + offset_) >> 63 != 0 ? -1.0F : 1.0F;
}

}  // namespace frugal
