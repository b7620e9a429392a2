#include "libcore/tensors/number_tensor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/float_loss.h"
#include "libcore/base/text.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

/// Calls body(span of the elements) with the type that they have.
template <class Body>
void with_elements(const Tensor& tensor, const std::string& place, const Body& body) {
  switch (tensor.dtype) {
    case Dtype::boolean: return body(tensor.as<bool>());
    case Dtype::u8: return body(tensor.as<std::uint8_t>());
    case Dtype::i8: return body(tensor.as<std::int8_t>());
    case Dtype::u16: return body(tensor.as<std::uint16_t>());
    case Dtype::i16: return body(tensor.as<std::int16_t>());
    case Dtype::u32: return body(tensor.as<std::uint32_t>());
    case Dtype::i32: return body(tensor.as<std::int32_t>());
    case Dtype::u64: return body(tensor.as<std::uint64_t>());
    case Dtype::i64: return body(tensor.as<std::int64_t>());
    case Dtype::f32: return body(tensor.as<float>());
    case Dtype::f64: return body(tensor.as<double>());
    case Dtype::f16: return body(tensor.as<Float16>());
    case Dtype::bf16: return body(tensor.as<BFloat16>());
    default: break;
  }
  fail(ExitStatus::bad_input, place, ": is ", dtype_name(tensor.dtype), ", expected numbers");
}

float float_of(Float16 x) { return to_float(x); }
float float_of(BFloat16 x) { return to_float(x); }
template <class T>
float float_of(T x) {
  return static_cast<float>(x);
}

/// Losses of columns that are not settled after the first rows; these are few.
template <class T>
std::vector<FloatLoss> losses_of(std::span<const T> from, std::span<const float> to,
                                 std::size_t columns) {
  std::vector<FloatLoss> losses(columns);
  std::vector<std::size_t> open(columns);
  std::iota(open.begin(), open.end(), 0);
  for (std::size_t row = 0; row + columns <= from.size() && !open.empty(); row += columns) {
    for (const std::size_t c : open) {
      losses[c].add(static_cast<double>(from[row + c]), to[row + c]);
    }
    std::erase_if(open, [&](std::size_t c) { return losses[c].is_settled(); });
  }
  return losses;
}

template <class T>
void warn_of_rounding(std::span<const T> from, const Tensor& out, const std::string& place) {
  if constexpr (sizeof(T) >= sizeof(float) && !std::is_same_v<T, float>) {
    const std::size_t columns =
        out.shape.size() < 2 ? 1 : std::max<std::size_t>(out.shape.back(), 1);
    warn_of_losses(losses_of(from, out.as<float>(), columns), [&](std::size_t c) {
      return columns == 1 ? place : place + ": column " + std::to_string(c);
    });
  }
}

template <class T>
std::int64_t whole_of(T x, std::size_t at, const std::string& place, std::int64_t nan_value) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (x >> 63 != 0) {
        fail(ExitStatus::bad_input, place, ": element ", at, " is ", x, ", expected below 2^63");
      }
    }
    return static_cast<std::int64_t>(x);
  } else {
    double value = 0;
    if constexpr (std::is_same_v<T, double>) {
      value = x;
    } else {
      value = double{float_of(x)};
    }
    if (std::isnan(value)) return nan_value;
    if (value == std::floor(value) && std::abs(value) < 0x1p53) {
      return static_cast<std::int64_t>(value);
    }
    fail(ExitStatus::bad_input, place, ": element ", at, " is ", format_number(value),
         ", expected a whole number");
  }
}

}  // namespace

Tensor to_floats(const Tensor& tensor, const std::string& place) {
  Tensor out = Tensor::make(tensor.name, Dtype::f32, tensor.shape);
  const auto to = out.as<float>();
  with_elements(tensor, place, [&](auto from) {
    parallel_ranges(from.size(), [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) to[i] = float_of(from[i]);
    });
    warn_of_rounding(from, std::as_const(out), place);
  });
  return out;
}

std::vector<std::int64_t> to_integers(const Tensor& tensor, const std::string& place,
                                      std::int64_t nan_value) {
  std::vector<std::int64_t> out(num_elements(tensor.shape));
  with_elements(tensor, place, [&](auto from) {
    for (std::size_t i = 0; i < from.size(); ++i) out[i] = whole_of(from[i], i, place, nan_value);
  });
  return out;
}

}  // namespace frugal
