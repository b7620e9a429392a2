#include "libcore/arrays/crc32.h"

#include <zlib.h>

namespace frugal {

std::uint32_t crc32(const void* data, std::size_t size, std::uint32_t before) {
  // zlib takes a null pointer, which an empty span may have, for a question about its first value.
  if (size == 0) return before;
  return static_cast<std::uint32_t>(::crc32_z(before, static_cast<const Bytef*>(data), size));
}

}  // namespace frugal
