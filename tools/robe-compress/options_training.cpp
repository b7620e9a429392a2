#include "tools/robe-compress/options_training.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/checks.h"
#include "libcore/cli/conditions.h"
#include "libcore/cli/trainer_run.h"
#include "tools/robe-compress/train_rates.h"

namespace frugal::robe {
namespace {

constexpr char kTables[] = "Embedding tables";
constexpr char kNetwork[] = "Network";
constexpr char kTraining[] = "Training";

Names architecture_names() {
  Names names;
  for (const Architecture& architecture : kArchitectures) names.emplace_back(architecture.name);
  return names;
}

std::string architecture_help() {
  std::string text;
  for (const Architecture& a : kArchitectures) {
    if (!text.empty()) text += "; ";
    ((text += a.name) += ": ") += a.summary;
  }
  return text;
}

double parse_share(const std::string& text) {
  const std::optional<double> share = parse_number<double>(text);
  if (!share || !(*share >= 0 && *share <= 0.99)) {
    fail(ExitStatus::usage, "--hot-share is '", printable(text),
         "', expected auto or a number from 0 to 0.99");
  }
  return *share;
}

/// Whether one of the methods in force passes a test.
using AnyMethod = std::function<bool(const std::function<bool(const EmbeddingMethod&)>&)>;

/// `option`: --method or --methods.
void add_method_conditions(CLI::App& app, const std::string& option, const AnyMethod& any) {
  const auto is_one_of = [any](std::initializer_list<std::string_view> names) {
    return [any, set = std::vector<std::string_view>(names)] {
      return any([&set](const EmbeddingMethod& method) {
        return std::find(set.begin(), set.end(), method.name) != set.end();
      });
    };
  };
  go_with(app, {"--block", "--sign", "--hash", "--align"}, option + " robe, robe-hot or multi",
          is_one_of({"robe", "robe-hot", "multi"}));
  go_with(app, {"--hash-seed"}, option + " robe, robe-hot, hash or multi",
          is_one_of({"robe", "robe-hot", "hash", "multi"}));
  go_with(app, {"--hot-share"}, option + " robe-hot", is_one_of({"robe-hot"}));
  go_with(app, {"--copies"}, option + " multi", is_one_of({"multi"}));
  go_with(app, {"--storage"}, "methods but int8 and int4", [any] {
    return any([](const EmbeddingMethod& method) {
      return !method.has_one_size() || method.keeps_none();
    });
  });
}

/// Options of which the columns decide whether they do something.
void add_column_conditions(CLI::App& app, TrainOptions& o) {
  note_given(app,
             {"--block", "--hash", "--sign", "--align", "--hash-seed", "--hot-share", "--copies",
              "--storage", "--init-bound", "--embedding-rate", "--ids", "--min-count",
              "--hash-rows", "--rows", "--max-rows", "--unknown"},
             o.for_categories);
  note_given(app, {"--bottom"}, o.for_numbers);
}

/// Every row is kept by some methods: more compression than their bits are cannot be had.
void add_size_conditions(CLI::App& app, const EmbeddingOptions& e) {
  constexpr char kOthers[] = "methods but full, int8 and int4, which have one size";
  const auto bits = [&e] { return find_method(e.method).bits; };
  goes_with(app.get_option("--bytes"), kOthers, [bits] { return bits() == 0; });
  goes_with(app.get_option("--compression"), kOthers,
            [&e, bits] { return bits() == 0 || e.compression * bits() <= 32; });
}

void add_network_conditions(CLI::App& app, const NetworkOptions& n) {
  go_with(app, {"--diagonal"}, "--architecture dlrm", [&n] { return n.architecture == "dlrm"; });
  go_with(app, {"--cross-layers", "--cross-rank"}, "--architecture dcn",
          [&n] { return n.architecture == "dcn"; });
}

/// What a model that is trained further decides, as it does its method, rows and architecture,
/// which may be given where they are the model's.
void add_init_conditions(CLI::App& app, const TrainOptions& o) {
  go_with(app, {"--compression", "--bytes",     "--block",        "--hash",     "--sign",
                "--align",       "--hash-seed", "--hot-share",    "--copies",   "--storage",
                "--init-bound",  "--bottom",    "--top",          "--diagonal", "--cross-layers",
                "--cross-rank",  "--columns",   "--label-column", "--positive", "--ids",
                "--min-count",   "--hash-rows", "--rows",         "--max-rows"},
          "a new model, not with --init", [&o] { return o.init.empty(); });
}

}  // namespace

std::vector<std::string> method_names() {
  Names names;
  for (const EmbeddingMethod& method : embedding_methods()) names.emplace_back(method.name);
  return names;
}

std::vector<std::string> storages_or_auto() {
  Names names = storage_names();
  names.insert(names.begin(), "auto");
  return names;
}

void add_method_options(CLI::App& app, TrainCommandOptions& options) {
  EmbeddingOptions& e = options.train.embedding;
  app.add_option("--method", e.method, "how tables are kept: " + embedding_method_help())
      ->check(CLI::IsMember(method_names()))
      ->group(kTables);
  app.add_option(
         "--compression", e.compression,
         "bytes of full tables of f32 for each byte that is kept. full, int8 and int4 have one "
         "size. Tables too small for it are kept as small as is of use, with a warning")
      ->check(CLI::Range(1.0, 1e9))
      ->group(kTables);
  check_bytes(app.add_option("--bytes", options.bytes, "bytes to keep, instead of --compression")
                  ->type_name("BYTES")
                  ->group(kTables));
}

void add_embedding_options(CLI::App& app, TrainCommandOptions& options) {
  EmbeddingOptions& e = options.train.embedding;
  app.add_option("--dim", options.train.dim, "numbers in a row")
      ->check(CLI::Range(1, 4096))
      ->group(kTables);
  app.add_option("--block", e.hash.block, "robe, multi: Z, numbers in a block; 0 = a row's")
      ->check(CLI::Range(0, 4096))
      ->group(kTables);
  app.add_option(
         "--hash", options.hash,
         "robe: where blocks lie: golden = evenly spread; paper = the formula of the paper; "
         "robe2021, robe2022 = those of the two published codes")
      ->check(CLI::IsMember(hash_family_names()))
      ->group(kTables);
  app.add_flag("--sign", e.hash.sign, "robe, multi: a sign for each block")->group(kTables);
  app.add_flag("--align", e.hash.aligned,
               "robe with golden: blocks begin at multiples of their size")
      ->group(kTables);
  app.add_option("--hash-seed", e.hash.seed, "another place for every block")->group(kTables);
  app.add_option(
         "--hot-share", options.hot_share,
         "robe-hot: share of the bytes for rows of their own, from 0 to 0.99; auto = that of "
         "0, 0.25, 0.5 and 0.9 which is best on samples held back from short trainings, 0 "
         "where the gain may be chance")
      ->type_name("SHARE|auto")
      ->group(kTables);
  app.add_option("--copies", e.copies, "multi: blocks that are summed")
      ->check(CLI::Range(1, 64))
      ->group(kTables);
  app.add_option("--storage", options.storage,
                 "of the numbers in the model, trained for that; the bytes of --compression are "
                 "counted so; auto = int8 where that leaves a number for every eight of the full "
                 "tables, else int4; f32 with --method full")
      ->check(CLI::IsMember(storages_or_auto()))
      ->group(kTables);
  app.add_option("--init-bound", e.init, "numbers begin between -X and X; 0 = by the method")
      ->check(CLI::Range(0.0, 1000.0))
      ->group(kTables);
}

void add_network_options(CLI::App& app, TrainOptions& options) {
  NetworkOptions& n = options.network;
  app.add_option("--architecture", n.architecture, architecture_help())
      ->check(CLI::IsMember(architecture_names()))
      ->group(kNetwork);
  app.add_option("--bottom", n.bottom,
                 "units of the layers over the numbers, before one as wide as a row")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->group(kNetwork);
  app.add_option("--top", n.top, "units of the layers before the logit")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->group(kNetwork);
  app.add_flag("--diagonal", n.diagonal, "dlrm: each vector's product with itself, too")
      ->group(kNetwork);
  app.add_option("--cross-layers", n.cross_layers, "dcn: cross layers")
      ->check(CLI::Range(1, 64))
      ->group(kNetwork);
  app.add_option("--cross-rank", n.cross_rank, "dcn: rank of their weights; 0 = full")
      ->check(CLI::Range(0, 65536))
      ->group(kNetwork);
}

void add_training_options(CLI::App& app, TrainOptions& o) {
  app.add_option("--optimizer", o.optimizer,
                 "adagrad and adam keep one and two values for each parameter")
      ->check(CLI::IsMember(Names{"adagrad", "adam", "sgd"}))
      ->group(kTraining);
  app.add_option("--learning-rate", o.learning_rate,
                 "highest rate; 0 = 0.001 with adam, 0.01 with adagrad, 0.1 with sgd")
      ->check(CLI::Range(0.0, 1000.0))
      ->group(kTraining);
  app.add_option("--embedding-rate", o.embedding_rate,
                 "highest rate of the embeddings; 0 = --learning-rate times 10 with adam, 5 with "
                 "adagrad, 1 with sgd")
      ->check(CLI::Range(0.0, 1000.0))
      ->group(kTraining);
  app.add_option("--schedule", o.schedule,
                 "how the rates fall; where the end is not known they stay; auto = constant where "
                 "validation ends the run, else linear")
      ->check(CLI::IsMember(Names{"auto", "constant", "linear", "cosine"}))
      ->group(kTraining);
  app.add_option("--warm-up", o.warm_up,
                 "share of the steps in which the rates rise; -1 = 0.1 with adagrad, else 0")
      ->check(CLI::Range(-1.0, 1.0))
      ->group(kTraining);
  app.add_option(
         "--batch-size", o.batch_size,
         "samples a step; 0 = 128 for fewer than 100,000 samples, 512 below a million, else "
         "2048")
      ->check(CLI::Range(0, 65536))
      ->group(kTraining);
  app.add_option("--epochs", o.epochs,
                 "passes over the data; 0 = until validation gets no better; without --validation "
                 "and --held-out a trial without a tenth of the samples (50,000 at most) finds how "
                 "many, which are then trained on all")
      ->check(CLI::Range(0, 100000))
      ->group(kTraining);
  app.add_option("--patience", o.patience,
                 "end after so many epochs without a better validation; 0 = never with --epochs, "
                 "else 2, from a million samples on 1, and more while nothing is learnt yet, not "
                 "even by heart")
      ->check(CLI::Range(0, 100000))
      ->group(kTraining);
  app.add_option("--steps", o.steps, "end after so many batches; 0 = all")->group(kTraining);
  app.add_flag("--stream", o.stream,
               "train while reading: one pass in constant memory, with --ids hash or number")
      ->group(kTraining);
  app.add_flag("--asynchronous,!--deterministic", o.asynchronous,
               "threads take whole batches and do not wait for each other: the model depends on "
               "chance; else it has the same bytes for any number of threads")
      ->default_str("false")
      ->group(kTraining);
}

TrainOptions complete_options(const TrainCommandOptions& o, const Run& run) {
  TrainOptions options = o.train;
  options.embedding.hash.family = hash_family_from_name(o.hash);
  options.find_storage = o.storage == "auto";
  if (!options.find_storage) options.embedding.storage = storage_from_name(o.storage);
  options.embedding.bytes = parse_bytes(o.bytes).value_or(0);
  options.find_hot_share = o.hot_share == "auto";
  if (!options.find_hot_share) options.embedding.hot_share = parse_share(o.hot_share);
  options.network.precision = run.precision();
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  return options;
}

void add_train_conditions(CLI::App& app, TrainCommandOptions& command) {
  const TrainOptions& o = command.train;
  add_init_conditions(app, o);
  add_size_conditions(app, o.embedding);
  note_given(app, {"--method", "--compression", "--bytes"}, command.train.for_categories);
  add_column_conditions(app, command.train);
  add_method_conditions(app, "--method",
                        [&o](const auto& test) { return test(find_method(o.embedding.method)); });
  add_network_conditions(app, o.network);
  app.get_option("--bytes")->excludes(app.get_option("--compression"));
  app.get_option("--held-out")->excludes(app.get_option("--validation"));
  go_with(app, {"--max-memory", "--cache-dir", "--shuffle"},
          "samples that are read before training, not with --stream", [&o] { return !o.stream; });
  go_with(
      app, {"--patience"}, "--validation, --held-out or epochs that are left to the data",
      [&o] { return !o.validation.empty() || !o.input.held_out.empty() || ends_by_validation(o); });
}

void add_sweep_conditions(CLI::App& app, TrainCommandOptions& command,
                          const std::vector<std::string>& methods) {
  const auto any = [&methods](const auto& test) {
    return std::any_of(methods.begin(), methods.end(),
                       [&](const std::string& name) { return test(find_method(name)); });
  };
  add_method_conditions(app, "--methods", any);
  add_column_conditions(app, command.train);
  add_network_conditions(app, command.train.network);
  go_with(app, {"--compressions", "--storages"}, "methods but full, int8 and int4", [any] {
    return any([](const EmbeddingMethod& method) { return !method.has_one_size(); });
  });
  app.get_option("--storages")->excludes(app.get_option("--storage"));
  app.get_option("--held-out")->excludes(app.get_option("--validation"));
}

}  // namespace frugal::robe
