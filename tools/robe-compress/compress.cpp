#include "tools/robe-compress/compress.h"

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/output_file.h"
#include "libcore/system/output_paths.h"
#include "tools/robe-compress/embedding/embedding_methods.h"
#include "tools/robe-compress/embedding/quantized_embedding.h"
#include "tools/robe-compress/fit/count_reader.h"
#include "tools/robe-compress/fit/table_pass.h"

namespace frugal {
namespace {

/// From here on slots hold so many rows that their plain mean says nothing about any.
constexpr double kUnweightedUpTo = 10;

class Compressor {
 public:
  Compressor(const CompressOptions& options, const CompressProgress& progress)
      : options_(options),
        progress_(progress),
        file_(options.tables, options.names, {}),
        weights_(options.counts.empty() ? counts_in(file_)
                                        : read_counts(options.counts, file_.tables())) {
    result_.tables = file_.tables();
    result_.bytes_before = file_.num_bytes();
    result_.weighted = !weights_.are_uniform();
  }

  CompressResult run() {
    const std::unique_ptr<Embedding> embedding = options_.method == "robe" ? fit() : quantize();
    result_.bytes_after = embedding->num_bytes();
    if (file_.is_regular()) measure(*embedding);
    Document document;
    document.metadata["frugal.kind"] = "embedding";
    embedding->save(document);
    append_history(document.metadata, options_.history_entry);
    TensorWriteOptions write;
    write.if_changed = options_.if_changed;
    write_document(options_.output, document, write);
    return std::move(result_);
  }

 private:
  std::unique_ptr<Embedding> fit() {
    if (weights_.are_uniform() && options_.fit.compression > kUnweightedUpTo) {
      log_warning(
          options_.tables, ": no tensors NAME.counts and no --counts: above ",
          format_number(kUnweightedUpTo),
          "x, tables that are compressed without knowing how often rows occur are of little "
          "use");
    }
    FitResult fitted =
        fit_array(file_, weights_, options_.fit, [this](int pass, int passes, double done) {
          const std::string number =
              passes == 1 ? "" : ", pass " + std::to_string(pass) + " of " + std::to_string(passes);
          report("fitting" + number, done);
        });
    result_.trials = std::move(fitted.trials);
    result_.chosen = fitted.chosen;
    result_.passes = fitted.passes;
    result_.memory = fitted.memory;
    result_.relative_error = result_.trials[result_.chosen].relative_error;
    fitted.embedding->array().store_as(options_.fit.storage);
    return std::move(fitted.embedding);
  }

  std::unique_ptr<Embedding> quantize() {
    auto embedding =
        std::make_unique<QuantizedEmbedding>(file_.tables(), options_.method == "int8" ? 8 : 4);
    struct Nothing {};
    TablePass<Nothing> pass;
    pass.work = [&](const TablePiece& piece, Nothing&) {
      embedding->set_rows(file_.tables().first_row(piece.table) + piece.row, piece.values);
    };
    pass.use = [&](const TablePiece&, Nothing&) {
      report("rounding", static_cast<double>(file_.bytes_read()));
    };
    pass.run(file_);
    return embedding;
  }

  void measure(const Embedding& embedding) {
    TableErrors errors = table_errors(file_, weights_, embedding,
                                      [this](double done) { report("measuring", done); });
    result_.relative_error = errors.all;
    result_.table_errors = std::move(errors.tables);
  }

  void report(const std::string& task, double done) const {
    progress_(task, done, static_cast<double>(file_.bytes_total()));
  }

  const CompressOptions& options_;
  const CompressProgress& progress_;
  TableFile file_;
  RowWeights weights_;
  CompressResult result_;
};

}  // namespace

CompressResult compress_tables(const CompressOptions& options, const CompressProgress& progress) {
  keep_inputs(options.output, {options.tables, options.counts});
  if (format_of(options.output) != FileFormat::tensors) {
    fail(ExitStatus::usage, options.output,
         ": an array needs its metadata, which numpy's formats have no place for; name it "
         "*.safetensors or *.safetensors.zst");
  }
  check_output(options.output);
  return Compressor(options, progress).run();
}

}  // namespace frugal
