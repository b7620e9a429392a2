#pragma once
/// Steps of an embedding's array, to the bits of BlockStepper (libcore/embedding): a block of
/// threads owns a page of the array, a thread the numbers of the page that are its own modulo the
/// threads. What touches a page comes in the order of the samples, so every number sees its steps
/// in that order: without atomics.
#include "libcore/device/cuda/kernels/block_places.h"
#include "libcore/device/cuda/kernels/optimizer.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kPage = 4096;  ///< numbers; at least those of a block
inline constexpr std::uint32_t kLine = 16;    ///< numbers that Adam steps together
inline constexpr std::uint32_t kNoPage = 0xffffffffU;
inline constexpr std::uint32_t kPieces = 3;  ///< parts of a block that lie in pages of their own
inline constexpr std::uint32_t kPageThreads = 256;

/// Numbers [begin, begin + length) of the array; their gradients follow that of number `from`.
struct Piece {
  std::uint64_t begin;
  std::uint32_t length, from;
};

/// The numbers of block c of a row; the last may be shorter.
FRUGAL_DEVICE std::uint32_t block_length(const TablePlaces& p, std::uint32_t c) {
  return (c + 1) * p.block <= p.dim ? p.block : p.dim - c * p.block;
}

/// Piece 0 of a block: up to the end of its page; 1: what is left of it before the end of the
/// array; 2: what goes on at its beginning.
FRUGAL_DEVICE Piece piece_of(const TablePlaces& p, std::uint64_t start, std::uint32_t length,
                             std::uint32_t number) {
  const std::uint64_t end = start < p.hashed ? p.hashed : p.size;
  const std::uint32_t first =
      end - start < length ? static_cast<std::uint32_t>(end - start) : length;
  if (number == 2) return {0, length - first, first};
  const std::uint64_t next = (start / kPage + 1) * kPage;
  const std::uint32_t in_page =
      next - start < first ? static_cast<std::uint32_t>(next - start) : first;
  return number == 0 ? Piece{start, in_page, 0} : Piece{next, first - in_page, in_page};
}

/// pages [most, kPieces] of the blocks of a batch, kNoPage where there is no piece, and their
/// numbers, to be sorted; a thread a piece of all `most` blocks.
FRUGAL_KERNEL list_pages(TablePlaces p, const StepValues* values, const std::uint64_t* starts,
                         std::uint64_t most, std::uint32_t* pages, std::uint32_t* pieces) {
  const std::uint64_t e = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (e >= most * kPieces) return;
  const std::uint64_t o = e / kPieces;
  std::uint32_t page = kNoPage;
  if (o < std::uint64_t{values->samples} * p.blocks()) {
    const std::uint32_t c = static_cast<std::uint32_t>(o % p.blocks_per_row);
    const Piece piece =
        piece_of(p, starts[o], block_length(p, c), static_cast<std::uint32_t>(e % kPieces));
    if (piece.length != 0) page = static_cast<std::uint32_t>(piece.begin / kPage);
  }
  pages[e] = page;
  pieces[e] = static_cast<std::uint32_t>(e);
}

/// The first of n ascending keys that is not below `key`.
FRUGAL_DEVICE std::uint64_t first_not_below(const std::uint32_t* keys, std::uint64_t n,
                                            std::uint32_t key) {
  std::uint64_t low = 0, high = n;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (keys[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// What page_step() works on.
struct PageStep {
  TablePlaces places;
  const StepValues* values;
  RuleNumbers numbers;
  const std::uint32_t* rows;    ///< [samples, fields]
  const std::uint64_t* starts;  ///< as block_starts() leaves them
  const std::uint32_t* pages;   ///< [entries], ascending
  const std::uint32_t* pieces;  ///< [entries], of equal pages ascending
  std::uint64_t entries;
  const float* gradient;          ///< [samples, fields, dim]
  float *array, *first, *second;  ///< [size]; states null where the rule has none
};

/// Calls use(number of the array, gradient) for the numbers of the page that are this thread's.
template <class Use>
FRUGAL_DEVICE void for_numbers(const PageStep& s, std::uint32_t page, const Use& use) {
  const TablePlaces& p = s.places;
  for (std::uint64_t e = first_not_below(s.pages, s.entries, page);
       e < s.entries && s.pages[e] == page; ++e) {
    const std::uint32_t o = s.pieces[e] / kPieces;
    const std::uint64_t start = s.starts[o];
    const std::uint32_t c = o % p.blocks_per_row, table = o / p.blocks_per_row % p.fields;
    const std::uint32_t copy = o / p.blocks_per_row / p.fields % p.copies, sample = o / p.blocks();
    const Piece piece = piece_of(p, start, block_length(p, c), s.pieces[e] % kPieces);
    const std::uint64_t list = std::uint64_t{sample} * p.fields + table;
    const std::uint32_t before = c * p.block + piece.from;
    const std::uint64_t aligned = piece.begin / blockDim.x * blockDim.x + threadIdx.x;
    for (std::uint64_t n = aligned < piece.begin ? aligned + blockDim.x : aligned;
         n < piece.begin + piece.length; n += blockDim.x) {
      const std::uint32_t i = before + static_cast<std::uint32_t>(n - piece.begin);
      use(n, sign_of(p, copy, start, table, s.rows[list], i) * s.gradient[list * p.dim + i]);
    }
  }
}

/// Every occurrence of a block is a step of its own. A block of threads a page.
template <Rule kRule>
FRUGAL_KERNEL page_step(PageStep s) {
  for_numbers(s, blockIdx.x, [&](std::uint64_t n, float gradient) {
    step_number<kRule>(s.array + n, s.first == nullptr ? nullptr : s.first + n,
                       s.second == nullptr ? nullptr : s.second + n, gradient,
                       s.values->embedding_rate, s.numbers);
  });
}

/// One step with the sum over the batch, of all numbers of each line that is touched.
FRUGAL_KERNEL page_step_adam(PageStep s) {
  FRUGAL_SHARED(float, sums, kPage);
  FRUGAL_SHARED(std::uint32_t, touched, kPage / kLine);
  for (std::uint32_t i = threadIdx.x; i < kPage; i += blockDim.x) sums[i] = 0;
  for (std::uint32_t i = threadIdx.x; i < kPage / kLine; i += blockDim.x) touched[i] = 0;
  __syncthreads();
  for_numbers(s, blockIdx.x, [&](std::uint64_t n, float gradient) {
    sums[n % kPage] += gradient;
    touched[n % kPage / kLine] = 1;
  });
  __syncthreads();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * kPage;
  for (std::uint32_t i = threadIdx.x; i < kPage && begin + i < s.places.size; i += blockDim.x) {
    if (touched[i / kLine] == 0) continue;
    const std::uint64_t n = begin + i;
    step_number<Rule::adam>(s.array + n, s.first + n, s.second + n, sums[i],
                            s.values->embedding_rate, s.numbers);
  }
}

}  // namespace frugal::cuda
