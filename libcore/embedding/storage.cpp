#include "libcore/embedding/storage.h"

#include <algorithm>
#include <array>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::array<std::string_view, 4> kStorageNames = {"f32", "bf16", "int8", "int4"};

/// Groups of numbers behind one scale.
struct Groups {
  std::uint64_t numbers, scale_bytes, numbers_a_byte;

  std::uint64_t bytes_for(std::uint64_t size) const {
    return (size + numbers_a_byte - 1) / numbers_a_byte +
           (size + numbers - 1) / numbers * scale_bytes;
  }
  /// Whole groups with their scales, then a last one that is shorter.
  std::uint64_t numbers_in(std::uint64_t bytes) const {
    const std::uint64_t group = numbers / numbers_a_byte + scale_bytes, rest = bytes % group;
    return bytes / group * numbers +
           (rest > scale_bytes ? (rest - scale_bytes) * numbers_a_byte : 0);
  }
};
/// Divisor: a trained array uses int8 if it then holds at least 1 / kLeastPart of the full tables'
/// numbers.
constexpr std::uint64_t kLeastPart = 8;

constexpr Groups kInt8{kScaleGroup, sizeof(float), 1};
constexpr Groups kInt4{kNibbleGroup, sizeof(BFloat16), 2};

}  // namespace

std::vector<std::string> storage_names() { return {kStorageNames.begin(), kStorageNames.end()}; }

Storage storage_from_name(std::string_view name) {
  const auto found = std::find(kStorageNames.begin(), kStorageNames.end(), name);
  if (found == kStorageNames.end()) {
    fail(ExitStatus::usage, "unknown storage '", printable(name), "', expected one of ",
         joined(storage_names()));
  }
  return static_cast<Storage>(found - kStorageNames.begin());
}

std::string_view storage_name(Storage storage) {
  return kStorageNames[static_cast<std::size_t>(storage)];
}

std::uint64_t stored_bytes(Storage storage, std::uint64_t size) {
  switch (storage) {
    case Storage::f32: return size * sizeof(float);
    case Storage::bf16: return size * sizeof(BFloat16);
    case Storage::int8: return kInt8.bytes_for(size);
    case Storage::int4: return kInt4.bytes_for(size);
  }
  return 0;
}

Storage storage_for(std::uint64_t numbers, std::uint64_t bytes, StorageUse use) {
  const auto is_possible = [&](Storage storage) {
    return numbers_in(storage, bytes) <= std::numeric_limits<std::uint32_t>::max();
  };
  const std::uint64_t least = use == StorageUse::fitting ? numbers : numbers / kLeastPart;
  if (numbers_in(Storage::f32, bytes) >= numbers) return Storage::f32;
  if (is_possible(Storage::int4) && numbers_in(Storage::int8, bytes) < least) return Storage::int4;
  if (is_possible(Storage::int8)) return Storage::int8;
  return is_possible(Storage::bf16) ? Storage::bf16 : Storage::f32;
}

std::uint64_t numbers_in(Storage storage, std::uint64_t bytes) {
  switch (storage) {
    case Storage::f32: return bytes / sizeof(float);
    case Storage::bf16: return bytes / sizeof(BFloat16);
    case Storage::int8: return kInt8.numbers_in(bytes);
    case Storage::int4: return kInt4.numbers_in(bytes);
  }
  return 0;
}

}  // namespace frugal
