#include "libcore/base/array.h"
#include "tests/bench/kernels/cases.h"
#include "tests/bench/kernels/measure.h"

namespace frugal::bench {
namespace {

float kept = 0;  // what a sum is written to, so that it is not thrown away

}  // namespace

void vector_cases(const Kernels& k) {
  static constexpr std::size_t kSizes[] = {64, 1024, 100'000};
  for (const std::size_t n : kSizes) {
    Array<float> x(n, 0.5f), y(n, 0.25f), w(n, 0.5f), v(n, 0.1f);
    Array<BFloat16> half(n, to_bfloat16(0.1f)), momentum(n, to_bfloat16(0.1f));
    Array<BFloat16> second(n, to_bfloat16(0.1f));
    Array<std::int16_t> low(n);
    Array<std::uint32_t> hits(n);
    const double items = static_cast<double>(n);
    const auto work = [&](const char* name, double bytes) {
      return Work{name, k.name, std::to_string(n), items, 0, bytes * items};
    };
    measure(work("dot", 8), [&] { kept += k.dot(x.data(), y.data(), n); });
    measure(work("squared_norm", 4), [&] { kept += k.squared_norm(x.data(), n); });
    measure(work("axpy", 12), [&] { k.axpy(1e-9f, x.data(), y.data(), n); });
    measure(work("max", 4), [&] { kept += k.max(x.data(), n); });
    measure(work("softmax", 20), [&] { kept += k.softmax(w.data(), n); });
    measure(work("sigmoid", 8), [&] { k.sigmoid(w.data(), n); });
    measure(work("tanh", 8), [&] { k.tanh(w.data(), n); });
    measure(work("tanh_backward", 12), [&] { k.tanh_backward(x.data(), w.data(), n); });
    measure(work("all_finite", 4), [&] { kept += k.all_finite(x.data(), n) ? 1.0f : 0.0f; });
    measure(work("select_at_least", 4), [&] {
      kept += static_cast<float>(k.select_at_least(x.data(), n, 0.75f, hits.data()));
    });
    measure(work("adagrad", 20), [&] {
      k.optimizers[1].step({w.data(), v.data(), nullptr, y.data(), n}, {1e-9f, 1e-8f});
    });
    measure(work("adam", 28), [&] {
      k.optimizers[2].step({w.data(), x.data(), v.data(), y.data(), n},
                           {1e-9f, 1e-8f, 0.9f, 0.999f});
    });
    // A column of tiles, as many rows as hold n numbers.
    const SplitAdam split{.high = half.data(),
                          .low = low.data(),
                          .m = momentum.data(),
                          .v = second.data(),
                          .panel = n,
                          .rows = n / kPanelColumns / 32 * 32,
                          .cols = kPanelColumns,
                          .gradient = y.data(),
                          .gradient_stride = kPanelColumns,
                          .lr = 1e-9f,
                          .beta1 = 0.9f,
                          .beta2 = 0.999f,
                          .eps = 1e-8f};
    if (split.rows != 0) measure(work("adam_split", 20), [&] { k.adam_split(split); });
    measure(work("to_bf16", 6), [&] { k.to_bf16(y.data(), half.data(), n); });
    measure(work("from_bf16", 6), [&] { k.from_bf16(half.data(), y.data(), n); });
  }
}

}  // namespace frugal::bench
