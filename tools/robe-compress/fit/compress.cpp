#include "tools/robe-compress/fit/compress.h"

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/embedding/quantized_embedding.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/fit/count_reader.h"
#include "tools/robe-compress/fit/row_forms.h"
#include "tools/robe-compress/fit/table_file.h"
#include "tools/robe-compress/fit/table_source.h"
#include "tools/robe-compress/model/array_file.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/search/hot_search.h"
#include "tools/robe-compress/steps/train_rates.h"

namespace frugal::robe {
namespace {

/// Largest compression without row frequencies: beyond it, slots have so many rows that their
/// unweighted mean fits none.
constexpr double kUnweightedUpTo = 10;
/// Relative error above which a table is mere noise.
constexpr double kNoise = 0.9;
/// Factor of a compression, so that rounding does not make an array of the same size too small.
constexpr double kNoLess = 0.999;
/// Factor of the error below which an array of another storage than the usual one is taken. Less
/// is within what the samples can tell: at equal errors, more numbers gave a better AUC.
constexpr double kClearlyLess = 0.95;
/// Most bytes of tables that are fitted again for a comparison.
constexpr std::uint64_t kQuickBytes = std::uint64_t{1} << 28;

/// Source of the tables: a file of tables, or a model in memory.
struct Input {
  std::optional<ClickModel> model;
  std::unique_ptr<TableSource> tables;
  RowWeights weights;
};

bool is_model(const std::string& path) {
  if (path == "-" || input_format(path) != FileFormat::tensors) return false;
  TensorReader reader(path);
  const auto info = reader.next_info();
  return info && is_click_model(info->metadata);
}

/// Row counts in the training data of a model, if they were counted.
RowWeights counts_of(const ClickModel& model, const std::string& path) {
  const TableSet& tables = model.embedding->tables();
  Array<float> counts(tables.num_rows());
  for (std::size_t f = 0; f < tables.size(); ++f) {
    const auto found = model.encoder.counts(f);
    if (found.empty()) return {};
    for (std::size_t i = 0; i < found.size(); ++i) {
      counts[tables.first_row(f) + model.encoder.row_of(f, i)] = static_cast<float>(found[i]);
    }
  }
  return {std::move(counts), tables, path};
}

Input open_input(const CompressOptions& options) {
  Input input;
  if (is_model(options.tables)) {
    input.model = load_model(options.tables);
    expect_tables(input.model->embedding->tables(), options.tables);
    std::vector<std::vector<RowGap>> gaps;
    for (std::size_t f = 0; f < input.model->encoder.num_fields(); ++f) {
      gaps.push_back(input.model->encoder.gaps(f));
    }
    input.tables =
        std::make_unique<EmbeddingTables>(*input.model->embedding, options.tables, std::move(gaps));
    input.weights = options.counts.empty() ? counts_of(*input.model, options.tables)
                                           : read_counts(options.counts, input.tables->tables());
    return input;
  }
  auto file = std::make_unique<TableFile>(options.tables, options.names, TensorReadOptions{});
  input.weights =
      options.counts.empty() ? counts_in(*file) : read_counts(options.counts, file->tables());
  input.tables = std::move(file);
  return input;
}

class Compressor {
 public:
  Compressor(const CompressOptions& options, const CompressProgress& progress)
      : options_(options),
        progress_(progress),
        input_(open_input(options)),
        file_(*input_.tables),
        weights_(input_.weights) {
    if (may_share()) check_hash_options(options.fit.hash, file_.tables().dim());
    result_.tables = file_.tables();
    result_.bytes_before = file_.num_bytes();
    result_.weighted = !weights_.are_uniform();
  }

  CompressResult run() {
    std::unique_ptr<Embedding> embedding = make();
    EmbeddingOptions stored;
    stored.method = result_.method = result_.storage = embedding->method();
    if (const auto* numbers = dynamic_cast<const ArrayEmbedding*>(embedding.get())) {
      stored.storage = numbers->array().final_storage();
      result_.storage = storage_name(stored.storage);
    }
    result_.bytes_after = bytes_when_stored(*embedding, stored);
    if (file_.is_regular()) measure(*embedding);
    warn_of_noise();
    if (!options_.fine_tune.empty()) {
      input_.model->embedding = std::move(embedding);
      fine_tune();
    } else {
      write(*embedding);
    }
    return std::move(result_);
  }

 private:
  /// Whether rows may share numbers.
  bool may_share() const { return options_.method == "auto" || options_.method == "robe"; }

  /// The usual storage, then those that are measured beside it.
  std::vector<Storage> storages_to_try() const {
    if (!fit_.find_storage) return {fit_.storage};
    const TableSet& tables = file_.tables();
    EmbeddingOptions allowed;
    allowed.compression = fit_.compression;
    const std::uint64_t bytes = byte_budget(tables, allowed);
    const bool tunes = !options_.fine_tune.empty();
    const Storage expected =
        storage_for(tables.num_values(), bytes, tunes ? StorageUse::training : StorageUse::fitting);
    if (tunes || !file_.is_regular() || result_.bytes_before > kQuickBytes) return {expected};
    std::vector<Storage> storages = {expected};
    for (const Storage storage : {Storage::bf16, Storage::int8, Storage::int4}) {
      FitOptions fit = fit_;
      fit.storage = storage;
      if (storage != expected && has_room(tables, weights_, fit)) storages.push_back(storage);
    }
    return storages;
  }

  std::unique_ptr<Embedding> fit() {
    if (weights_.are_uniform() && fit_.compression > kUnweightedUpTo) {
      log_warning(
          options_.tables, ": no tensors NAME.counts and no --counts: above ",
          format_number(kUnweightedUpTo),
          "x, tables that are compressed without knowing how often rows occur are of little "
          "use");
    }
    const std::vector<Storage> storages = storages_to_try();
    if (storages.size() == 1) {
      fit_.storage = storages.front();
      return take(fit_with(needs_share_to_tune() ? share_to_tune() : fit_));
    }
    FitOptions options = fit_;
    std::optional<FitResult> best;
    double least = 0;
    for (const Storage storage : storages) {
      options.storage = storage;
      FitResult fitted = fit_with(options);
      const double error = error_of(*fitted.embedding);
      log_info("shared numbers stored as ", storage_name(storage), ": error ",
               format_number(error, 6));
      if (best && error >= kClearlyLess * least) continue;
      least = error;
      best = std::move(fitted);
      fit_.storage = storage;
    }
    return take(std::move(*best));
  }

  bool needs_share_to_tune() const {
    return !options_.fine_tune.empty() && !fit_.hot_share && !weights_.are_uniform();
  }

  /// The hot share with which a short training gets clearly furthest: that of the smallest error is
  /// too large for an array that is trained on.
  FitOptions share_to_tune() {
    ClickModel& model = *input_.model;
    ClickData data(options_.fine_tune, {}, model.encoder);
    const TrainOptions options = resolve_rates(tuning_options(), data.size());
    Document network;
    model.network->save(network);
    FitOptions fit = fit_;
    const auto trials = search_hot_share(
        data, options, row_counts_of(model.encoder),
        [&](double share) -> TrialModel {
          fit.hot_share = share;
          auto array = fit_array(file_, weights_, fit, [](int, int, double) {}).embedding;
          array->array().train_for(fit.storage);
          return {std::move(array), load_network(network, options_.tables)};
        },
        stop_requested);
    fit.hot_share = 0;
    for (const HotTrial& trial : trials) {
      log_info(trial.text());
      if (trial.chosen) fit.hot_share = trial.share;
    }
    return fit;
  }

  /// An array in its final storage, or ready to be trained on with all its bits.
  FitResult fit_with(const FitOptions& fit) {
    FitResult fitted = fit_array(file_, weights_, fit, [this](int pass, int passes, double done) {
      const std::string number =
          passes == 1 ? "" : ", pass " + std::to_string(pass) + " of " + std::to_string(passes);
      report("fitting" + number, done);
    });
    ParameterArray& array = fitted.embedding->array();
    if (options_.fine_tune.empty()) {
      array.store_as(fit.storage);
    } else {
      array.train_for(fit.storage);
      if (array.needs_scales()) array.refresh_scales();
    }
    return fitted;
  }

  std::unique_ptr<Embedding> take(FitResult fitted) {
    result_.trials = std::move(fitted.trials);
    result_.chosen = fitted.chosen;
    result_.passes = fitted.passes;
    result_.memory = fitted.memory;
    result_.relative_error = result_.trials[result_.chosen].relative_error;
    return std::move(fitted.embedding);
  }

  std::unique_ptr<Embedding> make() {
    if (options_.method == "robe") return fit();
    if (options_.method != "auto") return keep({options_.method});
    std::vector<RowForm> forms = allowed_forms();
    if (forms.empty()) return fit();
    if (!file_.is_regular()) forms.resize(1);
    std::unique_ptr<Embedding> best = keep_best(forms);
    // Only counts tell of rows that may be spoilt.
    if (weights_.are_uniform() || !file_.is_regular()) return best;
    const double error = error_of(*best);
    if (error == 0) return best;
    std::unique_ptr<Embedding> shared = fit();
    if (error_of(*shared) < error) return shared;
    result_.trials.clear();
    return best;
  }

  /// Forms that keep every row in the bytes asked for and, where needed, can be trained.
  std::vector<RowForm> allowed_forms() const {
    if (fit_.hot_share) return {};
    std::vector<RowForm> forms =
        row_forms(file_.tables(), fit_.compression,
                  fit_.find_storage ? std::nullopt : std::optional(fit_.storage));
    if (!options_.fine_tune.empty()) {
      std::erase_if(forms, [](const RowForm& form) { return form.method != "full"; });
    }
    return forms;
  }

  std::unique_ptr<Embedding> keep_best(const std::vector<RowForm>& forms) {
    std::unique_ptr<Embedding> best;
    double least = 0;
    for (const RowForm& form : forms) {
      std::unique_ptr<Embedding> kept = keep(form);
      const double error = forms.size() == 1 ? 0 : error_of(*kept);
      if (best && error >= least) continue;
      least = error;
      best = std::move(kept);
    }
    return best;
  }

  std::unique_ptr<Embedding> keep(const RowForm& form) {
    return keep_rows(file_, form, [this](double done) { report("rounding", done); });
  }

  double error_of(const Embedding& embedding) {
    return table_errors(file_, weights_, embedding,
                        [this](double done) { report("measuring", done); })
        .all;
  }

  TrainOptions tuning_options() const {
    TrainOptions options;
    options.data = options_.fine_tune;
    options.model = options_.output;
    options.validation = options_.validation;
    options.embedding.storage = fit_.storage;
    options.dim = result_.tables.dim();
    options.epochs = options_.fine_tune_epochs;
    options.learning_rate = options_.fine_tune_rate;
    options.seed = options_.seed;
    options.config = options_.config;
    options.history_entry = options_.history_entry;
    return options;
  }

  void fine_tune() {
    result_.fine_tuning = train(std::move(*input_.model), tuning_options(), {});
    result_.bytes_after = result_.fine_tuning->facts.embedding_bytes;
  }

  void write(const Embedding& embedding) const {
    Document document;
    if (input_.model) {
      save_model(input_.model->encoder, embedding, *input_.model->network, document);
      if (!input_.model->history.empty()) {
        document.metadata["frugal.history"] = input_.model->history;
      }
    } else {
      document.metadata["frugal.kind"] = "embedding";
      document.metadata["frugal.tool"] = "robe-compress";
      embedding.save(document);
    }
    append_history(document.metadata, options_.history_entry);
    write_document(options_.output, document);
  }

  void measure(const Embedding& embedding) {
    TableErrors errors = table_errors(file_, weights_, embedding,
                                      [this](double done) { report("measuring", done); });
    result_.relative_error = errors.all;
    result_.table_errors = std::move(errors.tables);
    compare_without_counts();
  }

  /// Measures the benefit of counts by a fit without them, if that only takes seconds.
  void compare_without_counts() {
    if (result_.trials.empty() || !result_.weighted || result_.bytes_before > kQuickBytes) return;
    FitOptions fit = fit_;
    fit.hot_share.reset();
    fit.compression = kNoLess * static_cast<double>(result_.tables.num_values() * sizeof(float)) /
                      static_cast<double>(result_.bytes_after);
    const auto array = fit_array(file_, RowWeights{}, fit, [](int, int, double) {}).embedding;
    array->array().store_as(fit.storage);
    result_.error_without_counts = table_errors(file_, weights_, *array, [](double) {}).all;
  }

  /// Warns of tables that the compression turned into noise; int4 would keep their rows.
  void warn_of_noise() const {
    if (result_.trials.empty()) return;
    std::vector<std::string> names;
    for (std::size_t t = 0; t < result_.table_errors.size(); ++t) {
      if (result_.table_errors[t] > kNoise) names.push_back(result_.tables.table(t).name);
    }
    if (names.empty()) return;
    if (!options_.fine_tune.empty()) {
      log_warning(format_count(names.size(), "table"), " with errors above ", format_number(kNoise),
                  " became noise: ", joined(names),
                  "; fine-tuning begins anew there, a lower --compression keeps what they know");
      return;
    }
    const std::uint64_t rows = QuantizedEmbedding::size_for(result_.tables, 4);
    log_warning(format_count(names.size(), "table"), " with errors above ", format_number(kNoise),
                " became noise: ", joined(names),
                "; take int4 first (--method int4: every row, in ", format_bytes(rows),
                "), or a lower --compression");
  }

  void report(const std::string& task, double done) const {
    progress_(task, done, static_cast<double>(file_.bytes_total()));
  }

  const CompressOptions& options_;
  const CompressProgress& progress_;
  Input input_;
  TableSource& file_;
  const RowWeights& weights_;
  FitOptions fit_ = options_.fit;
  CompressResult result_;
};

}  // namespace

CompressResult compress_tables(const CompressOptions& options, const CompressProgress& progress) {
  if (options.fine_tune.empty() && !options.validation.empty()) {
    fail(ExitStatus::usage, "--validation needs --fine-tune DATA: the fit is not a choice");
  }
  if (!options.fine_tune.empty() && !is_model(options.tables)) {
    fail(ExitStatus::usage, options.tables,
         ": --fine-tune needs a model of train, which has the network above the tables");
  }
  if (!options.fine_tune.empty() && (options.method == "int8" || options.method == "int4")) {
    fail(ExitStatus::usage, "--fine-tune needs --method auto or robe: rows of ", options.method,
         " cannot be trained");
  }
  if (!options.names.empty() && is_model(options.tables)) {
    fail(ExitStatus::usage, options.tables,
         ": --select is for files of tables; of a model all are compressed");
  }
  if (format_of(options.output) != FileFormat::tensors) {
    fail(ExitStatus::usage, options.output,
         ": an array needs its metadata, which numpy's formats have no place for; name it "
         "*.safetensors or *.safetensors.zst");
  }
  check_output(options.output);
  return Compressor(options, progress).run();
}

}  // namespace frugal::robe
