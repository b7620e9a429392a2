#include "libcore/io/document_source.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/npy.h"
#include "libcore/io/npy_array.h"

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

/// What .npy and .npz have in common: they hold one document.
class NumpySource : public DocumentSource {
 public:
  explicit NumpySource(const std::string& path) : path_(path) {}
  std::optional<Document> next() override {
    if (std::exchange(done_, true)) return std::nullopt;
    return read();
  }
  std::optional<DocumentInfo> next_info() override {
    if (std::exchange(done_, true)) return std::nullopt;
    return info();
  }
  void seek(std::uint64_t number) override {
    if (number != 0) fail(ExitStatus::usage, path_, ": --document ", number, ": there is 1");
  }

 protected:
  virtual Document read() = 0;
  virtual DocumentInfo info() = 0;
  std::string path_;

 private:
  bool done_ = false;
};

/// Arrays are read by rows, so that memory does not grow with what a small archive unpacks to.
class NpzFile : public NumpySource {
 public:
  NpzFile(const std::string& path, const TensorLimits& limits)
      : NumpySource(path), reader_(path, limits) {}
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) override {
    return reader_.read_rows(name, begin, end);
  }

 protected:
  Document read() override {
    Document document;
    for (const std::string& name : reader_.names()) document.tensors.push_back(reader_.read(name));
    return document;
  }
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
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) override;

 protected:
  Document read() override {
    Document document;
    document.tensors.push_back(read_npy_array(source(), limits_, npy_memory(limits_)).tensor);
    document.tensors.back().name = name_;
    return document;
  }
  DocumentInfo info() override {
    DocumentInfo info;
    info.tensors = {
        {name_, place_.header.dtype, place_.header.shape, 0, file_.size() - place_.data}};
    return info;
  }

 private:
  NpySource source() const { return {file_, 0, file_.size(), path_}; }

  TensorLimits limits_;
  RegularFile file_;
  NpyPlace place_;
  std::string name_;
  std::optional<Document> reordered_;  ///< the whole array where rows are not together in the file
};

Tensor NpyFile::read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  const NpyHeader& header = place_.header;
  if (header.fortran_order && header.shape.size() > 1) {
    if (!reordered_) reordered_ = read();
    return rows_of(reordered_->at(name), begin, end);
  }
  assert(name == name_);
  Tensor part = read_npy_rows(source(), place_, begin, end, npy_memory(limits_));
  part.name = name_;
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
  switch (format_of(path)) {
    case FileFormat::npy: return std::make_unique<NpyFile>(path, options.limits);
    case FileFormat::npz: return std::make_unique<NpzFile>(path, options.limits);
    case FileFormat::tensors: break;
  }
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
