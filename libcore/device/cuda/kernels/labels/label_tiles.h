#pragma once
/// A softmax or one-vs-all over many labels on tensor cores, with no logit in memory. A block of
/// threads keeps rows of one side, examples or labels, in registers and reads tiles of the other
/// side's rows. It computes the logits of a tile, turns them into weights, and adds the rows of the
/// tile by these weights: attention (FlashAttention-2; Dao, 2023) whose keys are its values.
///
///   add_label_tiles      Rows are examples, weights exp(logit - running maximum): their sums, and
///                        sums of rows of labels, from which gradients of hidden units are made.
///   finish_examples      Normalisers, losses and gradients of hidden units (own_labels.h).
///   differentiate_tiles  Rows are labels, weights probabilities: gradients of the rows of labels.
///   add_own_gradients    Adds to these what examples' own labels are for (own_labels.h).
///
/// Tensor cores multiply weights rounded to bf16. The weight of an own label is its probability
/// less its share of the target, which may be smaller than the rounding of the probability: the
/// kernels of own labels take that rounding back. Logits are multiples of log(2) here, whose exp2
/// is one instruction.
#include "libcore/device/cuda/kernels/labels/blocked_softmax.h"
#include "libcore/device/cuda/kernels/labels/label_rows.h"
#include "libcore/device/cuda/kernels/mma_tile.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kLabelThreads = 128;
/// Rows are there to a multiple of as many, which all blocks and tiles divide.
inline constexpr std::uint32_t kLabelRows = 128;
inline constexpr std::uint32_t kMostTileUnits = 256;
inline constexpr float kLog2E = 1.44269504F;
inline constexpr double kLn2 = 0.69314718055994531;
/// Maximum of no logits; finite, so that differences are numbers.
inline constexpr float kNoTop = -1e30F;

/// Blocks of threads that a multiprocessor has to hold at a time; a loop that is not unrolled.
#ifdef __CUDACC__
#define FRUGAL_RESIDENT(threads, blocks) __launch_bounds__(threads, blocks)
#define FRUGAL_NO_UNROLL _Pragma("unroll 1")
#else
#define FRUGAL_RESIDENT(threads, blocks)
#define FRUGAL_NO_UNROLL
#endif

/// Numbers that are copied to shared memory at once.
struct alignas(16) Bf16Group {
  std::uint16_t bits[8];
};
inline constexpr std::uint32_t kGroup = 8;

FRUGAL_DEVICE float exp2_of(float x) {
#ifdef __CUDACC__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::exp2(x);
#endif
}
FRUGAL_DEVICE float one_vs_all_weight(float x) {
#ifdef __CUDACC__
  return __fdividef(1.0F, 1 + exp2_of(-x));
#else
  return 1 / (1 + exp2_of(-x));
#endif
}
FRUGAL_DEVICE float near_bf16(float x) { return bf16_number(rounded_to_bf16(x)); }

/// Copies 16 bytes to shared memory, where they are after wait_for_copies() and a barrier.
FRUGAL_DEVICE void copy_group(void* shared, const void* from) {
#ifdef __CUDACC__
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))),
               "l"(from)
               : "memory");
#endif
#else
  host_cuda::check_aligned(shared, sizeof(Bf16Group));
  host_cuda::check_aligned(from, sizeof(Bf16Group));
  std::memcpy(shared, from, sizeof(Bf16Group));
#endif
}
FRUGAL_DEVICE void wait_for_copies() {
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

template <class T>
FRUGAL_DEVICE T sum_of_quad(T x) {
  x += __shfl_xor_sync(0xffffffffU, x, 1);
  return x + __shfl_xor_sync(0xffffffffU, x, 2);
}

/// Tiles [begin, end) of rows [.., units rounded up], with a number that is added to all logits of
/// a row.
struct RowStream {
  const Bf16Group* rows;
  const float* terms;
  std::uint32_t begin, end;
};

/// The rows that a block of threads keeps, of up to 16 kSteps units, and their sums of other rows.
template <std::uint32_t kSteps>
class TileProducts {
 public:
  static constexpr std::uint32_t kUnits = kSteps * kMma, kGroups = kUnits / kGroup;
  /// Tiles of 16 rows that a warp keeps; rows that its block keeps; rows of the other side whose
  /// logits are in registers at a time.
  static constexpr std::uint32_t kTiles = kSteps > 8 ? 1 : 2,
                                 kOwnRows = kLabelThreads / kWarp * kTiles * kMma,
                                 kAtOnce = kTiles == 2 ? 16 : 32;
  /// Rows of a tile; tiles of 16 units whose sums a block makes, blocks that make all units'.
  static constexpr std::uint32_t kRows = kSteps > 8 ? 32 : 64, kColumns = kSteps > 8 ? 8 : kSteps,
                                 kParts = kSteps / kColumns;
  /// Blocks that a multiprocessor holds.
  static constexpr std::uint32_t kResident = kSteps > 4 ? 2 : 3;
  static constexpr std::uint32_t kSharedGroups = 2 * kRows * (kGroups + 1),
                                 kSharedTerms = 2 * kRows;

  /// The rows from `own` on; part: of the columns.
  FRUGAL_DEVICE TileProducts(Bf16Group* tiles, LogitGroup* terms, const Bf16Group* own,
                             std::uint32_t part)
      : tiles_(tiles), terms_(terms), part_(part) {
    copy_rows<kOwnRows>(tiles, own);
    wait_for_copies();
    __syncthreads();
    const auto* mine = reinterpret_cast<const std::uint16_t*>(tiles) + warp_row() * kStride;
    FRUGAL_UNROLL
    for (std::uint32_t m = 0; m < kTiles; ++m) {
      FRUGAL_UNROLL
      for (std::uint32_t k = 0; k < kSteps; ++k) {
        own_[m][k].template load<false>(mine + m * kMma * kStride + k * kMma, kStride);
      }
      FRUGAL_UNROLL
      for (MmaTile& tile : products_[m]) tile.clear();
    }
    __syncthreads();
  }

  /// weigh[..](logits, terms of their columns, sums so far) replaces logits by weights.
  template <class Weigh>
  FRUGAL_DEVICE void run(const RowStream& from, Weigh (&weigh)[kTiles]) {
    if (from.begin < from.end) fetch(from, from.begin);
    for (std::uint32_t tile = from.begin; tile < from.end; ++tile) {
      wait_for_copies();
      __syncthreads();  // the tile is there, and nobody reads the one before it
      if (tile + 1 < from.end) fetch(from, tile + 1);
      const auto* rows =
          reinterpret_cast<const std::uint16_t*>(tiles_ + tile % 2 * kRows * (kGroups + 1));
      const auto* terms = reinterpret_cast<const float*>(terms_ + tile % 2 * kRows / kLogitsAtOnce);
      FRUGAL_NO_UNROLL
      for (std::uint32_t at = 0; at < kRows; at += kAtOnce) {
        multiply(rows + at * kStride, terms + at, weigh);
      }
    }
  }

  /// use(row of the block, unit, sum)
  template <class Use>
  FRUGAL_DEVICE void for_each(const Use& use) {
    FRUGAL_UNROLL
    for (std::uint32_t m = 0; m < kTiles; ++m) {
      FRUGAL_UNROLL
      for (std::uint32_t c = 0; c < kColumns; ++c) {
        products_[m][c].for_each([&](std::uint32_t row, std::uint32_t column, float& sum) {
          use(warp_row() + m * kMma + row, (part_ * kColumns + c) * kMma + column, sum);
        });
      }
    }
  }
  static FRUGAL_DEVICE std::uint32_t warp_row() { return threadIdx.x / kWarp * kTiles * kMma; }
  /// A thread has sums of this row and of each eighth row after it.
  static FRUGAL_DEVICE std::uint32_t thread_row() { return warp_row() + threadIdx.x % kWarp / 4; }

 private:
  static constexpr std::uint32_t kStride = kUnits + kGroup;  ///< no two rows begin in one bank

  template <std::uint32_t kCount>
  FRUGAL_DEVICE void copy_rows(Bf16Group* to, const Bf16Group* from) {
    constexpr std::uint32_t kRowsAtOnce = kLabelThreads / kGroups;
    to += threadIdx.x / kGroups * (kGroups + 1) + threadIdx.x % kGroups;
    from += threadIdx.x;
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kCount / kRowsAtOnce; ++i) {
      copy_group(to + i * kRowsAtOnce * (kGroups + 1), from + i * kLabelThreads);
    }
  }

  FRUGAL_DEVICE void fetch(const RowStream& from, std::uint32_t tile) {
    copy_rows<kRows>(tiles_ + tile % 2 * kRows * (kGroups + 1),
                     from.rows + std::uint64_t{tile} * kRows * kGroups);
    if (threadIdx.x < kRows / kLogitsAtOnce) {
      copy_group(terms_ + tile % 2 * kRows / kLogitsAtOnce + threadIdx.x,
                 from.terms + std::uint64_t{tile} * kRows + threadIdx.x * kLogitsAtOnce);
    }
  }

  /// The next kAtOnce rows of a tile.
  template <class Weigh>
  FRUGAL_DEVICE void multiply(const std::uint16_t* rows, const float* terms,
                              Weigh (&weigh)[kTiles]) {
    MmaTile logits[kTiles][kAtOnce / kMma] = {};
    FRUGAL_UNROLL
    for (std::uint32_t k = 0; k < kSteps; ++k) {
      FRUGAL_UNROLL
      for (std::uint32_t n = 0; n < kAtOnce / kMma; ++n) {
        MmaRight right;
        right.template load<false>(rows + n * kMma * kStride + k * kMma, kStride);
        FRUGAL_UNROLL
        for (std::uint32_t m = 0; m < kTiles; ++m) logits[m][n].add(own_[m][k], right);
      }
    }
    FRUGAL_UNROLL
    for (std::uint32_t m = 0; m < kTiles; ++m) weigh[m](logits[m], terms, products_[m]);
    rows += part_ * kColumns * kMma;
    FRUGAL_UNROLL
    for (std::uint32_t n = 0; n < kAtOnce / kMma; ++n) {
      MmaLeft left[kTiles];
      FRUGAL_UNROLL
      for (std::uint32_t m = 0; m < kTiles; ++m) left[m] = logits[m][n].rounded();
      FRUGAL_UNROLL
      for (std::uint32_t c = 0; c < kColumns; ++c) {
        MmaRight right;
        right.template load<true>(rows + n * kMma * kStride + c * kMma, kStride);
        FRUGAL_UNROLL
        for (std::uint32_t m = 0; m < kTiles; ++m) products_[m][c].add(left[m], right);
      }
    }
  }

  Bf16Group* tiles_;
  LogitGroup* terms_;
  std::uint32_t part_;
  MmaLeft own_[kTiles][kSteps];
  MmaTile products_[kTiles][kColumns];
};

/// use(row's half of the thread's two, column of the tile, logit)
template <std::uint32_t kTiles, class Use>
FRUGAL_DEVICE void for_logits(MmaTile (&logits)[kTiles], const Use& use) {
  FRUGAL_UNROLL
  for (std::uint32_t n = 0; n < kTiles; ++n) {
    logits[n].for_each([&](std::uint32_t row, std::uint32_t column, float& z) {
      use(row / 8, n * kMma + column, z);
    });
  }
}

/// Weights of labels for a thread's two rows of examples. sum: of a softmax, of the weights, which
/// are relative to the maximum so far, top; of one-vs-all, of losses.
template <bool kSoftmax>
struct ExampleWeights {
  float top[2], sum[2];

  template <std::uint32_t kTiles, std::uint32_t kColumns>
  FRUGAL_DEVICE void operator()(MmaTile (&logits)[kTiles], const float* terms,
                                MmaTile (&products)[kColumns]) {
    float high[2] = {kNoTop, kNoTop}, tile_sum[2] = {0, 0};
    for_logits(logits, [&](std::uint32_t half, std::uint32_t column, float& z) {
      z = fmaf(z, kLog2E, terms[column]);
      high[half] = fmaxf(high[half], z);
    });
    if (kSoftmax) raise(high, products);
    for_logits(logits, [&](std::uint32_t half, std::uint32_t, float& z) {
      if (kSoftmax) {
        z = exp2_of(z - top[half]);
        tile_sum[half] += z;
      } else {
        tile_sum[half] += fmaxf(z, 0.0F) * static_cast<float>(kLn2) + log1pf(exp2_of(-fabsf(z)));
        z = one_vs_all_weight(z);
      }
    });
    for (std::uint32_t half = 0; half < 2; ++half) sum[half] += tile_sum[half];
  }

 private:
  /// A maximum is a whole number, so that it scales by powers of 2: weights are then rounded to the
  /// same bits whatever the maximum was when they were.
  template <std::uint32_t kColumns>
  FRUGAL_DEVICE void raise(float (&high)[2], MmaTile (&products)[kColumns]) {
    float factor[2];
    for (std::uint32_t half = 0; half < 2; ++half) {
      high[half] = fmaxf(high[half], __shfl_xor_sync(0xffffffffU, high[half], 1));
      high[half] = fmaxf(high[half], __shfl_xor_sync(0xffffffffU, high[half], 2));
      high[half] = fmaxf(top[half], ceilf(high[half]));
      factor[half] = exp2_of(top[half] - high[half]);
    }
    if (__ballot_sync(0xffffffffU, high[0] > top[0] || high[1] > top[1]) == 0) return;
    for (std::uint32_t half = 0; half < 2; ++half) {
      top[half] = high[half];
      sum[half] *= factor[half];
    }
    for_logits(products,
               [&](std::uint32_t half, std::uint32_t, float& sum_of) { sum_of *= factor[half]; });
  }
};

/// Weights of examples for a thread's two rows of labels, and their sums.
template <bool kSoftmax>
struct LabelWeights {
  float term[2], sum[2];

  template <std::uint32_t kTiles, std::uint32_t kColumns>
  FRUGAL_DEVICE void operator()(MmaTile (&logits)[kTiles], const float* terms,
                                MmaTile (&)[kColumns]) {
    float tile_sum[2] = {0, 0};
    for_logits(logits, [&](std::uint32_t half, std::uint32_t column, float& z) {
      z = fmaf(z, kLog2E, term[half] + terms[column]);
      z = kSoftmax ? exp2_of(z) : one_vs_all_weight(z);
      tile_sum[half] += z;
    });
    for (std::uint32_t half = 0; half < 2; ++half) sum[half] += tile_sum[half];
  }
};

/// Labels [begin, begin + count) and the examples of a batch, rounded to bf16, rows side by side.
/// Their numbers are rounded up to a multiple of kLabelRows by rows of zeros with terms -infinity.
struct LabelTiles {
  const std::uint32_t* examples;  ///< how many, on the device
  const Bf16Group *hidden, *rows;
  const float *terms, *example_terms;  ///< biases; minus logarithms of normalisers
  std::uint32_t begin, count;
  std::uint32_t units, row_units, width;  ///< units, rounded up; numbers from f32 row to row
};

/// Sums for examples over a part of the labels, the same share of each block.
struct SplitSums {
  float* top;       ///< [parts of the units, splits, most]
  double* sum;      ///< as top
  float* products;  ///< [splits, most, row_units]
  std::uint32_t splits, most;
};

/// Grid: tiles of examples, splits, parts of the units.
template <std::uint32_t kSteps, bool kSoftmax>
FRUGAL_KERNEL FRUGAL_RESIDENT(kLabelThreads, TileProducts<kSteps>::kResident)
    add_label_tiles(LabelTiles t, SplitSums to) {
  using Products = TileProducts<kSteps>;
  FRUGAL_SHARED(Bf16Group, tiles, Products::kSharedGroups);
  FRUGAL_SHARED(LogitGroup, terms, Products::kSharedTerms / kLogitsAtOnce);
  const std::uint32_t first = blockIdx.x * Products::kOwnRows, split = blockIdx.y;
  if (first >= *t.examples) return;  // the whole block
  Products p(tiles, terms, t.hidden + std::uint64_t{first} * Products::kGroups, blockIdx.z);
  const std::uint32_t begin = split * to.most + first;
  const std::uint32_t mine = blockIdx.z * to.splits * to.most + begin + Products::thread_row();
  ExampleWeights<kSoftmax> w[Products::kTiles] = {};
  FRUGAL_UNROLL
  for (std::uint32_t i = 0; i < 2 * Products::kTiles; ++i) {
    w[i / 2].top[i % 2] = t.begin == 0 ? kNoTop : to.top[mine + i * 8];
  }
  const std::uint32_t count = (t.count + Products::kRows - 1) / Products::kRows;
  p.run({t.rows, t.terms, count * split / to.splits, count * (split + 1) / to.splits}, w);
  float factor[2 * Products::kTiles] = {};
  FRUGAL_UNROLL
  for (std::uint32_t i = 0; i < 2 * Products::kTiles; ++i) {
    const std::uint32_t at = mine + i * 8;
    double sum = sum_of_quad(w[i / 2].sum[i % 2]);
    if (t.begin != 0) {
      factor[i] = exp2_of(to.top[at] - w[i / 2].top[i % 2]);
      sum += to.sum[at] * static_cast<double>(factor[i]);
    }
    __syncwarp();  // all have read it
    if (threadIdx.x % 4 != 0) continue;
    to.top[at] = w[i / 2].top[i % 2];
    to.sum[at] = sum;
  }
  p.for_each([&](std::uint32_t row, std::uint32_t unit, float product) {
    float& all = to.products[std::uint64_t{begin + row} * Products::kUnits + unit];
    all = t.begin == 0 ? product : fmaf(all, factor[row / 8 % (2 * Products::kTiles)], product);
  });
}

/// gradient [count, width]. Grid: tiles of labels, parts of the units.
template <std::uint32_t kSteps, bool kSoftmax>
FRUGAL_KERNEL FRUGAL_RESIDENT(kLabelThreads, TileProducts<kSteps>::kResident)
    differentiate_tiles(LabelTiles t, float* gradient) {
  using Products = TileProducts<kSteps>;
  FRUGAL_SHARED(Bf16Group, tiles, Products::kSharedGroups);
  FRUGAL_SHARED(LogitGroup, terms, Products::kSharedTerms / kLogitsAtOnce);
  const std::uint32_t first = blockIdx.x * Products::kOwnRows;
  Products p(tiles, terms, t.rows + std::uint64_t{first} * Products::kGroups, blockIdx.y);
  const std::uint32_t mine = first + Products::thread_row();
  LabelWeights<kSoftmax> w[Products::kTiles] = {};
  FRUGAL_UNROLL
  for (std::uint32_t i = 0; i < 2 * Products::kTiles; ++i) {
    w[i / 2].term[i % 2] = t.terms[mine + i * 8];
  }
  p.run({t.hidden, t.example_terms, 0, (*t.examples + Products::kRows - 1) / Products::kRows}, w);
  p.for_each([&](std::uint32_t row, std::uint32_t unit, float product) {
    if (first + row >= t.count || unit >= t.units) return;
    gradient[std::uint64_t{first + row} * t.width + unit] = product;
  });
  FRUGAL_UNROLL
  for (std::uint32_t i = 0; i < 2 * Products::kTiles; ++i) {
    const float sum = sum_of_quad(w[i / 2].sum[i % 2]);
    if (threadIdx.x % 4 != 0 || blockIdx.y != 0 || mine + i * 8 >= t.count) continue;
    gradient[std::uint64_t{mine + i * 8} * t.width + t.units] = sum;
  }
}

}  // namespace frugal::cuda
