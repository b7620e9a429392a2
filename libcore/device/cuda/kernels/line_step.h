#pragma once
/// Steps of an embedding's array, to the bits of BlockStepper (libcore/embedding). Entries are the
/// parts of a batch's blocks that lie in one line of the array, sorted by line, those of a line in
/// the order of the samples. A group of threads, one for each number of a line, takes all entries
/// of a line: so every number sees its gradients in that order, without atomics, with its state in
/// registers. A block of threads reads the gradients of kThreads entries at once:
///
///   entries of the block  | 7 7 8 8 8 9 .. 40 40 |   40 40 40 40 |   40 40 41
///   runs of equal lines   | ---  ----- -     ----+---------------+------        41: next block's
///   groups of threads       0    1     2     14    alone, the others help it to read
#include "libcore/device/cuda/kernels/block_places.h"
#include "libcore/device/cuda/kernels/block_sums.h"
#include "libcore/device/cuda/kernels/optimizer.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kLine = 16;  ///< numbers of a line, which Adam steps together
inline constexpr std::uint32_t kGroups = kThreads / kLine;
inline constexpr std::uint32_t kNoSigns = 0xffffffffU;

/// Numbers [begin, begin + length) of the array, all in one line. Their gradients begin with that
/// of number `from` of the block.
struct Piece {
  std::uint64_t begin;
  std::uint32_t length, from;
};

/// Piece k of block c of a row: first the pieces up to the end of the shared (or private) numbers,
/// then those that wrap around to the beginning. Length 0: the block has fewer pieces.
FRUGAL_DEVICE Piece piece_of(const TablePlaces& p, std::uint64_t start, std::uint32_t c,
                             std::uint32_t k) {
  const std::uint32_t length = (c + 1) * p.block <= p.dim ? p.block : p.dim - c * p.block;
  const std::uint64_t end = start < p.hashed ? p.hashed : p.size;
  const std::uint32_t first =
      end - start < length ? static_cast<std::uint32_t>(end - start) : length;
  const std::uint32_t skipped = start % kLine;  // of its first line
  const std::uint32_t lines = (skipped + first + kLine - 1) / kLine;
  const bool again = k >= lines;
  const std::uint32_t low = again ? (k - lines) * kLine : k == 0 ? 0 : k * kLine - skipped;
  const std::uint32_t next = again ? low + kLine : (k + 1) * kLine - skipped;
  const std::uint32_t of = again ? length - first : first;
  const std::uint32_t high = next < of ? next : of;
  return {again ? low : start + low, high > low ? high - low : 0, again ? first + low : low};
}

/// Arguments of step_lines().
struct LineStep {
  TablePlaces places;
  const StepValues* values;
  RuleNumbers numbers;
  std::uint32_t per_block;      ///< largest number of pieces of a block
  std::uint32_t none;           ///< key of no line: the number of lines
  const std::uint32_t* rows;    ///< [samples, fields]
  const std::uint64_t* starts;  ///< from block_starts()
  std::uint64_t entries;
  const std::uint32_t* lines;     ///< [entries], ascending
  const std::uint32_t* pieces;    ///< [entries], ascending among equal lines: block, piece
  const float* gradient;          ///< [samples, fields, dim]
  float *array, *first, *second;  ///< [size]; states are null if the rule has none
};

/// Writes lines and pieces [entries], to be sorted; one thread per entry.
FRUGAL_KERNEL list_lines(LineStep s, std::uint32_t* lines, std::uint32_t* pieces) {
  const std::uint64_t e = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (e >= s.entries) return;
  const TablePlaces& p = s.places;
  const auto number = static_cast<std::uint32_t>(e), o = number / s.per_block;
  lines[e] = s.none;
  pieces[e] = number;
  if (o >= std::uint64_t{s.values->samples} * p.blocks()) return;
  const Piece piece = piece_of(p, s.starts[o], o % p.blocks_per_row, number % s.per_block);
  if (piece.length != 0) lines[e] = static_cast<std::uint32_t>(piece.begin / kLine);
}

/// Numbers of a line that an entry steps, and the place of their gradients.
struct LineEntry {
  std::uint64_t from;   ///< gradient of number t of the line is at from + t
  std::uint32_t range;  ///< first number, plus 2^16 times their count
  std::uint32_t line;
  std::uint64_t signs;   ///< from sign_source()
  std::uint32_t before;  ///< number t of the line is number before + t of the row
  std::uint32_t copy;    ///< copy whose signs they have, or kNoSigns

  FRUGAL_DEVICE bool has(std::uint32_t t) const { return t - range % 65536 < range / 65536; }
};

FRUGAL_DEVICE std::uint32_t line_at(const LineStep& s, std::uint64_t e) {
  return e < s.entries ? s.lines[e] : s.none;
}

FRUGAL_DEVICE LineEntry entry_at(const LineStep& s, std::uint64_t e) {
  LineEntry entry{};
  entry.line = line_at(s, e);
  if (entry.line == s.none) return entry;
  const TablePlaces& p = s.places;
  const std::uint32_t piece = s.pieces[e], o = piece / s.per_block;
  const std::uint64_t start = s.starts[o];
  const std::uint32_t block = o / p.blocks_per_row, c = o - block * p.blocks_per_row;
  const std::uint32_t lists = block / p.fields, table = block - lists * p.fields;
  const std::uint32_t sample = lists / p.copies, copy = lists - sample * p.copies;
  const Piece in_line = piece_of(p, start, c, piece - o * s.per_block);
  const std::uint64_t list = std::uint64_t{sample} * p.fields + table;
  const std::uint32_t low = in_line.begin % kLine;
  entry.before = c * p.block + in_line.from - low;
  entry.from = list * p.dim + c * p.block + in_line.from - low;
  entry.range = low + in_line.length * 65536;
  entry.copy = has_signs(p, copy, start) ? copy : kNoSigns;
  if (entry.copy != kNoSigns) entry.signs = sign_source(p, copy, table, s.rows[list], c);
  return entry;
}

/// kThreads consecutive entries in shared memory.
struct LineTile {
  LineEntry* entries;
  float* gradients;  ///< [kThreads, kLine] gradients of the numbers of each entry's line; 0: none
  /// [runs + 1] first entry of each run of equal lines; the last is kThreads.
  std::uint32_t* begins;
};

/// Applies signs; each thread to the gradients that it has loaded.
FRUGAL_DEVICE void give_signs(const LineStep& s, const LineTile& tile) {
  for (std::uint32_t i = threadIdx.x; i < kThreads * kLine; i += blockDim.x) {
    const LineEntry& x = tile.entries[i / kLine];
    if (x.copy == kNoSigns || !x.has(i % kLine)) continue;
    tile.gradients[i] *= sign_of(s.places.hashes[x.copy], x.signs, x.before + i % kLine);
  }
}

/// Loads the entries from `at` on, and their gradients, kLine per thread at once. Returns the
/// number of runs that begin.
FRUGAL_DEVICE std::uint32_t load_tile(const LineStep& s, std::uint64_t at, const LineTile& tile) {
  const std::uint64_t e = at + threadIdx.x;
  const LineEntry mine = entry_at(s, e);
  const bool begins = e == 0 || line_at(s, e - 1) != mine.line;
  std::uint64_t runs = 0;
  const std::uint64_t before = block_sum_before(begins ? 1 : 0, &runs);
  if (begins) tile.begins[before] = threadIdx.x;
  if (threadIdx.x == 0) tile.begins[runs] = kThreads;
  tile.entries[threadIdx.x] = mine;
  __syncthreads();
  const std::uint32_t t = threadIdx.x % kLine, group = threadIdx.x / kLine;
  float gradients[kLine];
  for (std::uint32_t k = 0; k < kLine; ++k) {
    const LineEntry& x = tile.entries[k * kGroups + group];
    gradients[k] = x.has(t) ? s.gradient[x.from + t] : 0;
  }
  for (std::uint32_t k = 0; k < kLine; ++k) {
    tile.gradients[k * kThreads + threadIdx.x] = gradients[k];
  }
  if (s.places.hashes->has_signs != 0) give_signs(s, tile);
  __syncthreads();
  return static_cast<std::uint32_t>(runs);
}

/// Whether the last line of a tile has more entries in the next tile.
FRUGAL_DEVICE bool goes_on(const LineStep& s, std::uint64_t at, const LineTile& tile) {
  const std::uint32_t last = tile.entries[kThreads - 1].line;
  return last != s.none && line_at(s, at + kThreads) == last;
}

/// The number of a line that a thread steps, in registers.
template <Rule kRule, bool kSums>
struct LineNumber {
  std::uint64_t place;
  float number, first, second, sum, rate;

  FRUGAL_DEVICE void load(const LineStep& s, std::uint32_t line) {
    place = std::uint64_t{line} * kLine + threadIdx.x % kLine;
    sum = number = first = second = 0;
    rate = s.values->embedding_rate;
    if (place >= s.places.size) return;
    number = s.array[place];
    if (kNumStates < kRule >> 0) first = s.first[place];
    if (kNumStates < kRule >> 1) second = s.second[place];
  }
  FRUGAL_DEVICE void step(const LineStep& s, float gradient) {
    step_number<kRule>(&number, &first, &second, gradient, rate, s.numbers);
  }
  /// Adds or steps entries [begin, end) of a tile.
  FRUGAL_DEVICE void add(const LineStep& s, const LineTile& tile, std::uint32_t begin,
                         std::uint32_t end) {
    const std::uint32_t t = threadIdx.x % kLine;
    for (std::uint32_t k = begin; k < end; ++k) {
      const float gradient = tile.gradients[k * kLine + t];
      if (kSums) {
        sum += gradient;
      } else if (tile.entries[k].has(t)) {
        step(s, gradient);
      }
    }
  }
  FRUGAL_DEVICE void store(const LineStep& s) {
    if (place >= s.places.size) return;
    if (kSums) step(s, sum);
    s.array[place] = number;
    if (kNumStates < kRule >> 0) s.first[place] = first;
    if (kNumStates < kRule >> 1) s.second[place] = second;
  }
};

/// Steps the lines that begin among kThreads entries; one block of threads. kSums: one step with
/// the sum over the batch, for all numbers of a line; otherwise each entry is a step.
template <Rule kRule, bool kSums>
FRUGAL_KERNEL step_lines(LineStep s) {
  FRUGAL_SHARED(LineEntry, entries, kThreads);
  FRUGAL_SHARED(float, gradients, kThreads* kLine);
  FRUGAL_SHARED(std::uint32_t, begins, kThreads + 1);
  const LineTile tile{entries, gradients, begins};
  std::uint64_t at = std::uint64_t{blockIdx.x} * kThreads;
  if (at != 0 && line_at(s, at - 1) == line_at(s, at + kThreads - 1)) return;  // no line begins
  const std::uint32_t group = threadIdx.x / kLine;
  LineNumber<kRule, kSums> own{};
  bool first = true, holds_last = false, open = false;
  do {
    const std::uint32_t runs = load_tile(s, at, tile);
    open = (first || runs == 0) && goes_on(s, at, tile);
    for (std::uint32_t r = group; first && r < runs; r += kGroups) {
      if (entries[begins[r]].line == s.none) break;
      own.load(s, entries[begins[r]].line);
      own.add(s, tile, begins[r], begins[r + 1]);
      holds_last = r + 1 == runs;
      if (!holds_last || !open) own.store(s);
    }
    if (!first && holds_last) {  // for which all other groups read
      own.add(s, tile, 0, begins[0]);
      if (!open) own.store(s);
    }
    first = false;
    at += kThreads;
  } while (open);
}

}  // namespace frugal::cuda
