#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "libcore/kernels/gemm.h"
#include "tests/bench/kernels/cases.h"
#include "tests/bench/kernels/measure.h"
#include "tests/bench/kernels/peaks.h"
#include "tests/bench/kernels/rival.h"

namespace frugal::bench {
namespace {

Array<float> random(std::size_t n, std::uint64_t seed) {
  Array<float> x(n, uninitialized);
  Rng rng(seed);
  for (float& v : x) v = static_cast<float>(rng.uniform(-1, 1));
  return x;
}

/// The operands of one shape, and the work of a product of them.
struct Product {
  Shape s;
  Array<float> a, b, c;
  const char* isa;

  Product(const Shape& shape, const char* isa_)
      : s(shape), a(random(s.m * s.k, 1)), b(random(s.k * s.n, 2)), c(s.m * s.n), isa(isa_) {}
  Work work(const char* name, double peak) const {
    const double flop = 2 * static_cast<double>(s.m) * static_cast<double>(s.n * s.k);
    const std::string size =
        std::to_string(s.m) + "x" + std::to_string(s.k) + "x" + std::to_string(s.n);
    return {name, isa, size, 1, flop, 0, peak};
  }
  MatrixView<float> result() { return {c.data(), s.m, s.n}; }
};

void f32_cases(Product& p, [[maybe_unused]] const Kernels& k, double peak) {
  const MatrixView<const float> a(p.a.data(), p.s.m, p.s.k), b(p.b.data(), p.s.k, p.s.n);
  const MatrixView<const float> at(p.a.data(), p.s.k, p.s.m), bt(p.b.data(), p.s.n, p.s.k);
  PackedMatrix packed;
  packed.pack(b, Transpose::no, Precision::f32);
  measure(p.work("gemm packed", peak), [&] { gemm_packed(a, packed, p.result()); });
  measure(p.work("gemm A B", peak), [&] { gemm(a, Transpose::no, b, Transpose::no, p.result()); });
  measure(p.work("gemm A B^T", peak),
          [&] { gemm(a, Transpose::no, bt, Transpose::yes, p.result()); });
  measure(p.work("gemm A^T B", peak),
          [&] { gemm(at, Transpose::yes, b, Transpose::no, p.result()); });
  Work pack = p.work("pack B^T", 0);
  pack.items = pack.bytes = static_cast<double>(p.b.size());
  pack.bytes *= 8;
  pack.flop = 0;
  measure(pack, [&] { packed.pack(bt, Transpose::yes, Precision::f32); });
#if defined(__x86_64__)
  const auto rival = k.level == SimdLevel::v3   ? eigen_v3
                     : k.level == SimdLevel::v4 ? eigen_v4
                                                : nullptr;
  if (rival == nullptr) return;
  measure(p.work("eigen", peak), [&] { rival(p.s, p.a.data(), p.b.data(), p.c.data()); });
#endif
}

void bf16_cases(Product& p, const Kernels& k, double peak) {
  const MatrixView<const float> a(p.a.data(), p.s.m, p.s.k), b(p.b.data(), p.s.k, p.s.n);
  const MatrixView<const float> bt(p.b.data(), p.s.n, p.s.k);
  PackedMatrix packed;
  packed.pack(b, Transpose::no, Precision::bf16);
  measure(p.work("bf16 packed", peak), [&] { gemm_packed(a, packed, p.result()); });
  const MatrixView<const float> at(p.a.data(), p.s.k, p.s.m);
  const auto product = [&](MatrixView<const float> left, Transpose ta,
                           MatrixView<const float> right, Transpose tb) {
    gemm(left, ta, right, tb, p.result(), 1, 0, Precision::bf16);
  };
  measure(p.work("bf16 A B^T", peak), [&] { product(a, Transpose::no, bt, Transpose::yes); });
  measure(p.work("bf16 A^T B", peak), [&] { product(at, Transpose::yes, b, Transpose::no); });
  Work pack = p.work("bf16 pack B^T", 0);
  pack.items = pack.bytes = static_cast<double>(p.b.size());
  pack.bytes *= 6;
  pack.flop = 0;
  measure(pack, [&] { packed.pack(bt, Transpose::yes, Precision::bf16); });
  const auto padded = [](std::size_t n) { return (n + 31) / 32 * 32; };
  const std::size_t a_row = padded(p.s.k) + 32;
  Array<BFloat16> rounded(padded(p.s.m) * a_row), panels(padded(p.s.k) * padded(p.s.n));
  k.pack_b_bf16({p.b.data(), p.s.n, 1, p.s.k, p.s.n}, panels.data());
  measure(p.work("bf16 kernel", peak), [&] {
    k.gemm_bf16({.m = p.s.m,
                 .n = p.s.n,
                 .k = p.s.k,
                 .a = rounded.data(),
                 .a_row = a_row,
                 .b = panels.data(),
                 .b_panel = padded(p.s.k) * kPanelColumns,
                 .c = p.c.data(),
                 .ldc = p.s.n});
  });
}

}  // namespace

/// Weights from the third-level cache: copies of them in turn, more than the second-level holds.
void streamed_case(const Shape& s, const Kernels& k, Precision precision, double peak) {
  constexpr std::size_t kBytes = 4 << 20;
  const Product p(s, k.name);
  std::vector<PackedMatrix> copies(kBytes / (s.k * s.n * sizeof(BFloat16)) + 1);
  for (PackedMatrix& copy : copies) {
    copy.pack({p.b.data(), s.k, s.n}, Transpose::no, precision);
  }
  Array<float> c(s.m * s.n);
  std::size_t turn = 0;
  measure(p.work(precision == Precision::bf16 ? "bf16 streamed" : "gemm streamed", peak), [&] {
    gemm_packed({p.a.data(), s.m, s.k}, copies[turn++ % copies.size()], {c.data(), s.m, s.n});
  });
}

void product_cases(const Kernels& k) {
  static constexpr Shape kShapes[] = {{1, 256, 256},   {3, 256, 256},     {30, 372, 200},
                                      {30, 344, 172},  {256, 128, 8192},  {1024, 256, 256},
                                      {512, 512, 512}, {1500, 1500, 1500}};
  for (const Shape& shape : kShapes) {
    if (quick && shape.m > 100) continue;
    Product product(shape, k.name);
    // Again for each shape: the clock of a shared machine changes from second to second.
    f32_cases(product, k, peak_f32(k.level));
    bf16_cases(product, k, peak_bf16(k.level));
  }
  for (const std::size_t rows : {1U, 4U, 30U}) {
    const Shape shape{rows, 344, 172};
    streamed_case(shape, k, Precision::f32, peak_f32(k.level));
    streamed_case(shape, k, Precision::bf16, peak_bf16(k.level));
  }
}

}  // namespace frugal::bench
