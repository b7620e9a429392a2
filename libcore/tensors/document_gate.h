#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Fails (bad_input) with the path, the tensor's name and the value where a tensor of F32, F16 or
/// BF16 holds a NaN or an infinite number: no model that was trained has one.
void check_finite(const Document& document, const std::string& path);

/// What is wrong with the document's version: a later one than this program knows, or none that
/// exists. "": nothing. Documents without a version are other programs'.
std::string version_problem(const Metadata& metadata);

/// Fails (bad_input) with it.
void check_version(const Metadata& metadata, const std::string& path);

/// Whether documents of other programs do, which are of no kind or of kind "tensors".
enum class ForeignDocuments { refused, welcome };

/// What a reader takes.
struct DocumentGate {
  std::string what;  ///< for errors: "a graph, as gnn-sample import writes"
  std::vector<std::string_view> kinds;
  std::string_view tool = {};  ///< whose alone, where the document says one; empty: anyone's
  ForeignDocuments foreign = ForeignDocuments::refused;
};

/// The one gate of every reader: fails (bad_input) with the path, what was found and what was
/// expected, unless version, kind and tool are those that the reader takes.
void check_document(const Metadata& metadata, const std::string& path, const DocumentGate& gate);

/// The same for the document of a file, whose metadata are at hand too.
inline void check_document(const Document& document, const std::string& path,
                           const DocumentGate& gate) {
  check_document(document.metadata, path, gate);
}

}  // namespace frugal
