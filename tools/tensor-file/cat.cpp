#include "tools/tensor-file/cat.h"

#include <memory>

#include "libcore/arrays/document_source.h"
#include "libcore/arrays/npy_array.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/output_file.h"
#include "libcore/tensors/document_gate.h"
#include "tools/tensor-file/element.h"

namespace frugal::tensor_file {
namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 18;

/// Text that is written in blocks.
class TextWriter {
 public:
  explicit TextWriter(OutputFile& out) : out_(out) {}
  std::string& text() { return text_; }
  void maybe_flush() {
    if (text_.size() >= kFlushAt) flush();
  }
  void flush() {
    out_.write(text_.data(), text_.size());
    text_.clear();
  }

 private:
  OutputFile& out_;
  std::string text_;
};

/// done: elements of whole lines and of the one that was begun.
void write_lines(const Tensor& piece, std::uint64_t width, std::uint64_t done, TextWriter& writer) {
  const std::uint64_t count = num_elements(piece.shape);
  for (std::uint64_t i = 0; i < count; ++i) {
    append_element(writer.text(), piece, i);
    writer.text() += ++done % width == 0 ? '\n' : ' ';
    writer.maybe_flush();
  }
}

/// The part of the tensor that was asked for.
RowRange rows_of(const TensorInfo& tensor, const CatOptions& options) {
  const std::uint64_t rows = num_rows(tensor.shape);
  if (!options.rows) return {0, rows};
  const std::uint64_t end = options.rows->end.value_or(rows);
  if (options.rows->begin > end || end > rows) {
    fail(ExitStatus::usage, options.input, ": --rows ", options.rows->begin, ":", end,
         " of tensor '", printable(tensor.name), "', which has ", rows, " rows");
  }
  return {options.rows->begin, end};
}

/// The tensors that were asked for, in the order of the file.
std::vector<TensorInfo> chosen(const DocumentInfo& document, const CatOptions& options) {
  check_version(document.metadata, options.input);
  if (options.tensor.empty()) return document.tensors;
  if (const TensorInfo* tensor = document.find(options.tensor)) return {*tensor};
  std::vector<std::string> names;
  for (const TensorInfo& tensor : document.tensors) names.push_back(tensor.name);
  fail(ExitStatus::usage, options.input, ": no tensor '", printable(options.tensor), "'",
       did_you_mean(options.tensor, names), "; tensor-file info lists them");
}

class Cat {
 public:
  explicit Cat(const CatOptions& options)
      : options_(options),
        source_(open_documents(options.input, options.read)),
        out_(options.output, {.binary = options.format != CatFormat::text}) {}

  void run() {
    if (options_.document) source_->seek(*options_.document);
    options_.format == CatFormat::text ? write_text() : write_npy();
    out_.commit();
  }

 private:
  void write_text() {
    TextWriter writer(out_);
    while (const auto document = source_->next_info()) {
      for (const TensorInfo& tensor : chosen(*document, options_)) write_tensor(tensor, writer);
      if (options_.document) break;
    }
    writer.flush();
  }

  void write_tensor(const TensorInfo& tensor, TextWriter& writer) {
    const RowRange rows = rows_of(tensor, options_);
    if (options_.tensor.empty()) {
      writer.text() += "# " + printable(tensor.name, 1024) + " " +
                       std::string(dtype_name(tensor.dtype)) + " " + shape_text(tensor.shape) +
                       "\n";
    }
    const std::uint64_t width = tensor.shape.size() < 2 ? 1 : tensor.shape.back();
    std::uint64_t done = 0;
    for_each_piece(*source_, tensor, rows.begin, *rows.end, [&](const Tensor& piece) {
      write_lines(piece, width, done, writer);
      done += num_elements(piece.shape);
    });
  }

  void write_npy() {
    const auto document = source_->next_info();
    const auto tensors = document ? chosen(*document, options_) : std::vector<TensorInfo>();
    if (tensors.size() != 1) {
      fail(ExitStatus::usage, options_.input, ": holds ", tensors.size(),
           " tensors, .npy holds one: choose with --tensor");
    }
    const TensorInfo& tensor = tensors.front();
    const RowRange rows = rows_of(tensor, options_);
    check_npy_can_hold(tensor.name, tensor.dtype, tensor.shape, options_.input);
    Shape shape = tensor.shape;
    if (!shape.empty()) shape[0] = *rows.end - rows.begin;
    const std::string header = npy_header(tensor.dtype, shape);
    out_.write(header.data(), header.size());
    for_each_piece(*source_, tensor, rows.begin, *rows.end, [&](const Tensor& piece) {
      out_.write(piece.bytes.data(), piece.bytes.size());
    });
    if (!options_.document && source_->next_info()) {
      fail(ExitStatus::usage, options_.input, ": holds several documents: choose with --document");
    }
  }

  const CatOptions& options_;
  std::unique_ptr<DocumentSource> source_;
  OutputFile out_;
};

}  // namespace

RowRange parse_rows(const std::string& text) {
  RowRange range;
  const auto parts = split(text, ':');
  const auto begin =
      parts[0].empty() ? std::optional<std::uint64_t>(0) : parse_number<std::uint64_t>(parts[0]);
  const bool open_end = parts.size() == 2 && parts[1].empty();
  if (parts.size() == 2 && !open_end) range.end = parse_number<std::uint64_t>(parts[1]);
  if (parts.size() != 2 || !begin || (!open_end && !range.end) ||
      range.end.value_or(*begin) < *begin) {
    fail(ExitStatus::usage, "--rows ", printable(text),
         ": expected A:B, A: or :B with A <= B, counted from 0");
  }
  range.begin = *begin;
  return range;
}

void cat(const CatOptions& options) { Cat(options).run(); }

}  // namespace frugal::tensor_file
