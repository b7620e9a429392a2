// Attention over lists of rows that are composed of parts.
#pragma once
#include "libcore/kernels/bodies/attention/attended_rows.inl"
#include "libcore/kernels/bodies/attention/head_lanes.inl"
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// Room on the stack for the factors of entries; longer lists are worked on in chunks.
inline constexpr std::size_t kFactors = 1024;

inline std::size_t attention_width(const Attention& a) {
  std::size_t width = 0;
  for (std::size_t p = 0; p < a.num_parts; ++p) width += a.parts[p].dim;
  return width;
}

/// kept = keep a of the entries [begin, end); sums[h] += those of head h, unless it is null.
inline void keep_weights(const Attention& a, std::size_t begin, std::size_t end, float* kept,
                         float* sums) {
  const float* weights = a.weights + begin * a.heads;
  const float* keep = a.keep == nullptr ? nullptr : a.keep + begin * a.heads;
  for_each_head_group(a.heads, [&](std::size_t first, std::size_t count) {
    Vec total{};
    for_each_head_vec(end - begin, a.heads, first, count, [&](std::size_t i, const auto& lanes) {
      Vec w = lanes.load(weights + i);
      if (keep != nullptr) w *= lanes.load(keep + i);
      lanes.store(kept + i, w);
      total += w;
    });
    if (sums == nullptr) return;
    total = fold_heads(total, count, [](auto x, auto y) { return x + y; });
    for (std::size_t h = 0; h < count; ++h) sums[first + h] += total[h];
  });
}

/// body(begin, end) for the entries of a list in chunks whose factors fit on the stack; once for an
/// empty list, whose sums are 0.
template <class Body>
inline void for_each_chunk(const Attention& a, std::size_t q, Body body) {
  const std::size_t end = a.offsets[q + 1], most = kFactors / a.heads;
  std::size_t begin = a.offsets[q];
  while (end - begin > most) {
    body(begin, begin + most);
    begin += most;
  }
  body(begin, end);
}

/// Asks for rows of a part's table or gradient for the entries [begin, end): those that follow each
/// other (no rows) the processor foresees.
inline void prefetch_rows(const float* table, std::size_t stride, std::size_t dim,
                          const std::uint32_t* rows, std::size_t begin, std::size_t end) {
  if (table == nullptr || rows == nullptr || dim == 0) return;
  for (std::size_t e = begin; e < end; ++e) {
    if (rows[e] == kNoGradient) continue;
    const float* row = table + rows[e] * stride;
    for (std::size_t i = 0; i < dim; i += 16) __builtin_prefetch(row + i);
    __builtin_prefetch(row + dim - 1);
  }
}

/// Asks for the rows of list q, a list ahead of their use: from memory they took two to three times
/// as long.
inline void prefetch_list(const Attention& a, std::size_t q, bool gradients) {
  if (q >= a.num_queries) return;
  const std::size_t begin = a.offsets[q], end = a.offsets[q + 1];
  for (std::size_t p = 0; p < a.num_parts; ++p) {
    const AttentionPart& part = a.parts[p];
    prefetch_rows(part.table, part.stride, part.dim, part.rows, begin, end);
    if (!gradients) continue;
    prefetch_rows(part.gradient, part.gradient_stride, part.dim, part.gradient_rows, begin, end);
  }
}

void attention_forward(const Attention& args) {
  const Attention a = args;
  const std::size_t width = attention_width(a);
  float kept[kFactors];
  for (std::size_t q = 0; q < a.num_queries; ++q) {
    prefetch_list(a, q + 1, false);
    const std::size_t first = a.offsets[q], last = a.offsets[q + 1];
    float* weights = a.weights + first * a.heads;
    list_dots(a, width, first, last, a.query + q * a.query_stride, a.scale, weights);
    softmax_heads(weights, last - first, a.heads);
    float* sums = a.sums == nullptr ? nullptr : a.sums + q * a.heads;
    for (std::size_t h = 0; sums != nullptr && h < a.heads; ++h) sums[h] = 0;
    for_each_chunk(a, q, [&](std::size_t begin, std::size_t end) {
      keep_weights(a, begin, end, kept, sums);
      list_sums(a, width, begin, end, kept, a.out + q * a.out_stride, begin > first);
    });
  }
}

/// The backward pass over one list.
class ListBackward {
 public:
  ListBackward(const Attention& a, std::size_t q, const float* dout, const float* dsums)
      : a_(a),
        q_(q),
        width_(attention_width(a)),
        dout_(dout),
        dsums_(dsums == nullptr ? nullptr : dsums + q * a.heads) {}

  void run(float* dquery) {
    const std::size_t first = a_.offsets[q_], last = a_.offsets[q_ + 1];
    float sums[kFactors];
    for (std::size_t h = 0; h < a_.heads; ++h) sums[h] = 0;
    for_each_chunk(a_, q_,
                   [&](std::size_t begin, std::size_t end) { weight_gradients(begin, end, sums); });
    for (std::size_t h = 0; h < a_.heads; ++h) mean_[h] = sums[h];
    const bool again = (last - first) * a_.heads > kFactors;  // all but the last are lost
    for_each_chunk(a_, q_, [&](std::size_t begin, std::size_t end) {
      if (again) weight_gradients(begin, end, sums);
      score_gradients(begin, end);
      list_sums(a_, width_, begin, end, gradient_, dquery, begin > first);
      list_gradients(a_, width_, {begin, end, kept_, gradient_}, dout_,
                     a_.query + q_ * a_.query_stride);
    });
  }

 private:
  /// gradient_: those by a_e; sums[h] += their sum over the entries, each times a_e. kept_ = keep
  /// a.
  void weight_gradients(std::size_t begin, std::size_t end, float* sums) {
    list_dots(a_, width_, begin, end, dout_, 1, gradient_);
    const float* weights = a_.weights + begin * a_.heads;
    const float* keep = a_.keep == nullptr ? nullptr : a_.keep + begin * a_.heads;
    for_each_head_group(a_.heads, [&](std::size_t first, std::size_t count) {
      const Vec dsums = dsums_ == nullptr ? Vec{} : spread_heads(dsums_ + first, count);
      Vec total{};
      for_each_head_vec(end - begin, a_.heads, first, count, [&](std::size_t i, const auto& lanes) {
        const Vec weight = lanes.load(weights + i);
        const Vec factor = keep == nullptr ? splat(1.0f) : lanes.load(keep + i);
        const Vec d = factor * (lanes.load(gradient_ + i) + dsums);
        lanes.store(kept_ + i, factor * weight);
        lanes.store(gradient_ + i, d);
        total += weight * d;
      });
      total = fold_heads(total, count, [](auto x, auto y) { return x + y; });
      for (std::size_t h = 0; h < count; ++h) sums[first + h] += total[h];
    });
  }
  /// gradient_: those by the products of query and entries.
  void score_gradients(std::size_t begin, std::size_t end) {
    const float* weights = a_.weights + begin * a_.heads;
    for_each_head_group(a_.heads, [&](std::size_t first, std::size_t count) {
      const Vec mean = spread_heads(mean_ + first, count);
      for_each_head_vec(end - begin, a_.heads, first, count, [&](std::size_t i, const auto& lanes) {
        const Vec weight = a_.scale * lanes.load(weights + i);
        lanes.store(gradient_ + i, weight * (lanes.load(gradient_ + i) - mean));
      });
    });
  }

  const Attention& a_;
  std::size_t q_, width_;
  const float* dout_;
  const float* dsums_;
  float mean_[kFactors];  ///< of the gradients by a_e, weighted with a_e, of each head
  float kept_[kFactors], gradient_[kFactors];
};

void attention_backward(const Attention& args, const float* dout, std::size_t dout_stride,
                        const float* dsums, float* dquery, std::size_t dquery_stride) {
  const Attention a = args;
  for (std::size_t q = 0; q < a.num_queries; ++q) {
    prefetch_list(a, q + 1, true);
    ListBackward(a, q, dout + q * dout_stride, dsums).run(dquery + q * dquery_stride);
  }
}

}  // namespace
}  // namespace frugal
