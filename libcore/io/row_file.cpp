#include "libcore/io/row_file.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "libcore/base/error.h"
#include "libcore/io/crc32.h"
#include "libcore/io/document_source.h"
#include "libcore/io/npy_array.h"
#include "libcore/io/npy_header.h"
#include "libcore/io/zip.h"
#include "libcore/system/output_file.h"

namespace frugal {
namespace {

constexpr std::uint64_t kRowPieceBytes = std::uint64_t{1} << 20;

using ByteSink = std::function<void(std::span<const std::byte> bytes)>;

/// The rows of a tensor one piece after the other.
void make_rows(const TensorInfo& tensor, const RowFiller& fill, const ByteSink& sink) {
  const std::uint64_t num_bytes = tensor.end;
  if (num_bytes == 0) return;
  const std::uint64_t rows = num_rows(tensor.shape), row_bytes = num_bytes / rows;
  const std::uint64_t step = std::max<std::uint64_t>(kRowPieceBytes / row_bytes, 1);
  Array<std::byte> piece(static_cast<std::size_t>(std::min(step, rows) * row_bytes), uninitialized);
  for (std::uint64_t begin = 0; begin < rows; begin += step) {
    const std::uint64_t end = std::min(rows, begin + step);
    const std::span<std::byte> bytes(piece.data(),
                                     static_cast<std::size_t>((end - begin) * row_bytes));
    fill(tensor, begin, end, bytes);
    sink(bytes);
  }
}

/// Numpy's tensors with begin and end as if each were alone; refused where numpy has none.
std::vector<TensorInfo> numpy_tensors(const DocumentInfo& info, const std::string& path) {
  std::vector<TensorInfo> tensors = info.tensors;
  for (TensorInfo& tensor : tensors) {
    check_npy_can_hold(tensor.name, tensor.dtype, tensor.shape, path);
    tensor.begin = 0;
    tensor.end = num_elements(tensor.shape) * item_size(tensor.dtype);
  }
  return tensors;
}

void write_npy_rows(const std::string& path, const DocumentInfo& info, const RowFiller& fill,
                    const OutputFile::Options& options) {
  const std::vector<TensorInfo> tensors = numpy_tensors(info, path);
  if (tensors.size() != 1) {
    fail(ExitStatus::usage, path, ": .npy holds one tensor, these are ", tensors.size(),
         "; write .npz or .safetensors");
  }
  OutputFile out(path, options);
  const std::string header = npy_header(tensors[0].dtype, tensors[0].shape);
  out.write(header.data(), header.size());
  make_rows(tensors[0], fill,
            [&](std::span<const std::byte> bytes) { out.write(bytes.data(), bytes.size()); });
  out.commit();
}

void write_npz_rows(const std::string& path, const DocumentInfo& info, const RowFiller& fill,
                    const OutputFile::Options& options) {
  const std::vector<TensorInfo> tensors = numpy_tensors(info, path);
  OutputFile out(path, options);
  ZipWriter zip(out);
  for (const TensorInfo& tensor : tensors) {
    const std::string header = npy_header(tensor.dtype, tensor.shape);
    std::uint32_t crc = crc32(header.data(), header.size());
    make_rows(tensor, fill, [&](std::span<const std::byte> bytes) {
      crc = crc32(bytes.data(), bytes.size(), crc);
    });
    zip.begin_member(tensor.name + ".npy", header.size() + tensor.end, crc);
    out.write(header.data(), header.size());
    make_rows(tensor, fill,
              [&](std::span<const std::byte> bytes) { out.write(bytes.data(), bytes.size()); });
  }
  zip.finish();
  out.commit();
}

}  // namespace

void write_rows(const std::string& path, const DocumentInfo& info, const RowFiller& fill,
                const TensorWriteOptions& options) {
  const OutputFile::Options output{.binary = true, .if_changed = options.if_changed};
  switch (format_of(path)) {
    case FileFormat::npy: return write_npy_rows(path, info, fill, output);
    case FileFormat::npz: return write_npz_rows(path, info, fill, output);
    case FileFormat::tensors: break;
  }
  TensorWriter writer(path, options);
  writer.write(info, fill);
  writer.finish();
}

void write_rows(const std::string& path, const Document& document, const RowFillers& fillers,
                const TensorWriteOptions& options) {
  DocumentInfo info;
  info.metadata = document.metadata;
  for (const Tensor& tensor : document.tensors) {
    info.tensors.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  TensorWriter writer(path, options);
  writer.write(info, [&](const TensorInfo& tensor, std::uint64_t begin, std::uint64_t end,
                         std::span<std::byte> to) {
    const auto filler = fillers.find(tensor.name);
    if (filler != fillers.end()) return filler->second(tensor, begin, end, to);
    const auto content = document.at(tensor.name).content();
    const std::size_t row = to.size() / (end - begin);
    if (!to.empty()) std::memcpy(to.data(), content.data() + begin * row, to.size());
  });
  writer.finish();
}

}  // namespace frugal
