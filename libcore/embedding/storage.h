#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// How numbers are kept. int8 and int4 are levels times a scale for each group of numbers: f32 for
/// 64 levels of at most 127, bf16 for 32 levels of at most 7.
enum class Storage { f32, bf16, int8, int4 };

inline constexpr std::size_t kScaleGroup = 64;
inline constexpr std::size_t kNibbleGroup = 32;

std::vector<std::string> storage_names();
/// Fails (usage) on an unknown name.
Storage storage_from_name(std::string_view name);
std::string_view storage_name(Storage storage);
/// Bytes that `size` numbers take.
std::uint64_t stored_bytes(Storage storage, std::uint64_t size);
/// How the numbers of an array come about: trained from scratch, or fitted to trained tables.
enum class StorageUse { training, fitting };
/// The storage that is best for tables of so many numbers in so many bytes. Fitted arrays: the most
/// numbers with int4 once int8 cannot hold all of them. Trained ones: int8 as long as it leaves a
/// number for every eight, then int4, which is worse than int8 ten times smaller and better or
/// level a hundred times smaller (held-out parts of ten training sets). No array has 2^32 numbers.
Storage storage_for(std::uint64_t numbers, std::uint64_t bytes, StorageUse use);
/// The most numbers that fit into `bytes`.
std::uint64_t numbers_in(Storage storage, std::uint64_t bytes);

}  // namespace frugal
