#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <unordered_map>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/streams/plain_stream.h"
#include "libcore/system/limits.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/header_reader.h"
#include "libcore/tensors/packed_parts.h"
#include "libcore/tensors/safetensors_header.h"
#include "libcore/tensors/tensor_file.h"
#include "libcore/tensors/tensor_pack.h"

namespace frugal {

struct TensorReader::State {
  State(const std::string& path_, const TensorReadOptions& o)
      : path(path_), options(o), stream(open_plain_stream(path, options.threads != 1)) {}

  [[noreturn]] void bad(const std::string& finding) const {
    fail(ExitStatus::bad_input, path, ": ", finding);
  }
  std::string place() const { return path + ": document " + std::to_string(documents + 1); }

  /// Reports that the input ended too early: an error, unless allow_truncated is set.
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

  void leave_document() {
    current.reset();
    by_name.clear();
    packed = {};
  }

  /// Makes the next document the current one; false at the end.
  bool advance() {
    while (!ended) {
      leave_document();
      if (stream->position() != next_begin && !stream->seek(next_begin)) return truncated();
      std::size_t got = 0;
      auto header = next_header(got);
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

  std::optional<PlacedHeader> next_header(std::size_t& got) {
    if (documents == 0 || in_segment > 1 || (in_segment == 1 && in_stream)) {
      return read_header(*stream, options.limits, place(), got);
    }
    // Behind what can be all: whatever begins no document is no part of one either.
    std::optional<PlacedHeader> header;
    try {
      header = read_header(*stream, options.limits, place(), got);
    } catch (const Error& error) {
      if (!std::string_view(error.what()).starts_with(place())) throw;  // not of the header
      bad_end();
    }
    if (!header && got != 0 && !stream->is_cut()) bad_end();
    return header;
  }

  [[noreturn]] void bad_end() const {
    const InputStream& input = stream->input();
    const bool plain = input.is_regular() && input.position() == stream->position();
    bad((plain ? format_count(input.size() - next_begin, "byte") : "bytes") +
        " behind the last tensor, from byte " + std::to_string(next_begin) +
        " on, expected the end of the file");
  }

  /// Checks that the input may end here. A single document that is not part of a stream may stand
  /// alone; all others need an end document.
  bool at_end() {
    if (stream->position() == 0) bad("empty, expected tensors");
    const bool alone = in_segment == 1 && !in_stream;
    if (in_segment > 1 && !in_stream && !options.allow_truncated) {
      bad("has " + std::to_string(in_segment) +
          " documents without the end of a stream, expected one; streams (*.tzs) can be joined");
    }
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
    const std::uint64_t bytes = size_in_bytes(info.dtype, shape);
    return {info.name, info.dtype, std::move(shape), allocate(bytes, info.name)};
  }

  bool fill(std::span<std::byte> bytes) {
    return stream->read(bytes.data(), bytes.size()) == bytes.size();
  }

  /// Destination that the caller chose for the tensor; empty: none.
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
      unpack(info, packed.data(), tensor.bytes);
    }
    check_values(tensor);
    return true;
  }

  /// Fails if a BOOL has a byte other than 0 and 1, which C++ cannot represent.
  void check_values(const Tensor& tensor) const {
    if (tensor.dtype != Dtype::boolean) return;
    const bool good = std::all_of(tensor.bytes.begin(), tensor.bytes.end(),
                                  [](std::byte b) { return std::to_integer<int>(b) <= 1; });
    if (!good)
      bad("tensor '" + printable(tensor.name) + "' is BOOL, but holds other bytes than 0 and 1");
  }

  std::optional<Document> read() {
    std::uint64_t largest_packed = 0, placed = 0;
    for (const TensorInfo& info : current->info.tensors) {
      placed += place_of(info).size();
      if (info.packing != Packing::none) {
        largest_packed = std::max(largest_packed, info.end - info.begin);
      }
    }
    check_memory(data_size(current->info) - placed + largest_packed,
                 "document " + std::to_string(documents));
    if (stream->position() != current->data_begin) stream->seek(current->data_begin);
    Document document;
    document.tensors.reserve(current->info.tensors.size());
    for (const TensorInfo& info : current->info.tensors) {
      if (!read_tensor(info, document.tensors.emplace_back())) {
        --documents;
        leave_document();
        truncated();
        return std::nullopt;
      }
    }
    document.metadata = std::move(current->info.metadata);
    leave_document();
    return document;
  }

  const TensorInfo& tensor_info(std::string_view name) {
    if (!current) fail(ExitStatus::internal, path, ": rows asked for outside of a document");
    if (by_name.empty()) {
      for (const TensorInfo& info : current->info.tensors) by_name[info.name] = &info;
    }
    const auto found = by_name.find(name);
    if (found == by_name.end()) bad("no tensor '" + printable(name) + "'");
    return *found->second;
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
    check_range(info, begin, end, num_rows(info.shape), "rows");
    return rows_from(info.shape, begin, end, [&](std::uint64_t from, std::uint64_t to) {
      return read_part(info, from, to);
    });
  }

  Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end) {
    const TensorInfo& info = tensor_info(name);
    check_range(info, begin, end, num_elements(info.shape), "elements");
    return read_part(info, begin, end);
  }

  void check_range(const TensorInfo& info, std::uint64_t begin, std::uint64_t end,
                   std::uint64_t size, const std::string& what) const {
    if (begin <= end && end <= size) return;
    bad("tensor '" + printable(info.name) + "' has " + std::to_string(size) + " " + what +
        ", asked for [" + std::to_string(begin) + ", " + std::to_string(end) + ")");
  }

  /// Elements [begin, end), in C order, as a tensor of rank 1.
  Tensor read_part(const TensorInfo& info, std::uint64_t begin, std::uint64_t end) {
    const std::size_t bits = item_bits(info.dtype);
    if (begin * bits % 8 != 0 || end * bits % 8 != 0) {
      bad("tensor '" + printable(info.name) + "' is " + std::string(dtype_name(info.dtype)) +
          ", and what is asked for begins or ends within a byte");
    }
    locate_frames();
    const std::uint64_t bytes = (end - begin) * bits / 8;
    check_memory(bytes, "tensor '" + info.name + "'");
    Tensor tensor = make(info, {end - begin});
    const auto read = [&](std::uint64_t at, std::byte* to, std::uint64_t size) {
      read_at(info, at, to, size);
    };
    if (info.packing == Packing::none) {
      read(begin * bits / 8, tensor.bytes.data(), bytes);
    } else if (stream->input().is_regular()) {
      packed.read(info, begin, tensor.bytes, read);
    } else {
      check_memory(2 * (info.end - info.begin) + bytes, "tensor '" + info.name + "'");
      packed.read_kept(info, begin, tensor.bytes, read);
    }
    check_values(tensor);
    return tensor;
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
  std::optional<PlacedHeader> current;                              ///< what next_info() gave
  std::unordered_map<std::string_view, const TensorInfo*> by_name;  ///< of its tensors, once asked
  PackedParts packed;            ///< of what read_elements() gave
  std::uint64_t next_begin = 0;  ///< plain position of the next document
  std::uint64_t documents = 0;   ///< read so far
  std::uint64_t in_segment = 0;  ///< of these, since the last end document
  bool counting = true;          ///< false after seek_document(), up to the next end document
  bool in_stream = false;        ///< the last document belongs to a stream
  bool expects_table = false;    ///< whoever wrote the last document put a seek table behind it
  bool ended = false;
  bool located = false;
  std::optional<std::vector<std::uint64_t>> offsets;  ///< of all documents, if they are listed
};

TensorReader::TensorReader(const std::string& path, const TensorReadOptions& options)
    : state_(std::make_unique<State>(path, options)) {}

TensorReader::~TensorReader() = default;

std::optional<Document> TensorReader::next() {
  return state_->advance() ? state_->read() : std::nullopt;
}

std::optional<Document> TensorReader::read() { return state_->read(); }

std::optional<DocumentInfo> TensorReader::next_info() {
  if (!state_->advance()) return std::nullopt;
  return state_->current->info;
}

Tensor TensorReader::read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  return state_->read_rows(name, begin, end);
}

Tensor TensorReader::read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  return state_->read_elements(name, begin, end);
}

bool TensorReader::reads_anywhere() {
  state_->locate_frames();
  return state_->stream->reads_anywhere();
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
  state_->leave_document();
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
