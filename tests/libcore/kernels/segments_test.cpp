#include <cstring>

#include "libcore/base/float16.h"
#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

constexpr std::size_t kNumRows = 19, kNumSegments = 6;
/// Neighbours of each segment: none, one, many, more than are fetched ahead.
constexpr std::uint32_t kOffsets[kNumSegments + 1] = {5, 5, 6, 8, 48, 48, 51};
constexpr std::size_t kNumEdges = 46;

/// A table of numbers of a type, its rows as doubles, and edges.
struct Table {
  RowType type;
  std::size_t dim, stride;
  std::vector<std::uint8_t> bytes;
  std::vector<double> values;
  Floats scales, weights;
  std::vector<std::uint32_t> rows;

  Table(RowType type_, std::size_t dim_)
      : type(type_),
        dim(dim_),
        stride(dim_ + 3),
        values(kNumRows * dim_),
        scales(Floats::random(kNumRows, 4, 0.001, 0.02)),
        weights(Floats::random(2 * kNumEdges, 5)) {
    const std::size_t size = type == RowType::f32 ? 4 : type == RowType::i8 ? 1 : 2;
    // The last row ends where the memory does.
    bytes.resize(((kNumRows - 1) * stride + dim) * size);
    Rng rng(dim);
    for (std::size_t r = 0; r < kNumRows; ++r) {
      for (std::size_t i = 0; i < dim; ++i) {
        values[r * dim + i] =
            put(bytes.data() + (r * stride + i) * size, static_cast<float>(rng.uniform(-1, 1)), r);
      }
    }
    for (std::size_t e = 0; e < kNumEdges; ++e) {
      rows.push_back(static_cast<std::uint32_t>(rng.below(kNumRows)));
    }
  }

  double put(std::uint8_t* to, float x, std::size_t row) const {
    if (type == RowType::f32) std::memcpy(to, &x, 4);
    const Float16 half = to_float16(x);
    const BFloat16 brain = to_bfloat16(x);
    if (type == RowType::f16) std::memcpy(to, &half, 2);
    if (type == RowType::bf16) std::memcpy(to, &brain, 2);
    if (type == RowType::f16) return to_float(half);
    if (type == RowType::bf16) return to_float(brain);
    if (type == RowType::f32) return x;
    const auto byte = static_cast<std::int8_t>(x * 127);
    std::memcpy(to, &byte, 1);
    return byte * static_cast<double>(scales[row]);
  }
};

void check_sums(const Kernels& k, const Table& table, bool weighted, bool mean, bool add) {
  const std::size_t out_stride = table.dim + 1;
  Floats out(kNumSegments * out_stride - 1, 0.5f);
  k.segment_sum({.type = table.type,
                 .table = table.bytes.data(),
                 .stride = table.stride,
                 .dim = table.dim,
                 .scales = table.scales.data(),
                 .rows = table.rows.data(),
                 .offsets = kOffsets,
                 .num_segments = kNumSegments,
                 .weights = weighted ? table.weights.data() : nullptr,
                 .weight_stride = 2,
                 .mean = mean,
                 .add = add,
                 .out = out.data(),
                 .out_stride = out_stride});
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < kNumSegments; ++t) {
    const std::size_t begin = kOffsets[t] - kOffsets[0], end = kOffsets[t + 1] - kOffsets[0];
    for (std::size_t i = 0; i < table.dim; ++i) {
      double want = 0;
      for (std::size_t e = begin; e < end; ++e) {
        want += table.values[table.rows[e] * table.dim + i] *
                (weighted ? static_cast<double>(table.weights[2 * e]) : 1);
      }
      if (mean && end > begin) want /= static_cast<double>(end - begin);
      wrong += !close(out[t * out_stride + i], want + (add ? 0.5 : 0), 30);
    }
    if (t + 1 < kNumSegments) wrong += out[t * out_stride + table.dim] != 0.5f;
  }
  CHECK(wrong == 0);
}

void check_largest(const Kernels& k, const Table& table) {
  const std::size_t out_stride = table.dim + 1;
  Floats out(kNumSegments * out_stride - 1);
  std::vector<std::uint32_t> edges(kNumSegments * out_stride, 7);
  k.segment_max({.type = table.type,
                 .table = table.bytes.data(),
                 .stride = table.stride,
                 .dim = table.dim,
                 .scales = table.scales.data(),
                 .rows = table.rows.data(),
                 .offsets = kOffsets,
                 .num_segments = kNumSegments,
                 .out = out.data(),
                 .out_stride = out_stride},
                edges.data());
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < kNumSegments; ++t) {
    const std::size_t begin = kOffsets[t] - kOffsets[0], end = kOffsets[t + 1] - kOffsets[0];
    for (std::size_t i = 0; i < table.dim; ++i) {
      double want = 0;
      std::uint32_t edge = kEmptySegment;
      for (std::size_t e = begin; e < end; ++e) {
        const double v = table.values[table.rows[e] * table.dim + i];
        if (edge != kEmptySegment && v <= want) continue;
        want = v;
        edge = static_cast<std::uint32_t>(e);
      }
      wrong += !close(out[t * out_stride + i], want, 1) || edges[t * out_stride + i] != edge;
    }
    wrong += edges[t * out_stride + table.dim] != 7;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("segments of rows of every type are added up, averaged and searched for the largest") {
  on_every_level([](const Kernels& k) {
    for (const RowType type : {RowType::f32, RowType::f16, RowType::bf16, RowType::i8}) {
      for (const std::size_t dim : {1, 4, 15, 16, 33, 100, 127, 128, 300}) {
        CAPTURE(dim);
        const Table table(type, dim);
        check_sums(k, table, false, true, false);
        check_sums(k, table, true, false, true);
        check_sums(k, table, true, true, false);
        check_largest(k, table);
      }
    }
  });
}

TEST_CASE("segment_sum reads every half-precision number") {
  on_every_level([](const Kernels& k) {
    std::size_t wrong = 0;
    for (std::uint32_t bits = 0; bits < 0x10000; bits += 32) {
      std::vector<Float16> row(32);
      for (std::uint32_t i = 0; i < 32; ++i) row[i].bits = static_cast<std::uint16_t>(bits + i);
      const std::uint32_t index = 0, offsets[] = {0, 1};
      float out[32];
      k.segment_sum({.type = RowType::f16,
                     .table = row.data(),
                     .stride = 32,
                     .dim = 32,
                     .rows = &index,
                     .offsets = offsets,
                     .num_segments = 1,
                     .out = out,
                     .out_stride = 32});
      for (std::size_t i = 0; i < 32; ++i) {
        const float want = to_float(row[i]);
        wrong += std::isnan(want) ? !std::isnan(out[i]) : out[i] != want;
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("dropout zeroes the share it is told, the same places on every instruction set") {
  constexpr std::size_t kSize = 100003;
  std::vector<float> first;
  on_every_level([&](const Kernels& k) {
    Floats x(kSize, 2);
    k.dropout(x.data(), kSize, 77, 0x40000000u, 1.5f);
    std::size_t zeros = 0, wrong = 0;
    for (const float v : x) {
      zeros += v == 0;
      wrong += v != 0 && v != 3;
    }
    CHECK(wrong == 0);
    CHECK(std::abs(static_cast<double>(zeros) - kSize * 0.25) < 4 * std::sqrt(kSize * 0.1875));
    if (first.empty()) first.assign(x.begin(), x.end());
    CHECK(std::equal(x.begin(), x.end(), first.begin()));
  });
}
