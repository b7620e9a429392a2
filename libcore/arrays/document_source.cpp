#include "libcore/arrays/document_source.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "libcore/arrays/npy.h"
#include "libcore/arrays/npy_array.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{8} << 20;

class TensorFileSource : public DocumentSource {
 public:
  TensorFileSource(const std::string& path, const TensorReadOptions& options)
      : path_(path), reader_(path, options) {}
  std::optional<DocumentInfo> next_info() override { return reader_.next_info(); }
  std::optional<Document> read() override { return reader_.read(); }
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) override {
    return reader_.read_rows(name, begin, end);
  }
  Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end) override {
    return reader_.read_elements(name, begin, end);
  }
  bool reads_anywhere() override { return reader_.reads_anywhere(); }
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

/// Base of .npy and .npz sources: such a file is one document.
class NumpySource : public DocumentSource {
 public:
  explicit NumpySource(const std::string& path) : path_(path) {}
  std::optional<DocumentInfo> next_info() override {
    if (std::exchange(done_, true)) return std::nullopt;
    return info();
  }
  void seek(std::uint64_t number) override {
    if (number != 0) fail(ExitStatus::usage, path_, ": --document ", number, ": there is 1");
  }

 protected:
  virtual DocumentInfo info() = 0;
  std::string path_;

 private:
  bool done_ = false;
};

/// Arrays are read by pieces, so that memory does not grow with what a small archive unpacks to.
class NpzFile : public NumpySource {
 public:
  NpzFile(const std::string& path, const TensorLimits& limits)
      : NumpySource(path), reader_(path, limits) {}
  std::optional<Document> read() override {
    Document document;
    for (const std::string& name : reader_.names()) document.tensors.push_back(reader_.read(name));
    return document;
  }
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) override {
    return reader_.read_rows(name, begin, end);
  }
  Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end) override {
    return reader_.read_elements(name, begin, end);
  }
  std::uint64_t bytes_total() const override { return reader_.file_size(); }

 protected:
  DocumentInfo info() override {
    DocumentInfo info;
    std::uint64_t at = 0;
    for (const std::string& name : reader_.names()) {
      info.tensors.push_back(reader_.info(name));
      TensorInfo& tensor = info.tensors.back();
      tensor.end = at + (tensor.end - tensor.begin);
      tensor.begin = std::exchange(at, tensor.end);
    }
    return info;
  }

 private:
  NpzReader reader_;
};

class NpyFile : public NumpySource {
 public:
  NpyFile(const std::string& path, const TensorLimits& limits)
      : NumpySource(path),
        limits_(limits),
        file_(path),
        place_(find_npy_array(source(), limits)),
        name_(name_from_path(path)) {}
  std::optional<Document> read() override {
    Document document;
    document.tensors.push_back(whole());
    return document;
  }
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) override {
    return rows_from(place_.header.shape, begin, end, [&](std::uint64_t from, std::uint64_t to) {
      return read_elements(name, from, to);
    });
  }
  Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end) override;
  std::uint64_t bytes_total() const override { return file_.size(); }

 protected:
  DocumentInfo info() override {
    DocumentInfo info;
    info.tensors = {
        {name_, place_.header.dtype, place_.header.shape, 0, file_.size() - place_.data}};
    return info;
  }

 private:
  NpySource source() const { return {file_, 0, file_.size(), path_}; }
  Tensor whole() const {
    Tensor tensor = read_npy_array(source(), limits_, npy_memory(limits_)).tensor;
    tensor.name = name_;
    return tensor;
  }

  TensorLimits limits_;
  RegularFile file_;
  NpyPlace place_;
  std::string name_;
  std::optional<Tensor> reordered_;  ///< all of it where the elements lie in another order
};

Tensor NpyFile::read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  assert(name == name_);
  const NpyHeader& header = place_.header;
  if (header.fortran_order && header.shape.size() > 1) {
    if (!reordered_) reordered_ = whole();
    return elements_of(*reordered_, begin, end);
  }
  Tensor part = read_npy_elements(source(), place_, begin, end, npy_memory(limits_));
  part.name = name;
  return part;
}

}  // namespace

FileFormat format_of(std::string_view path) {
  if (path.ends_with(".npy")) return FileFormat::npy;
  if (path.ends_with(".npz")) return FileFormat::npz;
  return FileFormat::tensors;
}

FileFormat input_format(const std::string& path) {
  const FileFormat named = format_of(path);
  const std::optional<std::uint64_t> size = path == "-" ? std::nullopt : size_of_input(path);
  if (named != FileFormat::tensors || !size) return named;
  std::array<char, 4096> bytes{};  // more than the first header of an archive
  const std::size_t head_size = std::min<std::uint64_t>(*size, bytes.size());
  RegularFile(path).read_at(0, bytes.data(), head_size);
  const std::string_view head(bytes.data(), head_size);
  if (head.starts_with("\x93NUMPY")) return FileFormat::npy;
  const bool is_archive = head.starts_with("PK\3\4") && head.find(".npy") != std::string_view::npos;
  return is_archive ? FileFormat::npz : FileFormat::tensors;
}

std::unique_ptr<DocumentSource> open_documents(const std::string& path,
                                               const TensorReadOptions& options) {
  switch (input_format(path)) {
    case FileFormat::npy: return std::make_unique<NpyFile>(path, options.limits);
    case FileFormat::npz: return std::make_unique<NpzFile>(path, options.limits);
    case FileFormat::tensors: break;
  }
  return std::make_unique<TensorFileSource>(path, options);
}

void for_each_piece(DocumentSource& source, const TensorInfo& tensor, std::uint64_t begin,
                    std::uint64_t end, const std::function<void(const Tensor& piece)>& body) {
  const std::uint64_t elements = num_elements(tensor.shape);
  if (elements == 0) return;  // however many rows an absurd shape declares
  const std::uint64_t row = elements / num_rows(tensor.shape);
  const std::uint64_t step = kPieceBytes / item_size(tensor.dtype);
  for (std::uint64_t at = begin * row; at < end * row; at += std::min(step, end * row - at)) {
    body(source.read_elements(tensor.name, at, at + std::min(step, end * row - at)));
  }
}

}  // namespace frugal
