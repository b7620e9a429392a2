#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// Number formats of a stored array. int8 and int4 store integer levels and a scale for each group
/// of numbers: an f32 for 64 levels of at most 127, or a bf16 for 32 levels of at most 7.
enum class Storage { f32, bf16, int8, int4 };

inline constexpr std::size_t kScaleGroup = 64;
inline constexpr std::size_t kNibbleGroup = 32;

std::vector<std::string> storage_names();
/// Fails (usage) on an unknown name.
Storage storage_from_name(std::string_view name);
std::string_view storage_name(Storage storage);
/// Bytes of `size` numbers.
std::uint64_t stored_bytes(Storage storage, std::uint64_t size);
/// Origin of an array's numbers: trained from scratch, or fitted to trained tables.
enum class StorageUse { training, fitting };
/// Best storage for an array that replaces `numbers` numbers of full tables in `bytes` bytes. f32
/// if all of them fit. Else, for a fitted array: int8 if it holds all of them, otherwise int4,
/// which holds most. For a trained one: int8 if it holds at least an eighth of them, otherwise
/// int4. Trained int4 is worse than int8 at ten times compression, and equal or better at a hundred
/// times (held-out parts of ten training sets). No array has 2^32 numbers.
Storage storage_for(std::uint64_t numbers, std::uint64_t bytes, StorageUse use);
/// Largest number of parameters that fit into `bytes`.
std::uint64_t numbers_in(Storage storage, std::uint64_t bytes);

}  // namespace frugal
