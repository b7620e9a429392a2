#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "libcore/embedding/embedding.h"
#include "libcore/io/tensor_file.h"

namespace frugal {

/// What files may hold.
inline constexpr std::uint64_t kMaxTables = 4096;
inline constexpr std::uint64_t kMaxDim = 4096;
inline constexpr std::uint64_t kMaxRows = 0xffffffff;  ///< of a table
inline constexpr std::uint64_t kMaxCopies = 64;

/// Names and rows of the tables, their dimension, and the method.
void save_tables(const Embedding& embedding, Document& document);

/// The embedding that Embedding::save() wrote, of any method. Fails (bad_input) with `path` on
/// anything else, before memory is taken that the file's size does not bear out. Its large tensors
/// are taken over: they are empty then.
std::unique_ptr<Embedding> load_embedding(Document& document, const std::string& path);

}  // namespace frugal
