#pragma once
#include <memory>
#include <string>

#include "libcore/io/tensor_file.h"

namespace frugal {

/// Adds a document's metadata and tensors, which are lent, to another with `prefix` before their
/// names: the best model so far in a checkpoint.
void add_nested(Document& to, const std::string& prefix, const Document& document);

/// A copy of what add_nested() added; null where no tensor is behind that prefix.
std::unique_ptr<Document> nested_document(const Document& in, const std::string& prefix);

}  // namespace frugal
