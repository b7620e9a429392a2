#pragma once
/// Positions of embedding rows in their array. The formulas are those of libcore/embedding
/// (BlockHash, BlockEmbedding, FullEmbedding) and give the same integers.
#include <cstdint>

#include "libcore/device/cuda/kernels/random_bits.h"

namespace frugal::cuda {

/// Hash families, numbered as HashFamily; rows: uncompressed tables, row by row.
enum class Family : std::uint64_t { golden, paper, robe2021, robe2022, rows };

/// Constants of one hash (BlockHash::numbers()). The engine array "embedding.hash" has a row of
/// these for each copy.
struct HashNumbers {
  std::uint64_t family;
  std::uint64_t step, offset, range, scale;
  std::uint64_t has_signs;
  std::uint64_t coefficients[8];
};
inline constexpr std::size_t kHashNumbers = sizeof(HashNumbers) / sizeof(std::uint64_t);

/// Shape and hashes of the tables; all pointers are on the device.
struct TablePlaces {
  std::uint32_t fields, dim, block, blocks_per_row, copies;
  std::uint64_t hashed;            ///< numbers that blocks share; private rows follow
  std::uint64_t size;              ///< size of the array
  const std::uint64_t* first_row;  ///< [fields]
  const HashNumbers* hashes;       ///< [copies]
  const std::uint32_t* hot_runs;   ///< [fields, 3]: first row, count, number; or null
  const std::uint64_t* hot_keys;   ///< table << 32 | row, ascending; or null
  const std::uint32_t* hot_numbers;
  std::uint32_t num_hot;

  FRUGAL_BOTH std::uint32_t width() const { return fields * dim; }
  /// Blocks of a sample, over all copies and fields.
  FRUGAL_BOTH std::uint32_t blocks() const { return copies * fields * blocks_per_row; }
};

inline constexpr std::uint32_t kNotHot = 0xffffffffU;
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
inline constexpr std::uint64_t kPublishedPrime = 2038074743, kPaperPrime = 2147483647;
inline constexpr std::uint64_t kR1 = 634329019, kR2 = 1825252241, kR3 = 871205356;

/// Number of the row among the hot rows, which have private parameters, or kNotHot.
FRUGAL_DEVICE std::uint32_t find_hot(const TablePlaces& p, std::uint32_t table, std::uint32_t row) {
  if (p.num_hot == 0) return kNotHot;
  if (p.hot_runs != nullptr) {
    const std::uint32_t* run = p.hot_runs + table * 3;
    return row - run[0] < run[1] ? run[2] + (row - run[0]) : kNotHot;
  }
  const std::uint64_t key = static_cast<std::uint64_t>(table) << 32 | row;
  std::uint32_t low = 0, high = p.num_hot;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (p.hot_keys[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < p.num_hot && p.hot_keys[low] == key ? p.hot_numbers[low] : kNotHot;
}

/// Start of block c of a row that is not hot.
FRUGAL_DEVICE std::uint64_t hashed_start(const TablePlaces& p, const HashNumbers& h,
                                         std::uint32_t table, std::uint32_t row, std::uint32_t c) {
  const std::uint64_t v = p.first_row[table] + row;
  const std::uint64_t* a = h.coefficients;
  switch (static_cast<Family>(h.family)) {
    case Family::rows: return v * p.dim;
    case Family::golden: return __umul64hi(v * h.step + h.offset + c * kGolden, h.range) * h.scale;
    case Family::paper:
      return (a[0] * table + a[1] * (row % kPaperPrime) % kPaperPrime + a[3] + c * a[2]) %
             kPaperPrime % h.range;
    case Family::robe2021:
      return (v % kPublishedPrime * kR3 + kR1 + c * kR2) % kPublishedPrime % h.range;
    default: return (v % kPublishedPrime * kR1 + kR2 + kR3 + c * kR2) % kPublishedPrime % h.range;
  }
}

FRUGAL_DEVICE std::uint64_t block_start(const TablePlaces& p, std::uint32_t copy,
                                        std::uint32_t table, std::uint32_t row, std::uint32_t c) {
  const std::uint32_t hot = find_hot(p, table, row);
  if (hot != kNotHot) {
    return p.hashed + static_cast<std::uint64_t>(hot) * p.dim +
           static_cast<std::uint64_t>(c) * p.block;
  }
  return hashed_start(p, p.hashes[copy], table, row, c);
}

/// Whether the numbers of a block that begins at `start` have signs.
FRUGAL_DEVICE bool has_signs(const TablePlaces& p, std::uint32_t copy, std::uint64_t start) {
  return p.hashes[copy].has_signs != 0 && start < p.hashed;
}
/// Hash from which the signs of all numbers of block c of a row are derived.
FRUGAL_DEVICE std::uint64_t sign_source(const TablePlaces& p, std::uint32_t copy,
                                        std::uint32_t table, std::uint32_t row, std::uint32_t c) {
  const HashNumbers& h = p.hashes[copy];
  const std::uint64_t* a = h.coefficients;
  if (static_cast<Family>(h.family) == Family::paper) {
    return a[4] * table + a[5] * (row % kPaperPrime) % kPaperPrime + a[7];
  }
  return mix64((p.first_row[table] + row) * p.blocks_per_row + c + h.offset) >> 63;
}
/// Sign of number i of a row: 1 or -1.
FRUGAL_DEVICE float sign_of(const HashNumbers& h, std::uint64_t source, std::uint32_t i) {
  if (static_cast<Family>(h.family) != Family::paper) return source != 0 ? -1.0F : 1.0F;
  return (source + h.coefficients[6] * i) % kPaperPrime % 2 == 1 ? 1.0F : -1.0F;
}

}  // namespace frugal::cuda
