// Embedding bags: weighted sums of table rows, and updates of the rows that were summed. A row is
// worked on in groups of at most kGroup vectors that stay in registers; the vector behind the last
// whole one is masked, so nothing in the padding of a row is touched.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

inline constexpr std::size_t kGroup = 8;
/// Rows ahead to prefetch.
inline constexpr std::size_t kAhead = 8;

template <std::size_t N>
struct Count {
  static constexpr std::size_t value = N;
};

/// body(begin, Count<whole vectors>, part behind them: Full if none).
template <class Body>
inline void with_count(std::size_t begin, std::size_t whole, std::size_t rest, Body body) {
  const auto call = [&](auto count) {
    if (rest == 0) {
      body(begin, count, Full{});
    } else {
      body(begin, count, First(rest));
    }
  };
  switch (whole) {
    case 0: return call(Count<0>{});
    case 1: return call(Count<1>{});
    case 2: return call(Count<2>{});
    case 3: return call(Count<3>{});
    case 4: return call(Count<4>{});
    case 5: return call(Count<5>{});
    case 6: return call(Count<6>{});
    case 7: return call(Count<7>{});
    default: return call(Count<kGroup>{});
  }
}

template <class Body>
inline void for_each_group(std::size_t dim, Body body) {
  std::size_t begin = 0;
  for (; dim - begin >= kGroup * kLanes; begin += kGroup * kLanes) {
    body(begin, Count<kGroup>{}, Full{});
  }
  if (begin == dim) return;
  with_count(begin, (dim - begin) / kLanes, (dim - begin) % kLanes, body);
}

/// The vectors of a group: `Whole` whole ones and, where Part is First, a masked one.
template <std::size_t Whole, class Part>
struct Group {
  static constexpr bool kHasRest = __is_same(Part, First);
  static constexpr std::size_t kVecs = Whole + (kHasRest ? 1 : 0);
  Vec v[kVecs == 0 ? 1 : kVecs];

  void load(const float* p, const Part& part) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Whole; ++i) v[i] = frugal::load(p + i * kLanes);
    if constexpr (kHasRest) v[Whole] = part.load(p + Whole * kLanes);
  }
  void store(float* p, const Part& part) const {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Whole; ++i) frugal::store(p + i * kLanes, v[i]);
    if constexpr (kHasRest) part.store(p + Whole * kLanes, v[Whole]);
  }
  void add(float weight, const Group& other) {
#pragma GCC unroll 9
    for (std::size_t i = 0; i < kVecs; ++i) v[i] += weight * other.v[i];
  }
  static void prefetch(const float* p) {
#pragma GCC unroll 9
    for (std::size_t i = 0; i * 64 < kVecs * kVecBytes; ++i) __builtin_prefetch(p + i * 16);
  }
};

void gather_sum(const float* table, std::size_t stride, std::size_t dim, const std::uint32_t* rows,
                const float* weights, std::size_t n, float* out) {
  for_each_group(dim, [=](std::size_t begin, auto whole, auto part) {
    using G = Group<decltype(whole)::value, decltype(part)>;
    G total;
    total.load(out + begin, part);
    for (std::size_t j = 0; j < n; ++j) {
      if (j + kAhead < n) G::prefetch(table + rows[j + kAhead] * stride + begin);
      G row;
      row.load(table + rows[j] * stride + begin, part);
      total.add(weights != nullptr ? weights[j] : 1.0f, row);
    }
    total.store(out + begin, part);
  });
}

/// table[rows[j]] += factor(j) * x for every j in order.
template <class Factor>
inline void add_to_rows(float* table, std::size_t stride, std::size_t dim,
                        const std::uint32_t* rows, std::size_t n, const float* x, Factor factor) {
  for_each_group(dim, [=](std::size_t begin, auto whole, auto part) {
    using G = Group<decltype(whole)::value, decltype(part)>;
    G addend;
    addend.load(x + begin, part);
    for (std::size_t j = 0; j < n; ++j) {
      if (j + kAhead < n) G::prefetch(table + rows[j + kAhead] * stride + begin);
      float* target = table + rows[j] * stride + begin;
      G row;
      row.load(target, part);
      row.add(factor(j), addend);
      row.store(target, part);
    }
  });
}

void scatter_add(float* table, std::size_t stride, std::size_t dim, const std::uint32_t* rows,
                 const float* weights, std::size_t n, float a, const float* x) {
  add_to_rows(table, stride, dim, rows, n, x,
              [=](std::size_t j) { return weights != nullptr ? a * weights[j] : a; });
}

void scatter_adagrad(const RowUpdate& update, const std::uint32_t* rows, const float* weights,
                     std::size_t n, const float* g, float grad_sq_mean) {
  const RowUpdate u = update;
  const auto move_accumulator = [=](std::size_t j) {
    const float weight = weights != nullptr ? weights[j] : 1.0f;
    float& history = u.history[rows[j] * u.history_stride];
    history += weight * weight * grad_sq_mean;
    return -u.lr / (__builtin_sqrtf(history) + u.eps) * weight;
  };
  if (u.dim <= kGroup * kLanes) {
    // One pass: a tenth faster than the blocks below at 8 to 32 floats.
    add_to_rows(u.table, u.stride, u.dim, rows, n, g, move_accumulator);
    return;
  }
  // Wide rows take several passes, but their accumulators move only once: those first, some rows at
  // a time.
  constexpr std::size_t kBlock = 64;
  float factors[kBlock];
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t count = n - begin < kBlock ? n - begin : kBlock;
    for (std::size_t j = 0; j < count; ++j) factors[j] = move_accumulator(begin + j);
    const float* factor = factors;
    add_to_rows(u.table, u.stride, u.dim, rows + begin, count, g,
                [=](std::size_t j) { return factor[j]; });
  }
}

void gather_rows(const float* table, std::size_t stride, std::size_t dim, const std::uint32_t* rows,
                 std::size_t n, float* out, std::size_t out_stride) {
  for_each_group(dim, [=](std::size_t begin, auto whole, auto part) {
    using G = Group<decltype(whole)::value, decltype(part)>;
    for (std::size_t j = 0; j < n; ++j) {
      if (j + kAhead < n) G::prefetch(table + rows[j + kAhead] * stride + begin);
      G row;
      row.load(table + rows[j] * stride + begin, part);
      row.store(out + j * out_stride + begin, part);
    }
  });
}

/// body(where a group lies in the table, its last part, its vectors of x and of the table), block
/// by block: blocks may overlap, so one is done with before the next begins.
template <class Body>
inline void for_each_block(const RowScatter& scatter, Body body) {
  const RowScatter s = scatter;
  const auto run = [=](std::size_t first, std::size_t last) {
    for_each_group(s.dim, [=](std::size_t begin, auto whole, auto part) {
      using G = Group<decltype(whole)::value, decltype(part)>;
      for (std::size_t j = first; j < last; ++j) {
        if (j + kAhead < s.n) G::prefetch(s.table + s.rows[j + kAhead] * s.stride + begin);
        G x, row;
        x.load(s.x + s.sources[j] + begin, part);
        const std::size_t at = s.rows[j] * s.stride + begin;
        row.load(s.table + at, part);
        body(at, part, x, row);
        row.store(s.table + at, part);
      }
    });
  };
  if (s.dim <= kGroup * kLanes) return run(0, s.n);
  for (std::size_t j = 0; j < s.n; ++j) run(j, j + 1);
}

void scatter_rows(const RowScatter& scatter, float a) {
  for_each_block(scatter,
                 [=](std::size_t, const auto&, const auto& x, auto& row) { row.add(a, x); });
}

void scatter_rows_adagrad(const RowScatter& scatter, float* history, float lr, float eps) {
  for_each_block(scatter, [=](std::size_t at, const auto& part, const auto& x, auto& row) {
    auto h = x;
    h.load(history + at, part);
#pragma GCC unroll 9
    for (std::size_t i = 0; i < h.kVecs; ++i) {
      h.v[i] += x.v[i] * x.v[i];
      row.v[i] -= lr * x.v[i] / (sqrt(h.v[i]) + eps);
    }
    h.store(history + at, part);
  });
}

/// Products of 64-bit numbers by 32-bit factors, which vectors can multiply.
inline std::uint32_t place_of(const SpreadArgs& a, std::uint32_t row, std::uint64_t offset) {
  const std::uint64_t wide = row;
  const std::uint64_t hash = wide * static_cast<std::uint32_t>(a.step) +
                             (wide * static_cast<std::uint32_t>(a.step >> 32) << 32) + offset;
  const std::uint64_t low = (hash & 0xffffffff) * a.range >> 32;
  return static_cast<std::uint32_t>(((hash >> 32) * a.range + low) >> 32) * a.scale;
}

void spread_rows(const SpreadArgs& args) {
  const SpreadArgs a = args;
  std::uint32_t* __restrict places = a.places;
  if (a.offsets == nullptr) {
    for (std::size_t i = 0; i < a.n; ++i) places[i] = place_of(a, a.rows[i], a.offset);
  } else {
    for (std::size_t i = 0; i < a.n; ++i) places[i] = place_of(a, a.rows[i], a.offsets[i]);
  }
}

}  // namespace
}  // namespace frugal
