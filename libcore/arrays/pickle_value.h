#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frugal {

/// A number in a pickle: an integer or a double.
struct PickledNumber {
  bool is_whole = true;
  std::int64_t whole = 0;
  double real = 0;
};

/// A value of a pickle. Texts are views of the file.
struct PickleValue {
  enum class Kind : std::uint8_t {
    none,
    boolean,
    number,
    text,
    bytes,
    tuple,
    function,
    dtype,
    array,
    dict,
    mark
  } kind = Kind::none;
  char type = 'i';          ///< of dtype: 'i', 'u' or 'f'
  std::uint8_t size = 0;    ///< of dtype: bytes of a number
  std::uint32_t count = 0;  ///< of tuple: values
  std::size_t index = 0;    ///< of tuple: first value; of array: its number; of function: its kind
  std::string_view text;
  PickledNumber number;
};

struct PickledArray {
  std::string_view bytes;
  PickleValue dtype;
};

}  // namespace frugal
