#pragma once
#include <cstddef>
#include <cstdint>

#include "libcore/embedding/embedding.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Limits of files.
inline constexpr std::uint64_t kMaxTables = 4096;
inline constexpr std::uint64_t kMaxDim = 4096;
inline constexpr std::uint64_t kMaxRows = 0xffffffff;  ///< rows of one table
inline constexpr std::uint64_t kMaxCopies = 64;

/// Metadata key of the method's name.
inline constexpr const char* kMethodKey = "embedding.method";

/// Writes names and rows of the tables, their dimension, and the method.
void save_tables(const Embedding& embedding, Document& document);

/// Reads the tables that save_tables() wrote. fewest: 0 or 1. Fails (bad_input).
TableSet load_tables(const Document& document, std::size_t fewest);

}  // namespace frugal
