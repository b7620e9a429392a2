#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/streams/seek_table.h"
#include "libcore/streams/zstd_frames.h"
#include "libcore/system/output_file.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/document_layout.h"
#include "libcore/tensors/safetensors_header.h"
#include "libcore/tensors/same_content.h"
#include "libcore/tensors/tensor_file.h"
#include "libcore/threading/ordered_pipeline.h"

namespace frugal {
namespace {

constexpr std::uint64_t kMinFrameSize = std::uint64_t{64} << 10;
constexpr std::size_t kParallelFrom = std::size_t{512} << 10;

enum class Layout { raw, single, stream };

Layout layout_of(const std::string& path) {
  if (path.ends_with(".safetensors")) return Layout::raw;
  return path.ends_with(".safetensors.zst") ? Layout::single : Layout::stream;
}

/// Warns of suffixes that belong to other formats. The tools recognise their files by the first
/// bytes; other programs trust the name.
void warn_of_suffix(const std::string& path) {
  for (const char* suffix : {".csv", ".tsv", ".txt", ".json", ".jsonl", ".npy", ".npz", ".pt",
                             ".pth", ".pkl", ".h5", ".parquet", ".gz", ".zip"}) {
    if (!path.ends_with(suffix)) continue;
    log_warning(path,
                ": becomes a tensor file, which its suffix does not say; expected .safetensors, "
                ".safetensors.zst or .tzs");
  }
}

}  // namespace

struct TensorWriter::State {
  /// Compressor and buffers of one frame in flight.
  struct Lane {
    explicit Lane(int level) : compressor(level) {}
    FrameCompressor compressor;
    ByteBuffer scratch;
    ByteBuffer frame;
  };

  State(const std::string& path, const TensorWriteOptions& o)
      : options(o), layout(layout_of(path)), output(path, {.binary = true}) {
    warn_of_suffix(path);
    level = options.level.value_or(output.is_stream() ? options.pipe_level : 1);
    if ((level < -7 && level != TensorWriteOptions::kPlain) || level > 19) {
      fail(ExitStatus::usage, "compression level ", level, ", expected -7 to 19");
    }
    if (options.frame_size < kMinFrameSize || options.frame_size > kMaxFrame) {
      fail(ExitStatus::usage, "frame size of ", options.frame_size,
           " bytes, expected 64 KiB to 16 MiB");
    }
  }

  Metadata metadata_of(Metadata metadata) const {
    metadata[kVersionKey] = "1";
    metadata.try_emplace(kKindKey, "tensors");
    if (layout == Layout::stream) {
      metadata[kSequenceKey] = std::to_string(num_documents);
    } else {
      metadata.erase(kSequenceKey);
    }
    return metadata;
  }

  bool is_plain() const { return layout == Layout::raw || level == TensorWriteOptions::kPlain; }

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

  /// The steps that turn one range of plain bytes into output. `begin` and `end` run in the order
  /// of the ranges; `work` runs for several ranges at once, on several threads if that pays.
  struct Stages {
    std::function<void(FrameRange, Lane&)> begin;
    std::function<void(FrameRange, Lane&)> work;
    std::function<void(FrameRange, Lane&)> end;
  };

  void run(const Stages& stages, const std::vector<FrameRange>& ranges) {
    const bool parallel = options.threads != 1 && ranges.size() > 1 &&
                          ranges.back().end - ranges.front().begin >= kParallelFrom;
    const std::size_t depth = parallel ? static_cast<std::size_t>(num_threads()) + 2 : 1;
    while (lanes.size() < depth) lanes.emplace_back(level);
    std::size_t next = 0;
    OrderedPipeline<std::size_t> pipeline;
    pipeline.produce = [&](std::size_t& i) {
      if ((i = next++) >= ranges.size()) return false;
      stages.begin(ranges[i], lanes[i % depth]);
      return true;
    };
    pipeline.transform = [&](std::size_t& i) { stages.work(ranges[i], lanes[i % depth]); };
    pipeline.consume = [&](std::size_t& i) { stages.end(ranges[i], lanes[i % depth]); };
    if (parallel) return pipeline.run(depth);
    for (std::size_t i = 0; pipeline.produce(i);) {
      pipeline.transform(i);
      pipeline.consume(i);
    }
  }

  void write_frames(const DocumentLayout& document) {
    const Stages stages{[](FrameRange, Lane&) {},
                        [&](FrameRange range, Lane& lane) {
                          lane.compressor.compress(document.bytes(range, lane.scratch), lane.frame);
                        },
                        [&](FrameRange range, Lane& lane) { use_frame(lane.frame, range); }};
    run(stages, document.frames(options.frame_size));
  }

  /// Bytes of a document whose data is made now: the header's, then those of the tensors.
  static void make_bytes(const DocumentLayout& document, FrameRange range, const ByteFiller& fill,
                         ByteBuffer& to) {
    const std::uint64_t header = document.header_size();
    to.clear();
    if (range.begin < header) {
      const auto bytes = document.bytes({range.begin, std::min(range.end, header)}, to);
      std::memcpy(to.extend(bytes.size()), bytes.data(), bytes.size());
    }
    const auto& tensors = document.tensors();
    const std::uint64_t end = range.end - std::min(range.end, header);
    std::uint64_t at = range.begin - std::min(range.begin, header);
    auto tensor = std::ranges::upper_bound(tensors, at, {}, &TensorInfo::end);
    for (; at < end; ++tensor) {
      const auto n = static_cast<std::size_t>(std::min(end, tensor->end) - at);
      if (n != 0) fill(*tensor, at - tensor->begin, {to.extend(n), n});
      at += n;
    }
  }

  void write_made(const DocumentLayout& document, const ByteFiller& fill) {
    const bool raw = is_plain();
    Stages stages;
    stages.begin = [&](FrameRange range, Lane& lane) {
      make_bytes(document, range, fill, lane.scratch);
    };
    stages.work = [&](FrameRange, Lane& lane) {
      if (!raw) lane.compressor.compress(lane.scratch.bytes(), lane.frame);
    };
    stages.end = [&](FrameRange range, Lane& lane) {
      if (!raw) return use_frame(lane.frame, range);
      output.write(lane.scratch.bytes().data(), lane.scratch.size());
    };
    run(stages, document.frames(options.frame_size));
  }

  void check_header(const DocumentLayout& document) const {
    const std::uint64_t most = std::min(options.limits.max_header, kMaxHeader);
    if (document.header_size() <= most) return;
    fail(ExitStatus::bad_input, output.path(), ": a header of ", document.header_size(),
         " bytes, at most ", most, " are allowed");
  }

  void write_in_memory(const Document& document, Metadata metadata) {
    const DocumentLayout laid_out(document, std::move(metadata), options.pack);
    check_header(laid_out);
    if (is_plain()) {
      write_raw(laid_out);
    } else {
      write_frames(laid_out);
    }
    plain_size += laid_out.size();
  }

  void check_next(const Metadata& metadata) const {
    const auto kind = metadata.find(kKindKey);
    if (kind != metadata.end() && kind->second == kEndKind) {
      fail(ExitStatus::bad_input, output.path(), ": frugal.kind \"end\" marks the end of a stream");
    }
    if (layout != Layout::stream && num_documents != 0) {
      fail(ExitStatus::usage, output.path(),
           ": holds one document under this name; name it *.tzs for a stream of documents");
    }
  }

  void write(const Document& document) {
    check_next(document.metadata);
    check_writable(document, options.limits, output.path());
    // In a pipe, which may run for ever, nothing grows with the number of documents.
    if (!output.is_stream()) offsets.push_back(plain_size);
    write_in_memory(document, metadata_of(document.metadata));
    ++num_documents;
  }

  void write(const DocumentInfo& info, const ByteFiller& fill) {
    if (options.pack) {
      fail(ExitStatus::usage, output.path(),
           ": packing needs whole tensors in memory, these are written piece by piece; pack the "
           "file "
           "afterwards with tensor-file convert --pack");
    }
    check_next(info.metadata);
    check_writable(info, options.limits, output.path());
    const DocumentLayout laid_out(info.tensors, metadata_of(info.metadata));
    check_header(laid_out);
    if (!output.is_stream()) offsets.push_back(plain_size);
    write_made(laid_out, fill);
    plain_size += laid_out.size();
    ++num_documents;
  }

  void write_end_document() {
    Document end;
    if (!output.is_stream()) {
      end.tensors.push_back(
          Tensor::copy_of<std::uint64_t>(kOffsetsTensor, {offsets.size()}, offsets));
    }
    options.pack = false;
    write_in_memory(end, {{kVersionKey, "1"},
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
    if (!is_plain() && !output.is_stream()) {
      const std::string text = table.text();
      output.write(text.data(), text.size());
    }
    if (!has_changed()) return;  // what was written goes with the writer
    output.commit();
  }

  /// Whether to replace the old file. With leaves_equal_files(): false if they differ at most in
  /// the times of the history. If the options say how to compress, always true; OutputFile then
  /// compares the bytes.
  bool has_changed() const {
    const bool says_how = options.level || options.frame_size != TensorWriteOptions().frame_size;
    if (!leaves_equal_files() || output.is_stream() || says_how) return true;
    const std::string written = "/proc/self/fd/" + std::to_string(output.descriptor());
    return !have_same_content(output.path(), written);
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

void TensorWriter::write(const DocumentInfo& info, const ByteFiller& fill) {
  state_->write(info, fill);
}

void TensorWriter::finish() { state_->finish(); }

bool TensorWriter::is_stream() const { return state_->output.is_stream(); }

}  // namespace frugal
