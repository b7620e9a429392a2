#include "tools/tensor-file/convert.h"

#include <memory>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/io/document_gate.h"
#include "libcore/io/npy.h"
#include "tools/tensor-file/element.h"

namespace frugal::tensor_file {
namespace {

constexpr char kKind[] = "frugal.kind";

/// Takes documents one after another and writes them in the format of the path.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(Document document) = 0;
  virtual void finish() = 0;
};

class TensorFileSink : public Sink {
 public:
  explicit TensorFileSink(const ConvertOptions& options) : writer_(options.output, options.write) {}
  void write(Document document) override { writer_.write(document); }
  void finish() override { writer_.finish(); }

 private:
  TensorWriter writer_;
};

/// Keeps the document until the input is known to hold no second one.
class NumpySink : public Sink {
 public:
  explicit NumpySink(const ConvertOptions& options) : options_(options) {}
  void write(Document document) override {
    if (document_) {
      fail(ExitStatus::usage, options_.input, ": holds several documents, ", options_.output,
           " can hold one; name it *.tzs");
    }
    const std::size_t tensors = document.tensors.size();
    if (format_of(options_.output) == FileFormat::npy && tensors != 1) {
      fail(ExitStatus::usage, options_.input, ": holds ", tensors,
           " tensors, .npy holds one; write .npz, or one with tensor-file cat --tensor NAME "
           "--format npy");
    }
    document_ = std::move(document);
  }
  void finish() override {
    if (!document_) fail(ExitStatus::bad_input, options_.input, ": holds no document");
    const OutputFile::Options output{.binary = true, .if_changed = options_.write.if_changed};
    if (format_of(options_.output) == FileFormat::npz) {
      write_npz(options_.output, *document_, output);
    } else {
      write_npy(options_.output, document_->tensors.front(), output);
    }
  }

 private:
  const ConvertOptions& options_;
  std::optional<Document> document_;
};

std::unique_ptr<Sink> open_sink(const ConvertOptions& options) {
  if (format_of(options.output) == FileFormat::tensors)
    return std::make_unique<TensorFileSink>(options);
  return std::make_unique<NumpySink>(options);
}

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

/// Says at once what is lost; a stream without end must not fill the memory with it.
void report_loss(ConvertResult& result, const ConvertOptions& options, const std::string& loss) {
  constexpr std::size_t kMostKept = 100;
  log_warning(options.output, ": ", loss);
  if (result.losses.size() < kMostKept) result.losses.push_back(loss);
}

void convert_elements(Document& document, const ConvertOptions& options, ConvertResult& result) {
  for (Tensor& tensor : document.tensors) {
    if (!is_floating_point(tensor.dtype) || tensor.dtype == *options.dtype) continue;
    std::uint64_t overflows = 0;
    tensor = converted(tensor, *options.dtype, overflows);
    if (overflows == 0) continue;
    report_loss(result, options,
                "tensor '" + printable(tensor.name) + "': " + std::to_string(overflows) +
                    (overflows == 1 ? " number is" : " numbers are") + " too large for " +
                    std::string(dtype_name(tensor.dtype)) + " and became infinite");
  }
}

void report_renamed(const Document& document, const ConvertOptions& options,
                    ConvertResult& result) {
  for (const Tensor& tensor : document.tensors) {
    const std::string name = npz_name(tensor.name);
    if (name == tensor.name) continue;
    report_loss(result, options,
                "tensor '" + printable(tensor.name) + "' is called '" + printable(name) +
                    "' there: unpackers would take its name for a path");
  }
}

}  // namespace

ConvertResult convert(const ConvertOptions& options, const ProgressFunction& progress) {
  ConvertResult result;
  const auto source = open_documents(options.input, options.read);
  const auto sink = open_sink(options);
  std::string lost_keys;
  while (auto document = source->next()) {
    check_version(document->metadata, options.input);  // the output says that it is of this one
    if (options.dtype) convert_elements(*document, options, result);
    if (!options.kind.empty()) document->metadata[kKind] = options.kind;
    for (const Tensor& tensor : document->tensors) result.bytes += tensor.bytes.size();
    result.tensors += document->tensors.size();
    if (format_of(options.output) == FileFormat::tensors) {
      append_history(document->metadata, options.history_entry);
    } else {
      lost_keys = telling_keys(document->metadata);
    }
    if (format_of(options.output) == FileFormat::npz) report_renamed(*document, options, result);
    sink->write(std::move(*document));
    ++result.documents;
    progress(static_cast<double>(source->bytes_read()));
  }
  sink->finish();
  if (!lost_keys.empty()) {
    report_loss(result, options,
                "metadata is left out, numpy's formats have no place for it: " + lost_keys);
  }
  return result;
}

}  // namespace frugal::tensor_file
