// Attention over lists of rows that are composed of parts. Two heads are worked on in one pass over
// a list's rows, which stay in the first-level cache from pass to pass.
#pragma once
#include "libcore/kernels/bodies/dense.inl"
#include "libcore/kernels/bodies/rows.inl"
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// Room on the stack for the factors of entries; longer lists are worked on in chunks.
inline constexpr std::size_t kFactors = 1024;
/// Vectors of columns in a pass over a list; per head they stay in registers.
inline constexpr std::size_t kSumVecs = 4;
inline constexpr std::size_t kGradientVecs = kLanes == 16 ? 4 : 2;

inline const float* entry_row(const AttentionPart& part, std::size_t e) {
  return part.table + (part.rows != nullptr ? part.rows[e] : e) * part.stride;
}

inline std::size_t attention_width(const Attention& a) {
  std::size_t width = 0;
  for (std::size_t p = 0; p < a.num_parts; ++p) width += a.parts[p].dim;
  return width;
}

/// sums[i] = the sum of v[i]'s lanes, K a power of two: a tree that halves the number of vectors at
/// each step, a third of the work of one sum after the other.
template <std::size_t K>
inline void store_lane_sums(Vec* v, float* sums) {
  static_assert(K <= 2 * kLanes);
#pragma GCC unroll 4
  for (std::size_t half = K / 2; half > K / kLanes / 2; half /= 2) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < half; ++i) {
      v[i] = interleave_low(v[i], v[i + half]) + interleave_high(v[i], v[i + half]);
    }
  }
  if constexpr (K > kLanes) {
    store(sums, interleave_low(v[0], v[1]));
    store(sums + kLanes, interleave_high(v[0], v[1]));
  } else {
    // Lane i + j K holds a share of sum i.
    float lanes[kLanes];
    store(lanes, v[0]);
    for (std::size_t half = kLanes / 2; half >= K; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    }
    for (std::size_t i = 0; i < K; ++i) sums[i] = lanes[i];
  }
}

/// dots[i * heads + h] = factor x . vectors' head h for N entries from e on, Heads heads; of
/// `vectors` [heads * width] the first of these heads.
template <std::size_t N, std::size_t Heads>
inline void entry_dots(const Attention& a, std::size_t width, std::size_t e, const float* vectors,
                       float factor, float* dots) {
  Vec s[N * Heads] = {};
  for (std::size_t p = 0; p < a.num_parts; ++p) {
    const AttentionPart& part = a.parts[p];
    const float* x[N];
#pragma GCC unroll 4
    for (std::size_t n = 0; n < N; ++n) x[n] = entry_row(part, e + n);
    for_each_vec(part.dim, [&](std::size_t i, const auto& lanes) {
      Vec q[Heads];
#pragma GCC unroll 2
      for (std::size_t h = 0; h < Heads; ++h) q[h] = lanes.load(vectors + h * width + i);
#pragma GCC unroll 4
      for (std::size_t n = 0; n < N; ++n) {
        const Vec v = lanes.load(x[n] + i);
#pragma GCC unroll 2
        for (std::size_t h = 0; h < Heads; ++h) s[n * Heads + h] += v * q[h];
      }
    });
    vectors += part.dim;
  }
  float sums[N * Heads];
  store_lane_sums<N * Heads>(s, sums);
  for (std::size_t n = 0; n < N; ++n) {
    for (std::size_t h = 0; h < Heads; ++h) dots[n * a.heads + h] = factor * sums[n * Heads + h];
  }
}

/// body(head, Count<heads from there on>) for two heads at a time.
template <class Body>
inline void for_each_head_pair(std::size_t heads, Body body) {
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
    while (end - e >= 4) run(Count<4>{});
    if (end - e >= 2) run(Count<2>{});
    if (end - e >= 1) run(Count<1>{});
  });
}

/// Entries [begin, end) of a part and a factor of each for Heads heads, those of entry e at
/// factors[(e - begin) * stride].
struct FactoredEntries {
  const AttentionPart& part;
  std::size_t begin, end;
  const float* factors;
  std::size_t stride;
};

/// Columns `column` on of each head of out, `width` apart: the sum of factor times row; add: to
/// what is there.
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
#pragma GCC unroll 2
    for (std::size_t h = 0; h < Heads; ++h) total[h].add(factor[h], row);
  }
#pragma GCC unroll 2
  for (std::size_t h = 0; h < Heads; ++h) total[h].store(out + h * width + column, lanes);
}

/// What the gradient of entries is made of: for each head kept times dout and dscore times query.
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

/// body(first column, Count<whole vectors>, lanes behind them: Full if none), Most vectors at a
/// time.
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
/// x_e; add: to what is there.
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

/// The factors of a chunk of a list: kept = keep a, dscore the gradient of the scores.
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

/// body(offset, lanes) over `entries` rows of `heads` numbers so that the lanes of a vector belong
/// to the same heads each time: lane l to head first + l % count.
template <class Body>
inline void for_each_head_vec(std::size_t entries, std::size_t heads, std::size_t first,
                              std::size_t count, Body body) {
  const std::size_t rows = count == heads ? kLanes / heads : 1;
  for (std::size_t e = 0; e < entries; e += rows) {
    const std::size_t used = (entries - e < rows ? entries - e : rows) * count;
    if (used == kLanes) {
      body(e * heads + first, Full{});
    } else {
      body(e * heads + first, First(used));
    }
  }
}

/// fold() of the lanes of each of `heads` heads, in all lanes of the head.
template <class Fold>
inline Vec fold_heads(Vec v, std::size_t heads, Fold fold) {
  float lanes[kLanes];
  store(lanes, v);
  for (std::size_t l = heads; l < kLanes; ++l) {
    lanes[l % heads] = fold(lanes[l % heads], lanes[l]);
  }
  for (std::size_t l = heads; l < kLanes; ++l) lanes[l] = lanes[l - heads];
  return load(lanes);
}

/// Softmax over the entries, for each head.
inline void softmax_heads(float* scores, std::size_t entries, std::size_t heads) {
  for (std::size_t first = 0; first < heads; first += kLanes) {
    const std::size_t count = heads - first < kLanes ? heads - first : kLanes;
    const auto each = [&](auto body) { for_each_head_vec(entries, heads, first, count, body); };
    Vec highest = splat(-__builtin_inff());
    each([&](std::size_t i, const auto& lanes) {
      highest = larger(lanes.keep(lanes.load(scores + i), -__builtin_inff()), highest);
    });
    highest = fold_heads(highest, count, [](float x, float y) { return x > y ? x : y; });
    Vec total{};
    each([&](std::size_t i, const auto& lanes) {
      const Vec e = exp(lanes.load(scores + i) - highest);
      lanes.store(scores + i, e);
      total += lanes.keep(e, 0);
    });
    const Vec share = 1.0f / fold_heads(total, count, [](float x, float y) { return x + y; });
    each([&](std::size_t i, const auto& lanes) {
      lanes.store(scores + i, share * lanes.load(scores + i));
    });
  }
}

/// kept[i] = the weights of entries [begin, end) times keep.
inline void keep_weights(const Attention& a, std::size_t begin, std::size_t end, float* kept) {
  const std::size_t at = begin * a.heads, n = (end - begin) * a.heads;
  for_each_vec(n, [&](std::size_t i, const auto& lanes) {
    Vec w = lanes.load(a.weights + at + i);
    if (a.keep != nullptr) w *= lanes.load(a.keep + at + i);
    lanes.store(kept + i, w);
  });
}

void attention_forward(const Attention& args) {
  const Attention a = args;
  const std::size_t width = attention_width(a), most = kFactors / a.heads;
  float kept[kFactors];
  for (std::size_t q = 0; q < a.num_queries; ++q) {
    const std::size_t begin = a.offsets[q], end = a.offsets[q + 1];
    float* out = a.out + q * a.out_stride;
    float* sums = a.sums == nullptr ? nullptr : a.sums + q * a.heads;
    float* weights = a.weights + begin * a.heads;
    list_dots(a, width, begin, end, a.query + q * a.query_stride, a.scale, weights);
    if (end > begin) softmax_heads(weights, end - begin, a.heads);
    if (sums != nullptr) {
      for (std::size_t h = 0; h < a.heads; ++h) sums[h] = 0;
    }
    std::size_t chunk = begin;
    do {
      const std::size_t chunk_end = end - chunk < most ? end : chunk + most;
      keep_weights(a, chunk, chunk_end, kept);
      list_sums(a, width, chunk, chunk_end, kept, out, chunk > begin);
      if (sums != nullptr) {
        for (std::size_t i = 0; i < (chunk_end - chunk) * a.heads; i += a.heads) {
          for (std::size_t h = 0; h < a.heads; ++h) sums[h] += kept[i + h];
        }
      }
      chunk = chunk_end;
    } while (chunk < end);
  }
}

/// The backward pass over one list.
class ListBackward {
 public:
  ListBackward(const Attention& a, std::size_t q, const float* dout, const float* dsums)
      : a_(a),
        width_(attention_width(a)),
        begin_(a.offsets[q]),
        end_(a.offsets[q + 1]),
        query_(a.query + q * a.query_stride),
        dout_(dout),
        dsums_(dsums == nullptr ? nullptr : dsums + q * a.heads) {}

  void run(float* dquery) {
    const std::size_t most = kFactors / a_.heads;
    for (std::size_t h = 0; h < a_.heads; ++h) mean_[h] = 0;
    std::size_t chunk = begin_;
    do {
      const std::size_t chunk_end = end_ - chunk < most ? end_ : chunk + most;
      weight_gradients(chunk, chunk_end);
      chunk = chunk_end;
    } while (chunk < end_);
    const bool several = end_ - begin_ > most;
    chunk = begin_;
    do {
      const std::size_t chunk_end = end_ - chunk < most ? end_ : chunk + most;
      if (several) weight_gradients_again(chunk, chunk_end);
      score_gradients(chunk, chunk_end);
      list_sums(a_, width_, chunk, chunk_end, dscore_, dquery, chunk > begin_);
      list_gradients(a_, width_, {chunk, chunk_end, kept_, dscore_}, dout_, query_);
      chunk = chunk_end;
    } while (chunk < end_);
  }

 private:
  /// dscore_ = the gradients of a_e; kept_.
  void weight_gradients_again(std::size_t begin, std::size_t end) {
    list_dots(a_, width_, begin, end, dout_, 1, dscore_);
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t h = 0; h < a_.heads; ++h) {
        const std::size_t i = (e - begin) * a_.heads + h;
        const float keep = a_.keep != nullptr ? a_.keep[e * a_.heads + h] : 1.0f;
        kept_[i] = keep * a_.weights[e * a_.heads + h];
        dscore_[i] = keep * (dscore_[i] + (dsums_ != nullptr ? dsums_[h] : 0.0f));
      }
    }
  }
  void weight_gradients(std::size_t begin, std::size_t end) {
    weight_gradients_again(begin, end);
    for (std::size_t i = 0; i < (end - begin) * a_.heads; i += a_.heads) {
      for (std::size_t h = 0; h < a_.heads; ++h) {
        mean_[h] += dscore_[i + h] * a_.weights[begin * a_.heads + i + h];
      }
    }
  }
  void score_gradients(std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < (end - begin) * a_.heads; i += a_.heads) {
      for (std::size_t h = 0; h < a_.heads; ++h) {
        dscore_[i + h] =
            a_.scale * a_.weights[begin * a_.heads + i + h] * (dscore_[i + h] - mean_[h]);
      }
    }
  }

  const Attention& a_;
  std::size_t width_, begin_, end_;
  const float* query_;
  const float* dout_;
  const float* dsums_;
  float mean_[kFactors];  ///< of the gradients of a_e, weighted by a_e, of each head
  float kept_[kFactors], dscore_[kFactors];
};

void attention_backward(const Attention& args, const float* dout, std::size_t dout_stride,
                        const float* dsums, float* dquery, std::size_t dquery_stride) {
  const Attention a = args;
  for (std::size_t q = 0; q < a.num_queries; ++q) {
    ListBackward(a, q, dout + q * dout_stride, dsums).run(dquery + q * dquery_stride);
  }
}

}  // namespace
}  // namespace frugal
