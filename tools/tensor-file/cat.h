#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal::tensor_file {

enum class CatFormat { text, npy };

/// Rows [begin, end) along the first axis; `end` missing: to the last.
struct RowRange {
  std::uint64_t begin = 0;
  std::optional<std::uint64_t> end;
};
/// "10:20", "10:" or ":20". Fails with usage (2) on anything else.
RowRange parse_rows(const std::string& text);

struct CatOptions {
  std::string input;
  std::string output = "-";
  std::string tensor;  ///< "" = all of them
  std::optional<RowRange> rows;
  CatFormat format = CatFormat::text;
  std::optional<std::uint64_t> document;  ///< nothing = all of them
  TensorReadOptions read;
};

/// Writes elements in memory that does not grow with tensor or stream. Text: a line for each vector
/// along the last axis, elements separated by spaces; with several tensors, "# name dtype shape"
/// before each. npy: one tensor of one document. Fails with usage (2) if a tensor, its rows or a
/// document is not there.
void cat(const CatOptions& options);

}  // namespace frugal::tensor_file
