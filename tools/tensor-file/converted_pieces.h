#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libcore/arrays/document_source.h"

namespace frugal::tensor_file {

/// Type that elements of `from` get where floating-point ones are rounded to `to`.
Dtype converted_type(Dtype from, std::optional<Dtype> to);

/// The bytes of a document's tensors as the types of the output have them, some megabytes in memory
/// at a time.
class ConvertedPieces {
 public:
  /// Converts the document that the source gave last; borrows everything.
  ConvertedPieces(DocumentSource& source, const ProgressFunction& progress)
      : source_(source), progress_(progress) {}

  ByteFiller filler();
  /// Finite elements that became infinite, by tensor.
  const std::map<std::string, std::uint64_t>& overflows() const { return overflows_; }

 private:
  void load(const TensorInfo& tensor, std::uint64_t offset);

  DocumentSource& source_;
  const ProgressFunction& progress_;
  Tensor piece_;  ///< from byte piece_begin_ of its tensor on
  std::uint64_t piece_begin_ = 0;
  std::map<std::string, std::uint64_t> overflows_;
};

}  // namespace frugal::tensor_file
