#pragma once
#include <limits>
#include <string>
#include <type_traits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {

/// Returns object[key] as a whole number of type T. Refuses -1 (for unsigned T), 1.5 and true
/// (bad_input), which the JSON library would convert silently. A missing key throws the library's
/// exception.
template <class T, class Json>
T whole_number(const Json& object, const char* key) {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
  const Json& value = object.at(key);
  using Limits = std::numeric_limits<T>;
  if (value.is_number_unsigned()) {
    const auto n = value.template get<std::uint64_t>();
    if (n <= static_cast<std::uint64_t>(Limits::max())) return static_cast<T>(n);
  } else if (std::is_signed_v<T> && value.is_number_integer()) {
    const auto n = value.template get<std::int64_t>();
    if (n >= static_cast<std::int64_t>(Limits::min())) return static_cast<T>(n);
  }
  fail(ExitStatus::bad_input, "'", key, "' is ",
       printable(value.dump(-1, ' ', true, Json::error_handler_t::replace)),
       ", expected a whole number", std::is_signed_v<T> ? "" : " from 0");
}

}  // namespace frugal
