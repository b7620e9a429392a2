// Products with the attended rows, sums of them, and their gradients. Two heads are processed in
// one pass over a list's rows, which stay in the first-level cache from pass to pass.
#pragma once
#include "libcore/kernels/bodies/lane_sums.inl"
#include "libcore/kernels/bodies/rows.inl"
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// Entries whose products with two heads are formed together, as registers allow.
inline constexpr std::size_t kDotEntries = kLanes == 16 ? 8 : 4;
/// Vectors of columns, of two heads each, in a pass over a list.
inline constexpr std::size_t kSumVecs = 4;
inline constexpr std::size_t kGradientVecs = kLanes == 16 ? 4 : 2;

inline const float* entry_row(const AttentionPart& part, std::size_t e) {
  return part.table + (part.rows != nullptr ? part.rows[e] : e) * part.stride;
}

/// dots[i * heads + h] = factor x . (head h) for N entries from e on and `Heads` heads. `vectors`
/// points to the first of these heads in [heads * width].
template <std::size_t N, std::size_t Heads>
inline void entry_dots(const Attention& a, std::size_t width, std::size_t e, const float* vectors,
                       float factor, float* dots) {
  Vec s[N * Heads];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < N * Heads; ++i) s[i] = Vec{};
  for (std::size_t p = 0; p < a.num_parts; ++p) {
    const AttentionPart& part = a.parts[p];
    if (part.dim == 0) continue;
    const float* x[N];
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) x[n] = entry_row(part, e + n);
    for_each_vec(part.dim, [&](std::size_t i, const auto& lanes) {
      Vec q[Heads];
#pragma GCC unroll 2
      for (std::size_t h = 0; h < Heads; ++h) q[h] = lanes.load(vectors + h * width + i);
#pragma GCC unroll 8
      for (std::size_t n = 0; n < N; ++n) {
        const Vec v = in_register(lanes.load(x[n] + i));
#pragma GCC unroll 2
        for (std::size_t h = 0; h < Heads; ++h) s[n * Heads + h] += v * q[h];
      }
    });
    vectors += part.dim;
  }
  float sums[N * Heads];
  store_lane_sums<N * Heads>(s, sums);
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N; ++n) {
#pragma GCC unroll 2
    for (std::size_t h = 0; h < Heads; ++h) dots[n * a.heads + h] = factor * sums[n * Heads + h];
  }
}

/// body(head, Count<heads from there on>) for two heads at a time.
template <class Body>
inline void for_each_head_pair(std::size_t heads, const Body& body) {
  std::size_t h = 0;
  for (; h + 2 <= heads; h += 2) body(h, Count<2>{});
  if (h < heads) body(h, Count<1>{});
}

/// dots[(e - begin) * heads + h] = factor x_e . (head h of vectors) for the entries [begin, end).
inline void list_dots(const Attention& a, std::size_t width, std::size_t begin, std::size_t end,
                      const float* vectors, float factor, float* dots) {
  for_each_head_pair(a.heads, [&](std::size_t h, auto heads) {
    constexpr std::size_t kHeads = decltype(heads)::value;
    std::size_t e = begin;
    const auto run = [&](auto count) {
      entry_dots<decltype(count)::value, kHeads>(a, width, e, vectors + h * width, factor,
                                                 dots + (e - begin) * a.heads + h);
      e += decltype(count)::value;
    };
    while (end - e >= kDotEntries) run(Count<kDotEntries>{});
    if (kDotEntries > 4 && end - e >= 4) run(Count<4>{});
    if (end - e >= 2) run(Count<2>{});
    if (end - e >= 1) run(Count<1>{});
  });
}

/// Entries [begin, end) of a part, and factors for Heads heads; those of entry e begin at
/// factors[(e - begin) * stride].
struct FactoredEntries {
  const AttentionPart& part;
  std::size_t begin, end;
  const float* factors;
  std::size_t stride;
};

/// Weighted sum of the rows for each head of out, `width` apart, in the columns from `column` on.
/// add: adds to `out` instead of overwriting it.
template <std::size_t Heads, std::size_t Whole, class Lanes>
inline void sum_entries(const FactoredEntries& list, std::size_t column, const Lanes& lanes,
                        float* out, std::size_t width, bool add) {
  using G = Group<Whole, Lanes>;
  G total[Heads];
#pragma GCC unroll 2
  for (std::size_t h = 0; h < Heads; ++h) {
#pragma GCC unroll 9
    for (std::size_t i = 0; i < G::kVecs; ++i) total[h].v[i] = Vec{};
    if (add) total[h].load(out + h * width + column, lanes);
  }
  const float* factor = list.factors;
  for (std::size_t e = list.begin; e < list.end; ++e, factor += list.stride) {
    G row;
    row.load(entry_row(list.part, e) + column, lanes);
#pragma GCC unroll 9
    for (std::size_t i = 0; i < G::kVecs; ++i) row.v[i] = in_register(row.v[i]);
#pragma GCC unroll 2
    for (std::size_t h = 0; h < Heads; ++h) total[h].add(factor[h], row);
  }
#pragma GCC unroll 2
  for (std::size_t h = 0; h < Heads; ++h) total[h].store(out + h * width + column, lanes);
}

/// Factors of the gradient of entries, which adds kept * dout + dscore * query for each head.
struct EntryGradients {
  const AttentionPart& part;
  std::size_t begin, end;
  const float* kept;
  const float* dscore;
  std::size_t stride;
  const float* dout;
  const float* query;
  std::size_t width;
};

template <std::size_t Heads, std::size_t Whole, class Lanes>
inline void add_gradients(const EntryGradients& list, std::size_t column, const Lanes& lanes) {
  using G = Group<Whole, Lanes>;
  const AttentionPart& part = list.part;
  G dout[Heads], query[Heads];
#pragma GCC unroll 2
  for (std::size_t h = 0; h < Heads; ++h) {
    dout[h].load(list.dout + h * list.width + column, lanes);
    query[h].load(list.query + h * list.width + column, lanes);
  }
  for (std::size_t e = list.begin; e < list.end; ++e) {
    const std::size_t row = part.gradient_rows != nullptr ? part.gradient_rows[e] : e;
    if (part.gradient_rows != nullptr && row == kNoGradient) continue;
    float* target = part.gradient + row * part.gradient_stride + column;
    const std::size_t at = (e - list.begin) * list.stride;
    G g;
    g.load(target, lanes);
#pragma GCC unroll 2
    for (std::size_t h = 0; h < Heads; ++h) {
      g.add(list.kept[at + h], dout[h]);
      g.add(list.dscore[at + h], query[h]);
    }
    g.store(target, lanes);
  }
}

/// Calls body(first column, Count<whole vectors>, lanes after them: Full if none) for at most Most
/// vectors at a time.
template <std::size_t Most, std::size_t Whole = Most - 1, class Body>
inline void with_rest(std::size_t column, std::size_t dim, const Body& body) {
  const std::size_t whole = (dim - column) / kLanes, rest = (dim - column) % kLanes;
  if (whole == Whole) {
    if (rest == 0) {
      if constexpr (Whole > 0) body(column, Count<Whole>{}, Full{});
    } else {
      body(column, Count<Whole>{}, First(rest));
    }
  } else if constexpr (Whole > 0) {
    with_rest<Most, Whole - 1>(column, dim, body);
  }
}
template <std::size_t Most, class Body>
inline void for_each_column_group(std::size_t dim, const Body& body) {
  std::size_t column = 0;
  for (; dim - column >= Most * kLanes; column += Most * kLanes) {
    body(column, Count<Most>{}, Full{});
  }
  with_rest<Most>(column, dim, body);
}

/// out[h * width ...] = the sum over the entries [begin, end) of factors[(e - begin) * heads + h]
/// x_e. add: adds to `out` instead of overwriting it.
inline void list_sums(const Attention& a, std::size_t width, std::size_t begin, std::size_t end,
                      const float* factors, float* out, bool add) {
  for_each_head_pair(a.heads, [&](std::size_t h, auto heads) {
    float* to = out + h * width;
    for (std::size_t p = 0; p < a.num_parts; ++p) {
      const AttentionPart& part = a.parts[p];
      const FactoredEntries list{part, begin, end, factors + h, a.heads};
      for_each_column_group<kSumVecs>(part.dim,
                                      [&](std::size_t column, auto whole, const auto& lanes) {
                                        sum_entries<decltype(heads)::value, decltype(whole)::value>(
                                            list, column, lanes, to, width, add);
                                      });
      to += part.dim;
    }
  });
}

/// Factors of a chunk of a list: kept = keep a; dscore = gradient of the scores.
struct AttentionChunk {
  std::size_t begin, end;
  const float* kept;
  const float* dscore;
};

inline void list_gradients(const Attention& a, std::size_t width, const AttentionChunk& chunk,
                           const float* dout, const float* query) {
  for_each_head_pair(a.heads, [&](std::size_t h, auto heads) {
    std::size_t at = h * width;
    for (std::size_t p = 0; p < a.num_parts; ++p) {
      const AttentionPart& part = a.parts[p];
      if (part.gradient != nullptr) {
        const EntryGradients list{part,           chunk.begin,      chunk.end,
                                  chunk.kept + h, chunk.dscore + h, a.heads,
                                  dout + at,      query + at,       width};
        for_each_column_group<kGradientVecs>(
            part.dim, [&](std::size_t column, auto whole, const auto& lanes) {
              add_gradients<decltype(heads)::value, decltype(whole)::value>(list, column, lanes);
            });
      }
      at += part.dim;
    }
  });
}

}  // namespace
}  // namespace frugal
