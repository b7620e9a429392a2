#include "libcore/io/finite_tensors.h"

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/base/text.h"
#include "libcore/threading/find_bad.h"

namespace frugal {
namespace {

float as_float(float x) { return x; }
float as_float(Float16 x) { return to_float(x); }
float as_float(BFloat16 x) { return to_float(x); }

template <class T>
void check_values(const Tensor& tensor, const std::string& path) {
  const auto values = tensor.as<T>();
  const std::size_t bad =
      find_bad(values.size(), [&](std::size_t i) { return std::isfinite(as_float(values[i])); });
  if (bad == values.size()) return;
  fail(ExitStatus::bad_input, path, ": tensor '", printable(tensor.name), "' has a ",
       format_number(double{as_float(values[bad])}), ", expected finite numbers");
}

}  // namespace

void check_finite(const Document& document, const std::string& path) {
  for (const Tensor& tensor : document.tensors) {
    switch (tensor.dtype) {
      case Dtype::f32: check_values<float>(tensor, path); break;
      case Dtype::f16: check_values<Float16>(tensor, path); break;
      case Dtype::bf16: check_values<BFloat16>(tensor, path); break;
      default: break;
    }
  }
}

}  // namespace frugal
