#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {
namespace {

constexpr std::size_t kMaxNamesInError = 8;

template <class Items>
auto find_named(Items& items, std::string_view name) -> decltype(&items.front()) {
  for (auto& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

}  // namespace

const Tensor* Document::find(std::string_view name) const { return find_named(tensors, name); }

const Tensor& Document::at(std::string_view name) const {
  if (const Tensor* const tensor = find(name)) return *tensor;
  std::string names;
  for (std::size_t i = 0; i < tensors.size() && i < kMaxNamesInError; ++i) {
    names += (i == 0 ? " " : ", ") + printable(tensors[i].name);
  }
  if (tensors.size() > kMaxNamesInError) names += " ...";
  fail(ExitStatus::bad_input, "no tensor '", printable(name), "' among the ", tensors.size(),
       names.empty() ? "" : ":", names);
}

Document Document::clone() const {
  Document copy;
  copy.metadata = metadata;
  for (const Tensor& tensor : tensors) copy.tensors.push_back(tensor.clone());
  return copy;
}

DocumentInfo Document::describe() const {
  DocumentInfo info{metadata, {}};
  for (const Tensor& tensor : tensors) {
    info.tensors.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  return info;
}

const TensorInfo* DocumentInfo::find(std::string_view name) const {
  return find_named(tensors, name);
}

void append_history(Metadata& metadata, const std::string& entry_json) {
  std::string& history = metadata[kHistoryKey];
  const std::string_view entries = trim(history);
  // A history that another program left there and that is not an array is replaced.
  const bool is_array = entries.size() >= 2 && entries.front() == '[' && entries.back() == ']';
  const std::string_view inner = is_array ? trim(entries.substr(1, entries.size() - 2)) : "";
  std::string joined = "[" + std::string(inner);
  if (!inner.empty()) joined += ',';
  history = joined + entry_json + "]";
}

Document read_document(const std::string& path, const TensorReadOptions& options) {
  TensorReader reader(path, options);
  auto document = reader.next();
  if (!document) fail(ExitStatus::bad_input, path, ": holds no document, expected one");
  if (reader.next_info()) {
    fail(ExitStatus::bad_input, path, ": holds more than one document, expected one");
  }
  return std::move(*document);
}

void write_document(const std::string& path, const Document& document,
                    const TensorWriteOptions& options) {
  TensorWriter writer(path, options);
  writer.write(document);
  writer.finish();
}

}  // namespace frugal
