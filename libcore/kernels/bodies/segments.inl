// Sums over the neighbours of nodes: gathers rows of a table and adds them up segment by segment. A
// segment's sums stay in registers, up to kGroup vectors of them. The remaining columns of a row
// are processed in passes of half as many, so that few bodies serve every width.
#pragma once
#include "libcore/kernels/bodies/rows.inl"
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// Number of rows to prefetch ahead, across the ends of segments, which are shorter than the
/// latency of memory.
inline constexpr std::size_t kEdgesAhead = 16;

typedef std::int8_t ByteVec __attribute__((vector_size(kLanes)));
typedef std::int8_t UnalignedByteVec __attribute__((vector_size(kLanes), aligned(1), may_alias));

inline Vec widen_bf16(HalfVec bits) { return reinterpret_cast<Vec>(widen(bits) << 16); }

inline Vec widen_f16(HalfVec bits) {
#if defined(__AVX512F__)
  return _mm512_maskz_cvtph_ps(0xffff, reinterpret_cast<__m256i>(bits));
#elif defined(__F16C__)
  return _mm256_cvtph_ps(reinterpret_cast<__m128i>(bits));
#else
  // The exponent's bias differs by 112: a product is right for subnormal numbers, too.
  const UVec u = __builtin_convertvector(bits, UVec);
  const UVec magnitude = (u & 0x7fffu) << 13;
  const UVec finite = reinterpret_cast<UVec>(reinterpret_cast<Vec>(magnitude) * 0x1p112f);
  const UVec special = reinterpret_cast<UVec>(magnitude >= (0x7c00u << 13)) & 0x7f800000u;
  return reinterpret_cast<Vec>(finite | special | ((u & 0x8000u) << 16));
#endif
}

/// Reads rows of a number type as floats: whole vectors, and the first n lanes of one.
template <RowType kType>
struct RowReader;

template <>
struct RowReader<RowType::f32> {
  typedef float Element;
  static Vec load(const Element* p, const Full&) { return frugal::load(p); }
  static Vec load(const Element* p, const First& part) { return part.load(p); }
};

template <class Half, Vec (*kWiden)(HalfVec)>
struct HalfReader {
  typedef Half Element;
  static Vec load(const Element* p, const Full&) {
    return kWiden(*reinterpret_cast<const UnalignedHalfVec*>(p));
  }
  static Vec load(const Element* p, const First& part) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    // Lane by lane it took a third of the time of rows of 100.
    const auto lanes = static_cast<__mmask16>((1U << part.size()) - 1);
    return kWiden(reinterpret_cast<HalfVec>(_mm256_maskz_loadu_epi16(lanes, p)));
#else
    HalfVec bits{};
    for (std::size_t i = 0; i < part.size(); ++i) bits[i] = p[i].bits;
    return kWiden(bits);
#endif
  }
};
template <>
struct RowReader<RowType::f16> : HalfReader<Float16, widen_f16> {};
template <>
struct RowReader<RowType::bf16> : HalfReader<BFloat16, widen_bf16> {};

template <>
struct RowReader<RowType::i8> {
  typedef std::int8_t Element;
  static Vec load(const Element* p, const Full&) {
    const ByteVec bytes = *reinterpret_cast<const UnalignedByteVec*>(p);
    return __builtin_convertvector(__builtin_convertvector(bytes, IVec), Vec);
  }
  static Vec load(const Element* p, const First& part) {
    Vec v{};
    for (std::size_t i = 0; i < part.size(); ++i) v[i] = p[i];
    return v;
  }
};

/// One segment's sums of `Whole` vectors and a part from column `column` on.
template <RowType kType, std::size_t Whole, class Part>
inline void sum_columns(const SegmentSum& s, std::size_t begin, std::size_t end, float factor,
                        std::size_t column, const Part& part, float* out) {
  using Reader = RowReader<kType>;
  using G = Group<Whole, Part>;
  const auto* table = static_cast<const typename Reader::Element*>(s.table) + column;
  G total;
  for (std::size_t i = 0; i < G::kVecs; ++i) total.v[i] = Vec{};
  for (std::size_t e = begin; e < end; ++e) {
    const std::size_t row = s.rows[e];
    float weight = s.weights != nullptr ? s.weights[e * s.weight_stride] : 1.0f;
    if constexpr (kType == RowType::i8) weight *= s.scales[row];
    const auto* from = table + row * s.stride;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Whole; ++i) {
      total.v[i] += weight * Reader::load(from + i * kLanes, Full{});
    }
    if constexpr (G::kHasRest) {
      total.v[Whole] += weight * Reader::load(from + Whole * kLanes, part);
    }
  }
#pragma GCC unroll 9
  for (std::size_t i = 0; i < G::kVecs; ++i) total.v[i] *= factor;
  if (s.add) {
    G before;
    before.load(out + column, part);
    total.add(1.0f, before);
  }
  total.store(out + column, part);
}

/// One segment's largest numbers in a vector of columns, and the rows that they are from.
template <RowType kType, class Part>
inline void max_columns(const SegmentSum& s, std::size_t begin, std::size_t end, std::size_t column,
                        const Part& part, float* out, std::uint32_t* edges) {
  using Reader = RowReader<kType>;
  const auto* table = static_cast<const typename Reader::Element*>(s.table) + column;
  const auto value = [&](std::size_t e) {
    const Vec v = Reader::load(table + s.rows[e] * s.stride, part);
    return kType == RowType::i8 ? s.scales[s.rows[e]] * v : v;
  };
  Vec largest{};
  UVec edge = UVec{} + kEmptySegment;
  if (begin < end) {
    largest = value(begin);
    edge = UVec{} + static_cast<std::uint32_t>(begin);
  }
  for (std::size_t e = begin + 1; e < end; ++e) {
    const Vec v = value(e);
    const IVec above = v > largest;
    largest = select(above, v, largest);
    edge = above ? UVec{} + static_cast<std::uint32_t>(e) : edge;
  }
  part.store(out + column, largest);
  if constexpr (__is_same(Part, Full)) {
    *reinterpret_cast<UnalignedUVec*>(edges + column) = edge;
  } else {
    for (std::size_t i = 0; i < part.size(); ++i) edges[column + i] = edge[i];
  }
}

/// body(segment, its first and last edge), with the rows of later edges on their way.
template <RowType kType, class Body>
inline void for_each_segment(const SegmentSum& s, Body body) {
  if (s.num_segments == 0) return;
  const std::size_t first = s.offsets[0], last = s.offsets[s.num_segments] - first;
  constexpr std::size_t kElement = sizeof(typename RowReader<kType>::Element);
  const char* bytes = static_cast<const char*>(s.table);
  const auto prefetch = [=](std::size_t e) {
    const char* row = bytes + s.rows[e] * s.stride * kElement;
    for (std::size_t i = 0; i < s.dim * kElement; i += 64) __builtin_prefetch(row + i);
  };
  for (std::size_t e = 0; e < last && e < kEdgesAhead; ++e) prefetch(e);
  for (std::size_t t = 0; t < s.num_segments; ++t) {
    const std::size_t begin = s.offsets[t] - first, end = s.offsets[t + 1] - first;
    for (std::size_t e = begin + kEdgesAhead; e < end + kEdgesAhead && e < last; ++e) prefetch(e);
    body(t, begin, end);
  }
}

template <RowType kType>
void sum_segments(const SegmentSum& args) {
  const SegmentSum s = args;
  for_each_segment<kType>(s, [&](std::size_t t, std::size_t begin, std::size_t end) {
    const float factor = s.mean && end > begin ? 1.0f / static_cast<float>(end - begin) : 1.0f;
    float* out = s.out + t * s.out_stride;
    std::size_t i = 0;
    const auto pass = [&](auto whole, const auto& part) {
      sum_columns<kType, decltype(whole)::value>(s, begin, end, factor, i, part, out);
      i += decltype(whole)::value * kLanes;
    };
    while (s.dim - i >= 8 * kLanes) pass(Count<8>{}, Full{});
    if (s.dim - i >= 4 * kLanes) pass(Count<4>{}, Full{});
    const std::size_t whole = (s.dim - i) / kLanes, rest = (s.dim - i) % kLanes;
    if (rest == 0) {
      if (whole >= 2) pass(Count<2>{}, Full{});
      if (whole % 2 == 1) pass(Count<1>{}, Full{});
    } else {
      if (whole >= 2) {
        whole == 2 ? pass(Count<2>{}, First(rest)) : pass(Count<2>{}, Full{});
      }
      if (whole % 2 == 1) pass(Count<1>{}, First(rest));
      if (whole == 0) pass(Count<0>{}, First(rest));
    }
  });
}

template <RowType kType>
void max_segments(const SegmentSum& args, std::uint32_t* edges) {
  const SegmentSum s = args;
  for_each_segment<kType>(s, [&](std::size_t t, std::size_t begin, std::size_t end) {
    for_each_vec(s.dim, [&](std::size_t i, const auto& part) {
      max_columns<kType>(s, begin, end, i, part, s.out + t * s.out_stride,
                         edges + t * s.out_stride);
    });
  });
}

void segment_sum(const SegmentSum& args) {
  switch (args.type) {
    case RowType::f32: return sum_segments<RowType::f32>(args);
    case RowType::f16: return sum_segments<RowType::f16>(args);
    case RowType::bf16: return sum_segments<RowType::bf16>(args);
    case RowType::i8: return sum_segments<RowType::i8>(args);
  }
}

void segment_max(const SegmentSum& args, std::uint32_t* edges) {
  switch (args.type) {
    case RowType::f32: return max_segments<RowType::f32>(args, edges);
    case RowType::f16: return max_segments<RowType::f16>(args, edges);
    case RowType::bf16: return max_segments<RowType::bf16>(args, edges);
    case RowType::i8: return max_segments<RowType::i8>(args, edges);
  }
}

}  // namespace
}  // namespace frugal
