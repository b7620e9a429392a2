#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Fails (bad_input) with path, tensor and value if a tensor of F32, F16 or BF16 contains a NaN or
/// an infinity. Trained models never do.
void check_finite(const Document& document, const std::string& path);
/// As above, for one tensor.
void check_finite(const Tensor& tensor, const std::string& path);

/// Describes what is wrong with the document's format version: newer than this program, or invalid.
/// Returns "" if it is supported, or if there is none, as in documents of other programs.
std::string version_problem(const Metadata& metadata);

/// Fails (bad_input) with version_problem() unless that is "".
void check_version(const Metadata& metadata, const std::string& path);

/// Whether a reader accepts documents of other programs, which have no kind or the kind "tensors".
enum class ForeignDocuments { refused, welcome };

/// The documents that a reader accepts.
struct DocumentGate {
  std::string what;  ///< name in error messages: "a graph, as gnn-sample import writes"
  std::vector<std::string_view> kinds;
  /// Tool that must have written it, if the document names a tool; empty: any.
  std::string_view tool = {};
  ForeignDocuments foreign = ForeignDocuments::refused;
};

/// Checks version, kind and tool of a document. Fails (bad_input) with the path, what was found and
/// what was expected unless the gate accepts all three. Every reader calls it.
void check_document(const Metadata& metadata, const std::string& path, const DocumentGate& gate);

/// Checks a document's metadata against the gate.
inline void check_document(const Document& document, const std::string& path,
                           const DocumentGate& gate) {
  check_document(document.metadata, path, gate);
}

}  // namespace frugal
