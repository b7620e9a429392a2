#include "tools/tensor-file/convert.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "libcore/arrays/npy.h"
#include "libcore/arrays/row_file.h"
#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/document_layout.h"
#include "tools/tensor-file/converted_pieces.h"
#include "tools/tensor-file/element.h"

namespace frugal::tensor_file {
namespace {

constexpr char kKind[] = "frugal.kind";

/// Keys that say more than that this is a tensor file.
std::string telling_keys(const Metadata& metadata) {
  std::string keys;
  for (const auto& [key, value] : metadata) {
    const bool telling =
        key != "frugal.version" && key != "frugal.seq" && (key != kKind || value != "tensors");
    if (telling) keys += (keys.empty() ? "" : ", ") + printable(key);
  }
  return keys;
}

/// Another suffix may be a slip, or name a format of other programs, which none would find inside.
void check_suffix(const std::string& output) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(output, ignored).type();
  using enum std::filesystem::file_type;
  const bool is_device = kind == fifo || kind == character || kind == socket;
  if (output == "-" || is_device) return;
  for (const char* suffix : {".safetensors", ".safetensors.zst", ".tzs", ".npy", ".npz"}) {
    if (output.ends_with(suffix)) return;
  }
  fail(ExitStatus::usage, output,
       ": the suffix says no format that is written, expected .safetensors, .safetensors.zst "
       "(compressed), .tzs (a stream of documents), .npy or .npz, or - for a stream on stdout");
}

/// Where the tensors lie in another order in the output than in the input.
bool is_reordered(const DocumentInfo& from, const DocumentInfo& to) {
  const DocumentLayout layout(to.tensors, {});
  return !std::ranges::equal(from.tensors, layout.tensors(), {}, &TensorInfo::name,
                             &TensorInfo::name);
}

class Conversion {
 public:
  Conversion(const ConvertOptions& options, const ProgressFunction& progress)
      : options_(options),
        progress_(progress),
        format_(format_of(options.output)),
        source_(open_documents(options.input, options.read)) {}

  ConvertResult run() {
    if (format_ == FileFormat::tensors) {
      writer_.emplace(options_.output, options_.write);
      while (const auto from = source_->next_info()) write_document(*from);
      writer_->finish();
    } else {
      write_numpy();
    }
    if (!lost_keys_.empty()) {
      report_loss("metadata is left out, numpy's formats have no place for it: " + lost_keys_);
    }
    return std::move(result_);
  }

 private:
  /// Description of the document that is written.
  DocumentInfo begin(const DocumentInfo& from) {
    check_version(from.metadata, options_.input);  // the output says that it is of this one
    DocumentInfo to;
    to.metadata = from.metadata;
    if (!options_.kind.empty()) to.metadata[kKind] = options_.kind;
    for (const TensorInfo& tensor : from.tensors) {
      const Dtype dtype = converted_type(tensor.dtype, options_.dtype);
      to.tensors.push_back({tensor.name, dtype, tensor.shape});
      result_.bytes += size_in_bytes(dtype, tensor.shape);
    }
    result_.tensors += to.tensors.size();
    ++result_.documents;
    if (format_ == FileFormat::tensors) {
      append_history(to.metadata, options_.history_entry);
    } else {
      lost_keys_ = telling_keys(to.metadata);
    }
    return to;
  }

  void write_document(const DocumentInfo& from) {
    const DocumentInfo to = begin(from);
    if (options_.write.pack || !can_stream(from, to)) {
      auto document = read_whole();
      if (!document) return;
      document->metadata = to.metadata;
      return writer_->write(*document);
    }
    ConvertedPieces pieces(*source_, progress_);
    writer_->write(to, pieces.filler());
    report_overflows(pieces.overflows());
  }

  /// Small documents are faster in memory. A large one is read piece by piece, unless that jumps
  /// about in a pipe, or may end before its end.
  bool can_stream(const DocumentInfo& from, const DocumentInfo& to) {
    const std::uint64_t bytes = from.tensors.empty() ? 0 : from.tensors.back().end;
    if (bytes <= options_.whole_up_to || options_.read.allow_truncated) return false;
    const bool jumps = format_ == FileFormat::npz || is_reordered(from, to);
    return !jumps || source_->reads_anywhere();
  }

  /// Nothing where the document is cut off and that is allowed.
  std::optional<Document> read_whole() {
    auto document = source_->read();
    if (!document) {
      --result_.documents;
      return document;
    }
    std::map<std::string, std::uint64_t> overflows;
    for (Tensor& tensor : document->tensors) {
      if (converted_type(tensor.dtype, options_.dtype) == tensor.dtype) continue;
      tensor = converted(tensor, *options_.dtype, overflows[tensor.name]);
    }
    report_overflows(overflows);
    progress_(static_cast<double>(source_->bytes_read()));
    return document;
  }

  /// One document, which is written once the input is known to hold no second one.
  void write_numpy() {
    const auto from = source_->next_info();
    if (!from) fail(ExitStatus::bad_input, options_.input, ": holds no document");
    const DocumentInfo to = begin(*from);
    if (format_ == FileFormat::npy && to.tensors.size() != 1) {
      fail(ExitStatus::usage, options_.input, ": holds ", to.tensors.size(),
           " tensors, .npy holds one; write .npz, or one with tensor-file cat --tensor NAME "
           "--format npy");
    }
    if (format_ == FileFormat::npz) report_renamed(to);
    if (source_->reads_anywhere() && can_stream(*from, to)) {
      const auto ahead = open_documents(options_.input, options_.read);
      ahead->next_info();
      expect_one(*ahead);
      ConvertedPieces pieces(*source_, progress_);
      write_pieces(options_.output, to, pieces.filler(), options_.write);
      return report_overflows(pieces.overflows());
    }
    const auto document = read_whole();
    if (!document) fail(ExitStatus::bad_input, options_.input, ": holds no whole document");
    expect_one(*source_);
    const OutputFile::Options output{.binary = true};
    if (format_ == FileFormat::npz) return write_npz(options_.output, *document, output);
    write_npy(options_.output, document->tensors.front(), output);
  }

  void expect_one(DocumentSource& source) const {
    if (!source.next_info()) return;
    fail(ExitStatus::usage, options_.input, ": holds several documents, ", options_.output,
         " can hold one; name it *.tzs");
  }

  /// Says at once what is lost; a stream without end must not fill the memory with it.
  void report_loss(const std::string& loss) {
    constexpr std::size_t kMostKept = 100;
    log_warning(options_.output, ": ", loss);
    if (result_.losses.size() < kMostKept) result_.losses.push_back(loss);
  }

  void report_overflows(const std::map<std::string, std::uint64_t>& overflows) {
    for (const auto& [name, count] : overflows) {
      if (count == 0) continue;
      report_loss("tensor '" + printable(name) + "': " + std::to_string(count) +
                  (count == 1 ? " number is" : " numbers are") + " too large for " +
                  std::string(dtype_name(*options_.dtype)) + " and became infinite");
    }
  }

  void report_renamed(const DocumentInfo& info) {
    for (const TensorInfo& tensor : info.tensors) {
      const std::string name = npz_name(tensor.name);
      if (name == tensor.name) continue;
      report_loss("tensor '" + printable(tensor.name) + "' is called '" + printable(name) +
                  "' there: unpackers would take its name for a path");
    }
  }

  const ConvertOptions& options_;
  const ProgressFunction& progress_;
  FileFormat format_;
  std::unique_ptr<DocumentSource> source_;
  std::optional<TensorWriter> writer_;
  std::string lost_keys_;
  ConvertResult result_;
};

}  // namespace

ConvertResult convert(const ConvertOptions& options, const ProgressFunction& progress) {
  check_suffix(options.output);
  return Conversion(options, progress).run();
}

}  // namespace frugal::tensor_file
