#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/io/document_keys.h"
#include "libcore/io/header_reader.h"
#include "libcore/io/plain_stream.h"
#include "libcore/io/safetensors_header.h"
#include "libcore/io/tensor_file.h"
#include "libcore/io/tensor_pack.h"
#include "libcore/system/limits.h"

namespace frugal {

struct TensorReader::State {
  State(const std::string& path_, const TensorReadOptions& o)
      : path(path_), options(o), stream(open_plain_stream(path, options.threads != 1)) {}

  [[noreturn]] void bad(const std::string& finding) const {
    fail(ExitStatus::bad_input, path, ": ", finding);
  }
  std::string place() const { return path + ": document " + std::to_string(documents + 1); }

  /// The input ended where more was due: an error, unless that is allowed.
  bool truncated() {
    const std::string finding = "stream truncated after " + std::to_string(documents) +
                                (documents == 1 ? " document" : " documents");
    if (!options.allow_truncated) bad(finding);
    if (!ended) log_warning(path, ": ", finding);
    ended = true;
    return false;
  }

  void check_memory(std::uint64_t bytes, std::string_view what) {
    if (options.limits.max_memory == 0) {
      const std::uint64_t left = memory_available();  // 0: unknown
      options.limits.max_memory =
          left == 0 ? std::numeric_limits<std::uint64_t>::max() : left / 5 * 4;
    }
    if (bytes <= options.limits.max_memory) return;
    fail(ExitStatus::unavailable, path, ": ", printable(what), " needs ", format_bytes(bytes),
         " of memory, at most ", format_bytes(options.limits.max_memory), " may be used");
  }

  /// Makes the next document the current one; false at the end.
  bool advance() {
    while (!ended) {
      current.reset();
      if (stream->position() != next_begin && !stream->seek(next_begin)) return truncated();
      std::size_t got = 0;
      auto header = read_header(*stream, options.limits, place(), got);
      if (!header) return got == 0 && !stream->is_cut() ? at_end() : truncated();
      next_begin = header->data_end;
      if (is_end_document(header->info.metadata)) {
        expects_table = header->info.find(kOffsetsTensor) != nullptr;
        end_segment(header->info.metadata);
        continue;
      }
      apply_encoding(header->info, options.limits, place());
      in_stream = header->info.metadata.contains(kSequenceKey);
      expects_table = !in_stream && header->info.metadata.contains(kVersionKey);
      ++documents;
      ++in_segment;
      current = std::move(header);
      return true;
    }
    return false;
  }

  /// A document that is no part of a stream may stand alone; all others need an end document.
  bool at_end() {
    if (stream->position() == 0) bad("empty, expected tensors");
    const bool alone = in_segment == 1 && !in_stream;
    if (in_segment != 0 && !alone) return truncated();
    ended = true;
    return false;
  }

  void end_segment(const Metadata& metadata) {
    const auto count = metadata_number(metadata, kCountKey);
    if (counting && count != in_segment) {
      bad("the end document counts " + (count ? std::to_string(*count) : "no") +
          " documents, found " + std::to_string(in_segment));
    }
    const auto status = metadata.find(kStatusKey);
    if (status == metadata.end() || status->second != kComplete)
      bad("the stream says that it is not complete");
    in_segment = 0;
    counting = true;
  }

  Array<std::byte> allocate(std::uint64_t bytes, const std::string& name) const {
    try {
      return Array<std::byte>(static_cast<std::size_t>(bytes), uninitialized);
    } catch (const std::bad_alloc&) {
      fail(ExitStatus::unavailable, path, ": no ", format_bytes(bytes), " of memory for tensor '",
           printable(name), "'");
    }
  }

  Tensor make(const TensorInfo& info, Shape shape) const {
    const std::uint64_t bytes = num_elements(shape) * item_size(info.dtype);
    return {info.name, info.dtype, std::move(shape), allocate(bytes, info.name)};
  }

  bool fill(std::span<std::byte> bytes) {
    return stream->read(bytes.data(), bytes.size()) == bytes.size();
  }

  /// Where the caller wants the tensor; empty: anywhere.
  std::span<std::byte> place_of(const TensorInfo& info) const {
    const auto found = options.places.find(info.name);
    const bool fits = found != options.places.end() && info.packing == Packing::none &&
                      info.dtype != Dtype::boolean && found->second.size() == info.end - info.begin;
    return fits ? found->second : std::span<std::byte>();
  }

  /// The tensor at the stream's position; false if the input ends before its end. Memory is touched
  /// only as data arrive, so a declared size alone costs nothing.
  bool read_tensor(const TensorInfo& info, Tensor& tensor) {
    if (const std::span<std::byte> to = place_of(info); !to.empty()) {
      tensor = {info.name, info.dtype, info.shape, {}, to};
      return fill(to);
    }
    tensor = make(info, info.shape);
    if (info.packing == Packing::none) {
      if (!fill({tensor.bytes.data(), tensor.bytes.size()})) return false;
    } else {
      auto packed = allocate(info.end - info.begin, info.name);
      if (!fill({packed.data(), packed.size()})) return false;
      unpack(info, packed, tensor.bytes);
    }
    check_values(tensor);
    return true;
  }

  static void unpack(const TensorInfo& info, const Array<std::byte>& packed, Array<std::byte>& to) {
    const std::size_t size = item_size(info.dtype);
    merge_planes(size, to.size() / size, packed.data(), to.data());
    if (info.packing == Packing::delta_planes) sum_differences(size, to.size() / size, to.data());
  }

  /// C++ has no bool but 0 and 1.
  void check_values(const Tensor& tensor) const {
    if (tensor.dtype != Dtype::boolean) return;
    const bool good = std::all_of(tensor.bytes.begin(), tensor.bytes.end(),
                                  [](std::byte b) { return std::to_integer<int>(b) <= 1; });
    if (!good)
      bad("tensor '" + printable(tensor.name) + "' is BOOL, but holds other bytes than 0 and 1");
  }

  std::optional<Document> next() {
    if (!advance()) return std::nullopt;
    std::uint64_t largest_packed = 0, placed = 0;
    for (const TensorInfo& info : current->info.tensors) {
      placed += place_of(info).size();
      if (info.packing != Packing::none) {
        largest_packed = std::max(largest_packed, info.end - info.begin);
      }
    }
    check_memory(data_size(current->info) - placed + largest_packed,
                 "document " + std::to_string(documents));
    Document document;
    document.tensors.reserve(current->info.tensors.size());
    for (const TensorInfo& info : current->info.tensors) {
      if (!read_tensor(info, document.tensors.emplace_back())) {
        --documents;
        current.reset();
        truncated();
        return std::nullopt;
      }
    }
    document.metadata = std::move(current->info.metadata);
    current.reset();
    return document;
  }

  const TensorInfo& tensor_info(std::string_view name) const {
    if (!current) fail(ExitStatus::internal, path, ": rows asked for outside of a document");
    const TensorInfo* const info = current->info.find(name);
    if (info == nullptr) bad("no tensor '" + printable(name) + "'");
    return *info;
  }

  /// Stored bytes [begin, begin + size) of a tensor.
  void read_at(const TensorInfo& info, std::uint64_t begin, std::byte* to, std::uint64_t size) {
    const std::uint64_t position = current->data_begin + info.begin + begin;
    if (stream->position() > position && !stream->input().is_regular()) {
      bad("rows of tensor '" + printable(info.name) +
          "' are behind in a pipe; read a file instead");
    }
    const auto n = static_cast<std::size_t>(size);
    if (!stream->seek(position) || stream->read(to, n) < n) {
      bad("truncated in tensor '" + printable(info.name) + "'");
    }
  }

  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) {
    const TensorInfo& info = tensor_info(name);
    const std::uint64_t rows = num_rows(info.shape);
    if (begin > end || end > rows) {
      bad("tensor '" + printable(name) + "' has " + std::to_string(rows) + " rows, asked for [" +
          std::to_string(begin) + ", " + std::to_string(end) + ")");
    }
    locate_frames();
    Shape shape = info.shape;
    if (!shape.empty()) shape.front() = end - begin;
    const std::uint64_t row_bytes = rows == 0 ? 0 : (info.end - info.begin) / rows;
    check_memory((end - begin) * row_bytes, "tensor '" + info.name + "'");
    Tensor tensor = make(info, std::move(shape));
    if (info.packing == Packing::none) {
      read_at(info, begin * row_bytes, tensor.bytes.data(), tensor.bytes.size());
    } else if (info.packing == Packing::planes && stream->input().is_regular()) {
      read_plane_rows(info, begin * row_bytes / item_size(info.dtype), tensor);
    } else {
      slice_unpacked(info, begin * row_bytes, tensor);
    }
    check_values(tensor);
    return tensor;
  }

  /// The elements from `first` on, of each byte plane.
  void read_plane_rows(const TensorInfo& info, std::uint64_t first, Tensor& tensor) {
    const std::size_t size = item_size(info.dtype);
    const std::uint64_t plane = (info.end - info.begin) / size;
    const std::uint64_t n = tensor.bytes.size() / size;
    auto packed = allocate(tensor.bytes.size(), info.name);
    for (std::uint64_t i = 0; i < size; ++i) {
      read_at(info, i * plane + first, packed.data() + i * n, n);
    }
    unpack(info, packed, tensor.bytes);
  }

  /// Differences can only be summed from the beginning.
  void slice_unpacked(const TensorInfo& info, std::uint64_t offset, Tensor& tensor) {
    const std::uint64_t bytes = info.end - info.begin;
    check_memory(2 * bytes + tensor.bytes.size(), "tensor '" + info.name + "'");
    auto packed = allocate(bytes, info.name);
    read_at(info, 0, packed.data(), bytes);
    auto whole = allocate(bytes, info.name);
    unpack(info, packed, whole);
    if (!tensor.bytes.empty()) {
      std::memcpy(tensor.bytes.data(), whole.data() + offset, tensor.bytes.size());
    }
  }

  /// Chooses, once, how to find frames: the seek table if what it says about the plain size agrees
  /// with the documents, else a walk through the file.
  void locate_frames() {
    if (std::exchange(located, true) || !stream->input().is_regular()) return;
    if (const FrameIndex* const table = stream->use_table()) {
      const bool alone = current && !current->info.metadata.contains(kSequenceKey);
      if (alone && current->data_end == table->plain_size()) return;
      offsets = find_document_offsets(*stream, *table, options.limits);
      if (offsets) return;
    }
    if (const FrameIndex* const frames = stream->use_scan()) {
      offsets = find_document_offsets(*stream, *frames, options.limits);
    }
  }

  std::string path;
  TensorReadOptions options;
  std::unique_ptr<PlainStream> stream;
  std::optional<PlacedHeader> current;  ///< what next_info() gave
  std::uint64_t next_begin = 0;         ///< plain position of the next document
  std::uint64_t documents = 0;          ///< read so far
  std::uint64_t in_segment = 0;         ///< of these, since the last end document
  bool counting = true;        ///< false after seek_document(), up to the next end document
  bool in_stream = false;      ///< the last document belongs to a stream
  bool expects_table = false;  ///< whoever wrote the last document put a seek table behind it
  bool ended = false;
  bool located = false;
  std::optional<std::vector<std::uint64_t>> offsets;  ///< of all documents, if they are listed
};

TensorReader::TensorReader(const std::string& path, const TensorReadOptions& options)
    : state_(std::make_unique<State>(path, options)) {}

TensorReader::~TensorReader() = default;

std::optional<Document> TensorReader::next() { return state_->next(); }

std::optional<DocumentInfo> TensorReader::next_info() {
  if (!state_->advance()) return std::nullopt;
  return state_->current->info;
}

Tensor TensorReader::read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  return state_->read_rows(name, begin, end);
}

std::optional<std::uint64_t> TensorReader::num_documents() {
  state_->locate_frames();
  if (!state_->offsets) return std::nullopt;
  return state_->offsets->size();
}

void TensorReader::seek_document(std::uint64_t document) {
  const auto count = num_documents();
  if (!count || document >= *count) {
    state_->bad("document " + std::to_string(document) + " asked for, but " +
                (count ? "there are " + std::to_string(*count) : "the documents are not listed"));
  }
  state_->current.reset();
  state_->next_begin = (*state_->offsets)[static_cast<std::size_t>(document)];
  state_->counting = false;
  state_->ended = false;
}

bool TensorReader::lacks_seek_table() const {
  return state_->expects_table && state_->stream->lacks_table();
}

std::uint64_t TensorReader::bytes_read() const { return state_->stream->input().position(); }

std::uint64_t TensorReader::bytes_total() const { return state_->stream->input().size(); }

}  // namespace frugal
