#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/arrays/document_source.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::tensor_file {

struct ConvertOptions {
  std::string input;
  std::string output;
  std::string kind;            ///< "" = as in the input
  std::optional<Dtype> dtype;  ///< what floating-point elements become: F16, BF16, F32 or F64
  TensorReadOptions read;
  TensorWriteOptions write;
  std::string history_entry;                            ///< of this run, for frugal.history
  std::uint64_t whole_up_to = std::uint64_t{32} << 20;  ///< bytes of documents in memory at once
};

struct ConvertResult {
  std::uint64_t documents = 0;
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;  ///< of elements
  /// What the output does not hold though the input does, as it was logged: the first hundred.
  std::vector<std::string> losses;
};

/// Writes every document of the input in the format of the output's suffix, a small document or
/// some megabytes of a large one in memory at a time; all of a document that is packed, that a pipe
/// has in another order than the output, or that may be truncated. Fails (usage) rather than leave
/// out a tensor or a document; metadata that numpy's formats have no place for, and numbers that
/// become infinite, are reported as losses.
ConvertResult convert(const ConvertOptions& options, const ProgressFunction& progress);

}  // namespace frugal::tensor_file
