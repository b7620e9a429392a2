#include "libcore/arrays/row_file.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "libcore/arrays/crc32.h"
#include "libcore/arrays/document_source.h"
#include "libcore/arrays/npy.h"
#include "libcore/arrays/npy_array.h"
#include "libcore/arrays/npy_header.h"
#include "libcore/arrays/zip.h"
#include "libcore/base/error.h"
#include "libcore/system/output_file.h"

namespace frugal {
namespace {

constexpr std::uint64_t kCopyBytes = std::uint64_t{1} << 20;

using ByteSink = std::function<void(std::span<const std::byte> bytes)>;

/// Makes the bytes of a tensor piece by piece.
void make_pieces(const TensorInfo& tensor, const ByteFiller& fill, const ByteSink& sink) {
  Array<std::byte> piece(static_cast<std::size_t>(std::min(kCopyBytes, tensor.end)), uninitialized);
  for (std::uint64_t at = 0; at < tensor.end; at += piece.size()) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), tensor.end - at));
    fill(tensor, at, {piece.data(), n});
    sink({piece.data(), n});
  }
}

/// Copies of the tensors, each with begin 0 and end = its size, as if it were the only one.
std::vector<TensorInfo> alone(std::vector<TensorInfo> tensors) {
  for (TensorInfo& tensor : tensors) {
    tensor.begin = 0;
    tensor.end = size_in_bytes(tensor.dtype, tensor.shape);
  }
  return tensors;
}

void write_npy_pieces(const std::string& path, const DocumentInfo& info, const ByteFiller& fill,
                      const OutputFile::Options& options) {
  const std::vector<TensorInfo> tensors = alone(info.tensors);
  if (tensors.size() != 1) {
    fail(ExitStatus::usage, path, ": .npy holds one tensor, these are ", tensors.size(),
         "; write .npz or .safetensors");
  }
  check_npy_can_hold(tensors[0].name, tensors[0].dtype, tensors[0].shape, path);
  OutputFile out(path, options);
  const std::string header = npy_header(tensors[0].dtype, tensors[0].shape);
  out.write(header.data(), header.size());
  make_pieces(tensors[0], fill,
              [&](std::span<const std::byte> bytes) { out.write(bytes.data(), bytes.size()); });
  out.commit();
}

void write_npz_pieces(const std::string& path, const DocumentInfo& info, const ByteFiller& fill,
                      const OutputFile::Options& options) {
  const std::vector<TensorInfo> tensors = alone(info.tensors);
  check_npz_can_hold(info, path);
  OutputFile out(path, options);
  ZipWriter zip(out);
  for (const TensorInfo& tensor : tensors) {
    const std::string header = npy_header(tensor.dtype, tensor.shape);
    std::uint32_t crc = crc32(header.data(), header.size());
    make_pieces(tensor, fill, [&](std::span<const std::byte> bytes) {
      crc = crc32(bytes.data(), bytes.size(), crc);
    });
    zip.begin_member(npz_name(tensor.name) + ".npy", header.size() + tensor.end, crc);
    out.write(header.data(), header.size());
    make_pieces(tensor, fill,
                [&](std::span<const std::byte> bytes) { out.write(bytes.data(), bytes.size()); });
  }
  zip.finish();
  out.commit();
}

}  // namespace

void write_pieces(const std::string& path, const DocumentInfo& info, const ByteFiller& fill,
                  const TensorWriteOptions& options) {
  const OutputFile::Options output{.binary = true};
  switch (format_of(path)) {
    case FileFormat::npy: return write_npy_pieces(path, info, fill, output);
    case FileFormat::npz: return write_npz_pieces(path, info, fill, output);
    case FileFormat::tensors: break;
  }
  TensorWriter writer(path, options);
  writer.write(info, fill);
  writer.finish();
}

void write_arrays(const std::string& path, const Document& document) {
  write_pieces(path, document.describe(),
               [&](const TensorInfo& tensor, std::uint64_t offset, std::span<std::byte> to) {
                 const auto content = document.at(tensor.name).content();
                 std::memcpy(to.data(), content.data() + offset, to.size());
               });
}

void write_rows(const std::string& path, const Document& document, const RowFillers& fillers,
                const TensorWriteOptions& options) {
  TensorWriter writer(path, options);
  std::map<std::string_view, ByteFiller> made;
  for (const auto& [name, fill] : fillers) made[name] = bytes_of_rows(fill);
  writer.write(document.describe(),
               [&](const TensorInfo& tensor, std::uint64_t offset, std::span<std::byte> to) {
                 const auto filler = made.find(tensor.name);
                 if (filler != made.end()) return filler->second(tensor, offset, to);
                 const auto content = document.at(tensor.name).content();
                 std::memcpy(to.data(), content.data() + offset, to.size());
               });
  writer.finish();
}

}  // namespace frugal
