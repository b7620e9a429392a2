#pragma once
/// Embedding look-ups: first the starts of blocks, then their numbers.
#include "libcore/device/cuda/kernels/block_places.h"
#include "libcore/device/cuda/kernels/mma_tile.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

/// Computes starts [samples, copies, fields, blocks_per_row] of the blocks of rows [samples,
/// fields]; one thread per block.
FRUGAL_KERNEL block_starts(TablePlaces p, const StepValues* values, const std::uint32_t* rows,
                           std::uint64_t* starts) {
  const std::uint64_t o = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint32_t sample = static_cast<std::uint32_t>(o / p.blocks());
  if (sample >= values->samples) return;
  const auto in_sample = static_cast<std::uint32_t>(o % p.blocks());
  const std::uint32_t c = in_sample % p.blocks_per_row,
                      table = in_sample / p.blocks_per_row % p.fields;
  const std::uint32_t copy = in_sample / p.blocks_per_row / p.fields;
  starts[o] = block_start(p, copy, table, rows[std::uint64_t{sample} * p.fields + table], c);
}

/// Reads numbers of an array in each storage (libcore/embedding/storage.h).
struct FloatNumbers {
  const float* values;
  FRUGAL_DEVICE float at(std::uint64_t i) const { return values[i]; }
};
struct HalfNumbers {
  const std::uint16_t* values;
  FRUGAL_DEVICE float at(std::uint64_t i) const { return bf16_number(values[i]); }
};
struct ByteNumbers {
  const std::int8_t* levels;
  const float* scales;  ///< one for every 64 levels
  FRUGAL_DEVICE float at(std::uint64_t i) const {
    return static_cast<float>(levels[i]) * scales[i / 64];
  }
};
struct NibbleNumbers {
  const std::uint8_t* levels;   ///< two per byte as level + 8, the first in the lower half
  const std::uint16_t* scales;  ///< bf16, one for every 32 levels
  FRUGAL_DEVICE float at(std::uint64_t i) const {
    const int level = (levels[i / 2] >> (i % 2 * 4) & 15) - 8;
    return static_cast<float>(level) * bf16_number(scales[i / 32]);
  }
};

inline constexpr std::uint32_t kNibbleGroup = 32;  ///< int4 levels that share a scale
inline constexpr float kMostLevel = 7;

/// Rounds x / scale to an int4 level: adding 1.5 * 2^23 rounds to a whole number.
FRUGAL_DEVICE float nibble_level(float x, float scale) {
  constexpr float kRound = 12582912.0F;
  const float level = x * (scale > 0 ? 1 / scale : 0);
  return (level < -kMostLevel  ? -kMostLevel
          : level > kMostLevel ? kMostLevel
                               : level) +
         kRound - kRound;
}

/// Reads f32 numbers as if they were stored as int4, when training for it
/// (ParameterArray::train_for()).
struct RoundedNumbers {
  const float* values;
  const std::uint16_t* scales;
  FRUGAL_DEVICE float at(std::uint64_t i) const {
    const float scale = bf16_number(scales[i / kNibbleGroup]);
    return scale * nibble_level(values[i], scale);
  }
};

/// Chooses the scales of all groups of `size` numbers: the one of several candidates with the least
/// squared error (ParameterArray::refresh_scales()); one thread per group.
FRUGAL_KERNEL refresh_scales(const float* values, std::uint64_t size, std::uint16_t* scales) {
  const std::uint64_t group = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t begin = group * kNibbleGroup;
  if (begin >= size) return;
  const std::uint64_t end = size < begin + kNibbleGroup ? size : begin + kNibbleGroup;
  float largest = 0;
  for (std::uint64_t i = begin; i < end; ++i) largest = fmaxf(largest, fabsf(values[i]));
  std::uint16_t best = 0;
  float least = INFINITY;
  for (int trial = 0; trial < 4; ++trial) {
    const float part = trial == 0 ? 1.0F : trial == 1 ? 0.85F : trial == 2 ? 0.7F : 0.55F;
    const std::uint16_t bits = rounded_to_bf16(part * largest / kMostLevel);
    const float scale = bf16_number(bits);
    float error = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      const float difference = values[i] - scale * nibble_level(values[i], scale);
      error += difference * difference;
    }
    if (error < least) {
      least = error;
      best = bits;
    }
  }
  scales[group] = best;
}

/// out [samples, fields, dim]: each row, summed over copies; one thread per number.
template <class Numbers>
FRUGAL_KERNEL gather_rows(TablePlaces p, Numbers numbers, const StepValues* values,
                          const std::uint32_t* rows, const std::uint64_t* starts, float* out) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint32_t i = static_cast<std::uint32_t>(at % p.dim);
  const std::uint64_t list = at / p.dim;  // of (sample, table)
  const std::uint32_t sample = static_cast<std::uint32_t>(list / p.fields);
  if (sample >= values->samples) return;
  const std::uint32_t table = static_cast<std::uint32_t>(list % p.fields);
  float sum = 0;
  for (std::uint32_t copy = 0; copy < p.copies; ++copy) {
    const std::uint64_t block =
        (std::uint64_t{sample} * p.copies + copy) * p.fields * p.blocks_per_row +
        std::uint64_t{table} * p.blocks_per_row + i / p.block;
    const std::uint64_t start = starts[block];
    std::uint64_t slot = start + i % p.block;
    if (start < p.hashed && slot >= p.hashed) slot -= p.hashed;  // round the array's end
    float number = numbers.at(slot);
    if (has_signs(p, copy, start)) {
      number *= sign_of(p.hashes[copy], sign_source(p, copy, table, rows[list], i / p.block), i);
    }
    sum = copy == 0 ? number : sum + number;
  }
  out[at] = sum;
}

}  // namespace frugal::cuda
