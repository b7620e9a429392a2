#include "libcore/kernels/gemm.h"

#include <cstring>
#include <utility>

#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

constexpr std::size_t kAwkward[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 64, 100, 130};

/// A stored matrix [rows, cols], rows `cols + gap` apart; what lies between is NaN and must stay.
struct Matrix {
  std::size_t rows, cols, stride;
  std::vector<float> values;

  Matrix(std::size_t rows_, std::size_t cols_, std::size_t gap, std::uint64_t seed)
      : rows(rows_), cols(cols_), stride(cols_ + gap), values(rows_ * stride + 1, std::nanf("")) {
    Rng rng(seed);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < cols; ++c) at(r, c) = static_cast<float>(rng.uniform(-1, 1));
    }
  }
  float& at(std::size_t r, std::size_t c) { return values[1 + r * stride + c]; }
  float at(std::size_t r, std::size_t c) const { return values[1 + r * stride + c]; }
  MatrixView<float> view() { return {values.data() + 1, rows, cols, stride}; }
  MatrixView<const float> view() const { return {values.data() + 1, rows, cols, stride}; }
};

bool same_bits(const Matrix& a, const Matrix& b) {
  return std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
}

struct Product {
  std::size_t m, n, k;
  Transpose transpose_a = Transpose::no, transpose_b = Transpose::no;
  float alpha = 1, beta = 0;
  std::size_t gap = 0;
};

Matrix stored(std::size_t rows, std::size_t cols, Transpose t, std::size_t gap,
              std::uint64_t seed) {
  return t == Transpose::yes ? Matrix(cols, rows, gap, seed) : Matrix(rows, cols, gap, seed);
}

enum class Way { plain, packed };

/// Number of elements of C that are off by more than rounding, and of NaN that were overwritten or
/// leaked.
std::size_t count_wrong(const Product& p, Way way, Precision precision) {
  const Matrix a = stored(p.m, p.k, p.transpose_a, p.gap, 1);
  const Matrix b = stored(p.k, p.n, p.transpose_b, p.gap, 2);
  Matrix c(p.m, p.n, p.gap, 3);
  if (p.beta == 0) {
    for (float& v : c.values) v = std::nanf("");  // must not be read
  }
  const Matrix before = c;
  if (way == Way::packed) {
    PackedMatrix packed;
    packed.pack(b.view(), p.transpose_b, precision);
    gemm_packed(a.view(), packed, c.view(), p.alpha, p.beta);
  } else {
    gemm(a.view(), p.transpose_a, b.view(), p.transpose_b, c.view(), p.alpha, p.beta, precision);
  }
  const bool bf16 = precision == Precision::bf16;
  const auto input = [&](float x) { return bf16 ? double(to_float(to_bfloat16(x))) : double(x); };
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < p.m; ++i) {
    for (std::size_t j = 0; j < p.n; ++j) {
      double sum = 0, size = 0;
      for (std::size_t q = 0; q < p.k; ++q) {
        const double x = input(p.transpose_a == Transpose::yes ? a.at(q, i) : a.at(i, q));
        const double y = input(p.transpose_b == Transpose::yes ? b.at(j, q) : b.at(q, j));
        sum += x * y;
        size += std::abs(x * y);
      }
      const double old = p.beta == 0 ? 0 : double(p.beta) * before.at(i, j);
      wrong += !close(c.at(i, j), p.alpha * sum + old,
                      std::abs(p.alpha) * size + std::abs(old) + 1e-30, 4e-6);
    }
    for (std::size_t j = p.n; j < c.stride; ++j) wrong += !std::isnan(c.at(i, j));
  }
  return wrong;
}

struct RestoreSimd {
  ~RestoreSimd() { set_simd("auto"); }
};

/// check() with every level in use in turn.
template <class Check>
void with_every_level(Check check) {
  const RestoreSimd restore;
  on_every_level([&](const Kernels& k) {
    set_simd(k.name);
    check();
  });
}

}  // namespace

TEST_CASE("gemm agrees with double precision at awkward sizes") {
  with_every_level([] {
    std::size_t wrong = 0;
    for (const std::size_t m : kAwkward) {
      for (const std::size_t n : kAwkward) {
        for (const std::size_t k : kAwkward) {
          // Transposes and factors in turn: all combinations are met many times over.
          const std::size_t turn = m + 3 * n + 7 * k;
          Product p{m, n, k};
          p.transpose_a = turn % 2 != 0 ? Transpose::yes : Transpose::no;
          p.transpose_b = turn / 2 % 2 != 0 ? Transpose::yes : Transpose::no;
          p.beta = turn % 3 == 0 ? 0.0f : turn % 3 == 1 ? 1.0f : -0.5f;
          p.alpha = turn % 5 < 3 ? 1.0f : 0.25f;
          p.gap = turn % 4;
          wrong += count_wrong(p, Way::plain, Precision::f32);
          wrong += count_wrong(p, Way::plain, Precision::bf16);
          if (p.transpose_a == Transpose::yes) continue;
          wrong += count_wrong(p, Way::packed, Precision::f32);
          wrong += count_wrong(p, Way::packed, Precision::bf16);
        }
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("gemm with every transpose, factor and stride") {
  with_every_level([] {
    for (const Transpose ta : {Transpose::no, Transpose::yes}) {
      for (const Transpose tb : {Transpose::no, Transpose::yes}) {
        for (const float alpha : {1.0f, -2.0f, 0.0f}) {
          for (const float beta : {0.0f, 1.0f, 0.5f}) {
            for (const std::size_t gap : {0, 5}) {
              const Product p{33, 70, 40, ta, tb, alpha, beta, gap};
              CHECK(count_wrong(p, Way::plain, Precision::f32) == 0);
              CHECK(count_wrong(p, Way::plain, Precision::bf16) == 0);
            }
          }
        }
      }
    }
  });
}

TEST_CASE("a packed matrix serves transposed with the bits of its transpose") {
  with_every_level([] {
    for (const auto& [k, n] :
         {std::pair{1U, 1U}, std::pair{31U, 33U}, std::pair{32U, 64U}, std::pair{173U, 172U},
          std::pair{70U, 1100U}, std::pair{600U, 45U}}) {
      const Matrix b(k, n, 3, 2), a(13, n, 1, 1);
      PackedMatrix packed, transposed;
      packed.pack(b.view(), Transpose::no, Precision::bf16);
      transposed.pack(b.view(), Transpose::yes, Precision::bf16);
      for (const float beta : {0.0F, 0.5F}) {
        for (const std::size_t cols : {std::size_t{k}, std::size_t{(k + 1) / 2}}) {
          Matrix c(13, k, 2, 3), want = c;
          gemm_packed(a.view(), transposed, want.view(), 1, beta);
          gemm_packed_transposed(a.view(), packed, {c.view().data, 13, cols, c.stride}, 1, beta);
          std::size_t wrong = 0;
          for (std::size_t r = 0; r < c.rows; ++r) {
            for (std::size_t j = 0; j < cols; ++j) wrong += c.at(r, j) != want.at(r, j);
          }
          CHECK(wrong == 0);
        }
      }
    }
  });
}

TEST_CASE("gemm with every number of rows that a strip may have, and ragged columns") {
  with_every_level([] {
    for (std::size_t m = 1; m <= 40; ++m) {
      for (const std::size_t n : {19, 45, 64, 77}) {
        CHECK(count_wrong({m, n, 37}, Way::packed, Precision::bf16) == 0);
        CHECK(count_wrong({m, n, 37, Transpose::yes, Transpose::yes, 1, 1}, Way::plain,
                          Precision::bf16) == 0);
      }
    }
  });
}

TEST_CASE("gemm crosses the blocks of rows, columns and depth") {
  with_every_level([] {
    for (const Transpose t : {Transpose::no, Transpose::yes}) {
      for (const Product& p :
           {Product{3, 1100, 10, t, t}, Product{520, 33, 20, t, t},
            Product{5, 40, 1100, t, t, 0.5f, 2.0f}, Product{40, 520, 400, t, t}}) {
        for (const Precision precision : {Precision::f32, Precision::bf16}) {
          CHECK(count_wrong(p, Way::plain, precision) == 0);
          Product packed = p;
          packed.transpose_a = Transpose::no;
          CHECK(count_wrong(packed, Way::packed, precision) == 0);
        }
      }
    }
  });
}

TEST_CASE("a row of the product does not depend on the other rows, on packing or on strides") {
  with_every_level([] {
    constexpr std::size_t m = 45, n = 75, k = 1100;
    for (const Precision precision : {Precision::f32, Precision::bf16}) {
      const Matrix a(m, k, 0, 1), b(k, n, 0, 2);
      Matrix whole(m, n, 0, 3), split(m, n, 0, 3), strided(m, n, 0, 3);
      PackedMatrix packed;
      packed.pack(b.view(), Transpose::no, precision);
      gemm_packed(a.view(), packed, whole.view(), 1, 1);
      for (std::size_t begin = 0, end = 1; begin < m; begin = end, end = std::min(m, 2 * end + 3)) {
        gemm(a.view().rows_between(begin, end), Transpose::no, b.view(), Transpose::no,
             split.view().rows_between(begin, end), 1, 1, precision);
      }
      Matrix transposed(k, m, 3, 1);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t p = 0; p < k; ++p) transposed.at(p, i) = a.at(i, p);
      }
      gemm(transposed.view(), Transpose::yes, b.view(), Transpose::no, strided.view(), 1, 1,
           precision);
      CHECK(same_bits(split, whole));
      CHECK(same_bits(strided, whole));
    }
  });
}

TEST_CASE("a packed matrix serves every level, packs again, and tells its precision") {
  const RestoreSimd restore;
  const Matrix a(40, 70, 0, 1), b(70, 90, 0, 2), small(9, 70, 0, 5);
  set_simd("auto");
  PackedMatrix packed;
  CHECK(packed.k() == 0);
  packed.pack(b.view(), Transpose::no, Precision::automatic);
  CHECK(packed.precision() == product_precision(Precision::automatic, 70, 90));
  packed.pack(small.view(), Transpose::yes, Precision::automatic);
  CHECK(packed.precision() == Precision::f32);
  CHECK(packed.k() == 70);
  CHECK(packed.n() == 9);
  Matrix want(40, 9, 0, 3);
  gemm_packed(a.view(), packed, want.view());
  on_every_level([&](const Kernels& k) {
    set_simd(k.name);
    Matrix c(40, 9, 0, 3);
    gemm_packed(a.view(), packed, c.view());
    for (std::size_t i = 0; i < c.values.size(); ++i) {
      if (!std::isnan(want.values[i])) CHECK(close(c.values[i], want.values[i], 30));
    }
  });
}

TEST_CASE("the size of the cache that products are divided for changes no bit") {
  const std::size_t before = product_cache_bytes();
  CHECK(before >= 64 * 1024);
  with_every_level([&] {
    const Matrix a(40, 700, 0, 1), b(700, 900, 0, 2);
    PackedMatrix packed;
    packed.pack(b.view(), Transpose::no, Precision::f32);
    Matrix want(40, 900, 0, 3);
    gemm_packed(a.view(), packed, want.view(), 1, 0.5F);
    for (const std::size_t kib : {1U, 300U, 512U, 100000U}) {
      set_product_cache_bytes(kib * 1024);
      Matrix c(40, 900, 0, 3);
      gemm_packed(a.view(), packed, c.view(), 1, 0.5F);
      CHECK(same_bits(c, want));
    }
    set_product_cache_bytes(before);
  });
}

TEST_CASE("a matrix packed as bf16 is multiplied so on every level") {
  const RestoreSimd restore;
  const Matrix a(7, 70, 0, 1), b(70, 90, 0, 2);
  on_every_level([&](const Kernels& packing) {
    set_simd(packing.name);
    PackedMatrix packed;
    packed.pack(b.view(), Transpose::no, Precision::bf16);
    CHECK(packed.precision() == Precision::bf16);
    Matrix want(7, 90, 0, 3);
    gemm_packed(a.view(), packed, want.view());
    on_every_level([&](const Kernels& k) {
      set_simd(k.name);
      Matrix c(7, 90, 0, 3);
      gemm_packed(a.view(), packed, c.view());
      for (std::size_t i = 0; i < c.rows; ++i) {
        for (std::size_t j = 0; j < c.cols; ++j) CHECK(close(c.at(i, j), want.at(i, j), 30));
      }
    });
  });
}

TEST_CASE("automatic is bf16 where it gains") {
  with_every_level([] {
    const SimdLevel level = kernels().level;
    const bool dots = level == SimdLevel::v4bf16 && bf16_dots_are_fast();
    const auto expected = [](bool bf16) { return bf16 ? Precision::bf16 : Precision::f32; };
    const bool any = dots || level == SimdLevel::amx;
    CHECK(product_precision(Precision::automatic, 64, 64) == expected(any));
    CHECK(product_precision(Precision::automatic, 344, 172) == expected(any));
    CHECK(product_precision(Precision::automatic, 16, 16) == expected(dots));
    CHECK(product_precision(Precision::automatic, 15, 172) == Precision::f32);
    CHECK(product_precision(Precision::automatic, 172, 15) == Precision::f32);
    CHECK(product_precision(Precision::bf16, 1, 1) == Precision::bf16);
    CHECK(product_precision(Precision::bf16, 0, 9) == Precision::f32);
  });
}

TEST_CASE("bf16 products of subnormal numbers are zero or as small, NaN and infinity stay") {
  with_every_level([] {
    Matrix a(5, 64, 0, 1), b(64, 40, 0, 2), c(5, 40, 0, 3);
    const float nan = std::nanf(""), infinity = HUGE_VALF;
    for (std::size_t p = 0; p < 64; ++p) a.at(0, p) = 1e-39f;
    a.at(1, 63) = nan;
    a.at(2, 0) = infinity;
    for (const Transpose t : {Transpose::no, Transpose::yes}) {
      Matrix at(64, 5, 0, 1);
      for (std::size_t p = 0; p < 64; ++p) {
        for (std::size_t i = 0; i < 5; ++i) at.at(p, i) = a.at(i, p);
      }
      gemm((t == Transpose::no ? a : at).view(), t, b.view(), Transpose::no, c.view(), 1, 0,
           Precision::bf16);
      for (std::size_t j = 0; j < 40; ++j) {
        CHECK(std::abs(c.at(0, j)) <= 64 * 1e-39f);  // 0, or in f32 the small sum
        CHECK(std::isnan(c.at(1, j)));
        CHECK(std::isinf(c.at(2, j)));
        CHECK(std::isfinite(c.at(3, j)));
      }
    }
  });
}

TEST_CASE("a matrix packed by parts is the one packed in whole") {
  with_every_level([] {
    constexpr std::size_t m = 5, n = 75, k = 100;
    for (const Precision precision : {Precision::f32, Precision::bf16}) {
      for (const Transpose t : {Transpose::no, Transpose::yes}) {
        const Matrix a(m, k, 0, 1), b = stored(k, n, t, 3, 2);
        Matrix whole(m, n, 0, 3), parts(m, n, 0, 3);
        PackedMatrix packed;
        packed.pack(b.view(), t, precision);
        gemm_packed(a.view(), packed, whole.view());
        packed.resize(k, n, precision);
        for (std::size_t p = 0; p < k; p += 64) {
          for (std::size_t j = 0; j < n; j += 32) {
            const std::size_t rows = std::min<std::size_t>(64, k - p);
            const std::size_t cols = std::min<std::size_t>(32, n - j);
            const bool upright = t == Transpose::no;
            const MatrixView<const float> part(
                &b.values[1 + (upright ? p : j) * b.stride + (upright ? j : p)],
                upright ? rows : cols, upright ? cols : rows, b.stride);
            packed.pack_part(p, j, part, t);
          }
        }
        gemm_packed(a.view(), packed, parts.view());
        CHECK(same_bits(whole, parts));
      }
    }
  });
}

TEST_CASE("a product that reads B in place has the bits of one that packs") {
  with_every_level([] {
    for (const Transpose t : {Transpose::no, Transpose::yes}) {
      constexpr std::size_t m = 45, n = 75, k = 500;
      const Matrix a = stored(m, k, t, 0, 1), b(k, n, 21, 2);  // rows of 96
      Matrix packed(m, n, 2, 3), in_place(m, n, 2, 3);
      gemm(a.view(), t, b.view(), Transpose::no, packed.view(), -0.5f, 1);
      gemm_in_place(a.view(), t, b.view(), in_place.view(), -0.5f, 1);
      CHECK(same_bits(packed, in_place));
    }
  });
}
