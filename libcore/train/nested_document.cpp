#include "libcore/train/nested_document.h"

namespace frugal {

void add_nested(Document& to, const std::string& prefix, const Document& document) {
  for (const auto& [key, value] : document.metadata) to.metadata[prefix + key] = value;
  for (const Tensor& t : document.tensors) {
    to.tensors.push_back({prefix + t.name, t.dtype, t.shape, {}, t.content()});
  }
}

std::unique_ptr<Document> nested_document(const Document& in, const std::string& prefix) {
  auto document = std::make_unique<Document>();
  for (const auto& [key, value] : in.metadata) {
    if (key.starts_with(prefix)) document->metadata[key.substr(prefix.size())] = value;
  }
  for (const Tensor& tensor : in.tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    document->tensors.push_back(tensor.clone());
    document->tensors.back().name = tensor.name.substr(prefix.size());
  }
  return document->tensors.empty() ? nullptr : std::move(document);
}

}  // namespace frugal
