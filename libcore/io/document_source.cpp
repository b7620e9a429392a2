#include "libcore/io/document_source.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/npy.h"

namespace frugal {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{8} << 20;

class TensorFileSource : public DocumentSource {
 public:
  TensorFileSource(const std::string& path, const TensorReadOptions& options)
      : path_(path), reader_(path, options) {}
  std::optional<Document> next() override { return reader_.next(); }
  std::optional<DocumentInfo> next_info() override { return reader_.next_info(); }
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) override {
    return reader_.read_rows(name, begin, end);
  }
  void seek(std::uint64_t number) override;
  std::optional<std::uint64_t> num_documents() override { return reader_.num_documents(); }
  bool lacks_seek_table() const override { return reader_.lacks_seek_table(); }
  std::uint64_t bytes_read() const override { return reader_.bytes_read(); }
  std::uint64_t bytes_total() const override { return reader_.bytes_total(); }

 private:
  std::string path_;
  TensorReader reader_;
};

void TensorFileSource::seek(std::uint64_t number) {
  const auto known = number == 0 ? std::nullopt : reader_.num_documents();
  if (known && number < *known) return reader_.seek_document(number);
  for (std::uint64_t i = 0; i < number; ++i) {
    if (!known && reader_.next_info()) continue;
    fail(ExitStatus::usage, path_, ": --document ", number, ": there are ", known.value_or(i));
  }
}

/// The name of a file without folder and suffix, if a tensor can have it.
std::string name_from_path(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  const std::string stem = file.substr(0, file.rfind('.'));
  const bool usable = !stem.empty() && is_utf8(stem) && printable(stem, stem.size() + 1) == stem;
  return usable ? stem : "array";
}

/// The arrays of a .npy or .npz file as one document.
class NumpySource : public DocumentSource {
 public:
  NumpySource(const std::string& path, const TensorLimits& limits) : path_(path) {
    if (format_of(path) == FileFormat::npz) {
      document_ = read_npz(path, limits);
    } else {
      document_.tensors.push_back(read_npy(path, limits));
      document_.tensors.back().name = name_from_path(path);
    }
  }
  std::optional<Document> next() override {
    if (std::exchange(done_, true)) return std::nullopt;
    return std::move(document_);
  }
  std::optional<DocumentInfo> next_info() override;
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) override;
  void seek(std::uint64_t number) override {
    if (number != 0) fail(ExitStatus::usage, path_, ": --document ", number, ": there is 1");
  }

 private:
  std::string path_;
  Document document_;
  bool done_ = false;
};

std::optional<DocumentInfo> NumpySource::next_info() {
  if (std::exchange(done_, true)) return std::nullopt;
  DocumentInfo info;
  std::uint64_t at = 0;
  for (const Tensor& tensor : document_.tensors) {
    info.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, at, at + tensor.bytes.size()});
    at += tensor.bytes.size();
  }
  return info;
}

Tensor NumpySource::read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  const Tensor& whole = document_.at(name);
  const std::uint64_t rows = num_rows(whole.shape);
  assert(begin <= end && end <= rows);
  Shape shape = whole.shape;
  if (!shape.empty()) shape[0] = end - begin;
  Tensor part = Tensor::make(whole.name, whole.dtype, shape);
  const std::uint64_t row_bytes = rows == 0 ? 0 : whole.bytes.size() / rows;
  if (!part.bytes.empty()) {
    std::memcpy(part.bytes.data(), whole.bytes.data() + begin * row_bytes, part.bytes.size());
  }
  return part;
}

}  // namespace

FileFormat format_of(std::string_view path) {
  if (path.ends_with(".npy")) return FileFormat::npy;
  if (path.ends_with(".npz")) return FileFormat::npz;
  return FileFormat::tensors;
}

std::unique_ptr<DocumentSource> open_documents(const std::string& path,
                                               const TensorReadOptions& options) {
  if (format_of(path) != FileFormat::tensors)
    return std::make_unique<NumpySource>(path, options.limits);
  return std::make_unique<TensorFileSource>(path, options);
}

void for_each_piece(DocumentSource& source, const TensorInfo& tensor, std::uint64_t begin,
                    std::uint64_t end, const std::function<void(const Tensor& piece)>& body) {
  const std::uint64_t num_bytes = num_elements(tensor.shape) * item_size(tensor.dtype);
  if (num_bytes == 0) return;  // however many rows an absurd shape declares
  const std::uint64_t row_bytes = num_bytes / num_rows(tensor.shape);
  const std::uint64_t step = std::max<std::uint64_t>(kPieceBytes / row_bytes, 1);
  for (; begin < end; begin += std::min(step, end - begin)) {
    body(source.read_rows(tensor.name, begin, begin + std::min(step, end - begin)));
  }
}

}  // namespace frugal
