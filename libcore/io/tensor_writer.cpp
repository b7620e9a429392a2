#include <algorithm>
#include <cstring>
#include <deque>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/document_keys.h"
#include "libcore/io/safetensors_header.h"
#include "libcore/io/seek_table.h"
#include "libcore/io/tensor_file.h"
#include "libcore/io/tensor_pack.h"
#include "libcore/io/zstd_frames.h"
#include "libcore/system/output_file.h"
#include "libcore/threading/ordered_pipeline.h"

namespace frugal {
namespace {

constexpr std::uint64_t kMinFrameSize = std::uint64_t{64} << 10;
/// Tensors from this size on begin a frame, so that their rows lie in frames of known place.
constexpr std::uint64_t kOwnFrameFrom = std::uint64_t{64} << 10;
/// Documents below this are one frame.
constexpr std::uint64_t kOneFrameBelow = std::uint64_t{256} << 10;
constexpr std::size_t kParallelFrom = std::size_t{512} << 10;

enum class Layout { raw, single, stream };

Layout layout_of(const std::string& path) {
  if (path.ends_with(".safetensors")) return Layout::raw;
  return path.ends_with(".safetensors.zst") ? Layout::single : Layout::stream;
}

/// The header, or a tensor as it is stored.
struct Piece {
  std::uint64_t begin = 0;  ///< plain bytes from the start of the document
  std::uint64_t size = 0;
  const std::byte* data = nullptr;  ///< null for packed tensors
  const Tensor* tensor = nullptr;
  Packing packing = Packing::none;

  std::uint64_t end() const { return begin + size; }
};

struct FrameRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A document laid out: header and tensors in the order of their data.
class DocumentLayout {
 public:
  DocumentLayout(const Document& document, Metadata metadata, bool pack) {
    std::vector<Piece> tensors;
    for (const Tensor& tensor : document.tensors) {
      const Packing packing = pack ? choose_packing(tensor) : Packing::none;
      const std::byte* const data = packing == Packing::none ? tensor.bytes.data() : nullptr;
      tensors.push_back({0, tensor.bytes.size(), data, &tensor, packing});
    }
    std::sort(tensors.begin(), tensors.end(), [](const Piece& a, const Piece& b) {
      const std::size_t left = stored_item_size(a), right = stored_item_size(b);
      return left != right ? left > right : a.tensor->name < b.tensor->name;
    });
    header_ = format_header(describe(tensors, std::move(metadata)));
    pieces_.push_back({0, header_.size(), reinterpret_cast<const std::byte*>(header_.data())});
    for (Piece& piece : tensors) {
      piece.begin = size();
      pieces_.push_back(piece);
    }
  }
  DocumentLayout(const DocumentLayout&) = delete;
  DocumentLayout& operator=(const DocumentLayout&) = delete;

  std::uint64_t size() const { return pieces_.back().end(); }
  const std::string& header() const { return header_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

  std::vector<FrameRange> frames(std::uint64_t frame_size) const {
    if (size() < kOneFrameBelow && size() <= frame_size) return {{0, size()}};
    std::vector<FrameRange> ranges;
    std::uint64_t begin = 0;
    const auto cut_until = [&](std::uint64_t end) {
      for (; begin < end; begin = ranges.back().end) {
        ranges.push_back({begin, std::min(end, begin + frame_size)});
      }
    };
    for (const Piece& piece : pieces_) {
      if (piece.size >= kOwnFrameFrom) cut_until(piece.begin);
    }
    cut_until(size());
    return ranges;
  }

  /// The bytes of a range: where they are, if they lie together, else gathered in scratch.
  std::span<const std::byte> bytes(FrameRange range, ByteBuffer& scratch) const {
    auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), range.begin,
                                  [](std::uint64_t at, const Piece& p) { return at < p.end(); });
    const auto size = static_cast<std::size_t>(range.end - range.begin);
    if (piece->data != nullptr && range.end <= piece->end()) {
      return {piece->data + (range.begin - piece->begin), size};
    }
    scratch.clear();
    for (std::uint64_t at = range.begin; at < range.end; ++piece) {
      const auto n = static_cast<std::size_t>(std::min(range.end, piece->end()) - at);
      if (n == 0) continue;
      copy(*piece, at - piece->begin, {scratch.extend(n), n});
      at += n;
    }
    return scratch.bytes();
  }

 private:
  static std::size_t stored_item_size(const Piece& piece) {
    return piece.packing == Packing::none ? item_size(piece.tensor->dtype) : 1;
  }

  static DocumentInfo describe(const std::vector<Piece>& tensors, Metadata metadata) {
    DocumentInfo info;
    std::uint64_t at = 0;
    for (const Piece& piece : tensors) {
      const Tensor& tensor = *piece.tensor;
      info.tensors.push_back(
          {tensor.name, tensor.dtype, tensor.shape, at, at + piece.size, piece.packing});
      at += piece.size;
    }
    std::string encoding = encoding_text(info);
    metadata.erase(kEncodingKey);
    if (!encoding.empty()) metadata[kEncodingKey] = std::move(encoding);
    info.metadata = std::move(metadata);
    for (TensorInfo& tensor : info.tensors) {
      if (tensor.packing == Packing::none) continue;
      tensor.shape.insert(tensor.shape.begin(), item_size(tensor.dtype));
      tensor.dtype = Dtype::u8;
    }
    return info;
  }

  static void copy(const Piece& piece, std::uint64_t offset, std::span<std::byte> to) {
    if (piece.data != nullptr) {
      std::memcpy(to.data(), piece.data + offset, to.size());
    } else {
      pack_range(*piece.tensor, piece.packing, offset, to);
    }
  }

  std::string header_;
  std::vector<Piece> pieces_;
};

}  // namespace

struct TensorWriter::State {
  /// What one frame in flight needs.
  struct Lane {
    explicit Lane(int level) : compressor(level) {}
    FrameCompressor compressor;
    ByteBuffer scratch;
    ByteBuffer frame;
  };

  State(const std::string& path, const TensorWriteOptions& o)
      : options(o),
        layout(layout_of(path)),
        output(path, {.binary = true, .if_changed = o.if_changed}) {
    level = options.level.value_or(output.is_stream() ? -5 : 1);
    if (level < -7 || level > 19) {
      fail(ExitStatus::usage, "compression level ", level, ", expected -7 to 19");
    }
    if (options.frame_size < kMinFrameSize || options.frame_size > kMaxFrame) {
      fail(ExitStatus::usage, "frame size of ", options.frame_size,
           " bytes, expected 64 KiB to 16 MiB");
    }
  }

  Metadata metadata_of(const Document& document) const {
    Metadata metadata = document.metadata;
    metadata[kVersionKey] = "1";
    metadata.try_emplace(kKindKey, "tensors");
    if (layout == Layout::stream) {
      metadata[kSequenceKey] = std::to_string(num_documents);
    } else {
      metadata.erase(kSequenceKey);
    }
    return metadata;
  }

  void write_raw(const DocumentLayout& document) {
    ByteBuffer scratch;
    for (const FrameRange& range : document.frames(kMaxFrame)) {
      const auto bytes = document.bytes(range, scratch);
      output.write(bytes.data(), bytes.size());
    }
  }

  void use_frame(const ByteBuffer& frame, FrameRange range) {
    output.write(frame.bytes().data(), frame.size());
    if (!output.is_stream()) table.add(frame.bytes(), range.end - range.begin);
  }

  void compress(const DocumentLayout& document, FrameRange range, Lane& lane) {
    lane.compressor.compress(document.bytes(range, lane.scratch), lane.frame);
  }

  void write_frames(const DocumentLayout& document) {
    const auto ranges = document.frames(options.frame_size);
    const bool parallel =
        options.threads != 1 && ranges.size() > 1 && document.size() >= kParallelFrom;
    const std::size_t depth = parallel ? static_cast<std::size_t>(num_threads()) + 2 : 1;
    while (lanes.size() < depth) lanes.emplace_back(level);
    if (!parallel) {
      for (const FrameRange& range : ranges) {
        compress(document, range, lanes.front());
        use_frame(lanes.front().frame, range);
      }
      return;
    }
    std::size_t next = 0;
    OrderedPipeline<std::size_t> pipeline;
    pipeline.produce = [&](std::size_t& i) { return (i = next++) < ranges.size(); };
    pipeline.transform = [&](std::size_t& i) { compress(document, ranges[i], lanes[i % depth]); };
    pipeline.consume = [&](std::size_t& i) { use_frame(lanes[i % depth].frame, ranges[i]); };
    pipeline.run(depth);
  }

  void write_laid_out(const Document& document, Metadata metadata) {
    const DocumentLayout laid_out(document, std::move(metadata), options.pack);
    if (laid_out.header().size() - 8 > TensorLimits{}.max_header) {
      fail(ExitStatus::bad_input, output.path(), ": a header of ", laid_out.header().size(),
           " bytes, at most ", TensorLimits{}.max_header, " are allowed");
    }
    if (layout == Layout::raw) {
      write_raw(laid_out);
    } else {
      write_frames(laid_out);
    }
    plain_size += laid_out.size();
  }

  void write(const Document& document) {
    const auto kind = document.metadata.find(kKindKey);
    if (kind != document.metadata.end() && kind->second == kEndKind) {
      fail(ExitStatus::bad_input, output.path(), ": frugal.kind \"end\" marks the end of a stream");
    }
    if (layout != Layout::stream && num_documents != 0) {
      fail(ExitStatus::usage, output.path(),
           ": holds one document under this name; name it *.tzs for a stream of documents");
    }
    check_writable(document, output.path());
    // In a pipe, which may run for ever, nothing grows with the number of documents.
    if (!output.is_stream()) offsets.push_back(plain_size);
    write_laid_out(document, metadata_of(document));
    ++num_documents;
  }

  void write_end_document() {
    Document end;
    if (!output.is_stream()) {
      end.tensors.push_back(
          Tensor::copy_of<std::uint64_t>(kOffsetsTensor, {offsets.size()}, offsets));
    }
    options.pack = false;
    write_laid_out(end, {{kVersionKey, "1"},
                         {kKindKey, kEndKind},
                         {kCountKey, std::to_string(num_documents)},
                         {kOffsetKey, std::to_string(plain_size)},
                         {kStatusKey, kComplete}});
  }

  void finish() {
    if (layout == Layout::stream) {
      write_end_document();
    } else if (num_documents == 0) {
      fail(ExitStatus::bad_input, output.path(), ": no document was written");
    }
    if (layout != Layout::raw && !output.is_stream()) {
      const std::string text = table.text();
      output.write(text.data(), text.size());
    }
    output.commit();
  }

  TensorWriteOptions options;
  Layout layout;
  OutputFile output;
  int level = 1;
  std::deque<Lane> lanes;
  SeekTableWriter table;
  std::vector<std::uint64_t> offsets;  ///< of the documents, in regular files
  std::uint64_t num_documents = 0;     ///< documents written
  std::uint64_t plain_size = 0;
};

TensorWriter::TensorWriter(const std::string& path, const TensorWriteOptions& options)
    : state_(std::make_unique<State>(path, options)) {}

TensorWriter::~TensorWriter() = default;

void TensorWriter::write(const Document& document) { state_->write(document); }

void TensorWriter::finish() { state_->finish(); }

}  // namespace frugal
