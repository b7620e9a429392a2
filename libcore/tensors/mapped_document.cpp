#include "libcore/tensors/mapped_document.h"

#include <algorithm>
#include <filesystem>

#include "libcore/streams/plain_stream.h"
#include "libcore/tensors/header_reader.h"
#include "libcore/tensors/tensor_pack.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::uint64_t kLoadPiece = std::uint64_t{16} << 20;

/// Tensors could be mapped, but hold something else than the elements as they are.
bool holds_plain_tensors(DocumentInfo info, const TensorLimits& limits, const std::string& place) {
  apply_encoding(info, limits, place);
  return std::all_of(info.tensors.begin(), info.tensors.end(), [](const TensorInfo& tensor) {
    return tensor.packing == Packing::none && tensor.dtype != Dtype::boolean;
  });
}

}  // namespace

MappedDocument::MappedDocument(int descriptor, const std::string& path, DocumentInfo info,
                               std::uint64_t data_begin)
    : file_(descriptor, path),
      memory_(file_.descriptor(), file_.size(), false, path),
      info_(std::move(info)),
      data_begin_(data_begin) {}

std::unique_ptr<MappedDocument> MappedDocument::open(const std::string& path,
                                                     const TensorLimits& limits) {
  // Reading from a pipe would consume it. A missing file is left to the next reader's error.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return nullptr;
  const auto stream = open_plain_stream(path, false);
  std::size_t got = 0;
  const std::string place = path + ": document 1";
  auto header = read_header(*stream, limits, place, got);
  const bool is_plain = stream->input().position() == stream->position();
  if (!header || !is_plain || header->data_end != stream->input().size()) return nullptr;
  if (!holds_plain_tensors(header->info, limits, place)) return nullptr;
  // Uses the same open file: its name may belong to another file by now.
  std::unique_ptr<MappedDocument> document(new MappedDocument(
      stream->input().descriptor(), path, std::move(header->info), header->data_begin));
  return document->file_.size() == header->data_end ? std::move(document) : nullptr;
}

Tensor MappedDocument::tensor(const TensorInfo& info) const {
  const std::byte* const begin = memory_.data() + data_begin_ + info.begin;
  if (reinterpret_cast<std::uintptr_t>(begin) % item_size(info.dtype) != 0) return load(info);
  Tensor tensor{info.name, info.dtype, info.shape, {}, {}};
  tensor.lent = {begin, static_cast<std::size_t>(info.end - info.begin)};
  return tensor;
}

Document MappedDocument::document() const {
  Document document;
  document.metadata = info_.metadata;
  for (const TensorInfo& info : info_.tensors) document.tensors.push_back(tensor(info));
  return document;
}

Tensor MappedDocument::load(const TensorInfo& info) const {
  Tensor tensor = Tensor::make(info.name, info.dtype, info.shape);
  const std::uint64_t size = info.end - info.begin;
  const auto pieces = static_cast<std::size_t>((size + kLoadPiece - 1) / kLoadPiece);
  parallel_for(pieces, 1, [&](std::size_t i) {
    const std::uint64_t begin = i * kLoadPiece, end = std::min(size, begin + kLoadPiece);
    read(info, begin, tensor.bytes.data() + begin, end - begin);
  });
  return tensor;
}

void MappedDocument::read(const TensorInfo& info, std::uint64_t begin, std::byte* to,
                          std::uint64_t size) const {
  file_.read_at(data_begin_ + info.begin + begin, to, size);
}

void MappedDocument::expect_random_reads(const TensorInfo& info) const {
  memory_.expect_random_reads(data_begin_ + info.begin, info.end - info.begin);
}

void MappedDocument::expect_reads_in_order() const {
  memory_.expect_reads_in_order(0, memory_.size());
}

OpenDocument open_document(const std::string& path) {
  if (auto mapping = MappedDocument::open(path)) {
    Document document = mapping->document();
    return {std::move(mapping), std::move(document)};
  }
  return {nullptr, read_document(path)};
}

}  // namespace frugal
