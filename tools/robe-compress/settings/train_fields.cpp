#include "tools/robe-compress/settings/train_fields.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/train/accumulation.h"
#include "libcore/train/training_fields.h"
#include "tools/robe-compress/columns/click_fields.h"
#include "tools/robe-compress/columns/click_options.h"

namespace frugal::robe {
namespace {

constexpr char kTables[] = "Embedding tables";
constexpr char kNetwork[] = "Network";
constexpr char kTraining[] = "Training";

/// Whether one of the methods in force passes a test.
using AnyMethod = std::function<bool(const std::function<bool(const EmbeddingMethod&)>&)>;

void add_method_conditions(const OptionFields& f, const AnyMethod& any) {
  const auto is_one_of = [any](std::initializer_list<std::string_view> names) {
    return [any, set = std::vector<std::string_view>(names)] {
      return any([&set](const EmbeddingMethod& method) {
        return std::find(set.begin(), set.end(), method.name) != set.end();
      });
    };
  };
  f.go_with({"--block", "--sign", "--hash", "--align"}, "--method robe, robe-hot or multi",
            is_one_of({"robe", "robe-hot", "multi"}));
  f.go_with({"--hash-seed"}, "--method robe, robe-hot, hash or multi",
            is_one_of({"robe", "robe-hot", "hash", "multi"}));
  f.go_with({"--hot-share"}, "--method robe-hot", is_one_of({"robe-hot"}));
  f.go_with({"--copies"}, "--method multi", is_one_of({"multi"}));
  f.go_with({"--storage"}, "methods but int8 and int4", [any] {
    return any([](const EmbeddingMethod& method) {
      return !method.has_one_size() || method.keeps_none();
    });
  });
}

/// Options of which the columns decide whether they do something.
void add_column_conditions(const OptionFields& f, TrainOptions& o) {
  f.note_given({"--block", "--hash", "--sign", "--align", "--hash-seed", "--hot-share", "--copies",
                "--storage", "--init-bound", "--embedding-rate", "--embedding-decay", "--ids",
                "--min-count", "--hash-rows", "--rows", "--max-rows", "--unknown"},
               o.for_categories);
  f.note_given({"--bottom"}, o.for_numbers);
}

/// Every row is kept by some methods: more compression than their bits are cannot be had.
void add_size_conditions(const OptionFields& f, const EmbeddingOptions& e) {
  constexpr char kOthers[] = "methods but full, int8 and int4, which have one size";
  const auto bits = [&e] { return find_method(e.method).bits; };
  f.field("--bytes").goes_with(kOthers, [bits] { return bits() == 0; });
  f.field("--compression").goes_with(kOthers, [&e, bits] {
    return bits() == 0 || e.compression * bits() <= 32;
  });
}

void add_network_conditions(const OptionFields& f, const NetworkOptions& n) {
  f.go_with({"--diagonal"}, "--architecture dlrm and wide-dlrm",
            [&n] { return n.architecture == "dlrm" || n.architecture == "wide-dlrm"; });
  f.go_with({"--cross-layers", "--cross-rank"}, "--architecture dcn",
            [&n] { return n.architecture == "dcn"; });
}

/// Adds the conditions of options that a model of --init determines. Its method, rows and
/// architecture may be given if they are the model's.
void add_init_conditions(const OptionFields& f, const TrainOptions& o) {
  f.go_with({"--compression", "--bytes",     "--block",        "--hash",     "--sign",
             "--align",       "--hash-seed", "--hot-share",    "--copies",   "--storage",
             "--init-bound",  "--bottom",    "--top",          "--diagonal", "--cross-layers",
             "--cross-rank",  "--columns",   "--label-column", "--positive", "--ids",
             "--hash-rows",   "--rows",      "--max-rows"},
            "a new model, not with --init", [&o] { return o.init.empty(); });
}

void add_size_options(const OptionFields& fields, TrainOptions& options) {
  const OptionFields f = fields.group(kTables);
  EmbeddingOptions& e = options.embedding;
  f.add("--method", e.method, "how embedding tables are stored. " + embedding_method_help())
      .choices(method_names());
  f.add("--compression", e.compression,
        "compression ratio: bytes of full tables in f32 for each byte stored. Methods full, int8 "
        "and int4 have a fixed ratio. If tables are too small for the ratio, the smallest useful "
        "size is stored, with a warning. auto: full tables in int8 if they take at most 16 MiB, "
        "with --optimizer adagrad, --embedding-decay 0.003 and --top 128,64; for larger tables "
        "100, or less to keep 16 MiB. If another option says how tables are stored, auto is 100")
      .range(1.0, 1e9)
      .automatic(options.find_size);
  f.add_bytes("--bytes", e.bytes, "size of the stored tables in bytes, instead of --compression");
  f.add("--storage", e.storage, storage_names(),
        "number type in which the tables are stored; training prepares them for it, and "
        "--compression counts these bytes. auto: int8 if at least an eighth as many numbers as in "
        "the full tables can be stored, else int4; f32 with --method full")
      .automatic(options.find_storage);
}

void add_embedding_options(const OptionFields& fields, TrainOptions& options) {
  const OptionFields f = fields.group(kTables);
  EmbeddingOptions& e = options.embedding;
  f.add("--dim", options.dim,
        "size of an embedding, in numbers; larger ones can learn more and take more space")
      .range(1, 4096);
  f.add("--block", e.hash.block,
        "robe, multi: size of a block (Z in the paper), in numbers; auto: a whole row")
      .range(1, 4096)
      .automatic(e.hash.block, 0);
  f.add("--hash", e.hash.family, hash_family_names(),
        "robe: hash function that places the blocks. golden: evenly spread. paper: the formula of "
        "the paper. robe2021, robe2022: as in the two published codes");
  f.add("--sign", e.hash.sign, "robe, multi: give each block a random sign");
  f.add("--align", e.hash.aligned,
        "robe with golden: let blocks begin only at multiples of their size");
  f.add("--hash-seed", e.hash.seed,
        "seed of the hash function; another seed places every block elsewhere");
  f.add("--hot-share", e.hot_share,
        "robe-hot: share of the bytes for frequent categories with rows of their own. auto: the "
        "best of 0, 0.25, 0.5 and 0.9 in short trainings, measured on held-out samples; 0 if the "
        "gain may be chance")
      .range(0.0, 0.99)
      .automatic(options.find_hot_share)
      .metavar("SHARE|auto");
  f.add("--copies", e.copies, "multi: number of blocks that are summed").range(1, 64);
  f.add("--init-bound", e.init,
        "embeddings are initialised with uniform numbers between -X and X; auto: by the method")
      .range(1e-9, 1000.0)
      .automatic(e.init, 0);
}

void add_penalties(const OptionFields& f, TrainOptions& o) {
  add_weight_decay(f, o.weight_decay,
                   "factor of L2 regularisation of the network's layers; each weight times this is "
                   "added to its gradient");
  f.add("--embedding-decay", o.embedding_decay,
        "factor of L2 regularisation of the embeddings that a sample looks up; each number times "
        "this is added to its gradient. Only on the CPU. The default is 0.003 if small tables are "
        "stored whole")
      .range(0.0, 10.0);
  f.add("--embedding-l2", o.embedding_l2,
        "L2 penalty of all embeddings and of linear models. Half of this, times the sum of the "
        "squares of all parameters, is added to the sum of the samples' losses. Only on the CPU. "
        "auto: for a linear model, the best of 0.25 to 16 on held-out samples; else 0")
      .range(0.0, 1e6)
      .automatic(o.find_l2);
}

/// "auto: 0.1 with sgd, 0.01 with adagrad, ...".
std::string automatic_text(double OptimizerRule::*value) {
  std::string text = "auto: ";
  const char* comma = "";
  for (const std::string& name : optimizer_names()) {
    const OptimizerRule& rule = optimizer_rule(optimizer_from_name(name));
    text += std::exchange(comma, ", ") + format_number(rule.*value) + " with " + name;
  }
  return text;
}

void add_training_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kTraining);
  add_optimizer(f, o.optimizer,
                "optimisation algorithm; adagrad stores one and adam two values for each "
                "parameter. The default is adagrad if small tables are stored whole");
  add_learning_rate(f, o.learning_rate,
                    "peak learning rate of the network; " + automatic_text(&OptimizerRule::rate))
      .automatic(o.learning_rate, 0);
  f.add("--embedding-rate", o.embedding_rate,
        "peak learning rate of the embeddings; " + automatic_text(&OptimizerRule::embedding_rate) +
            ", in proportion to --learning-rate")
      .range(1e-9, 1000.0)
      .automatic(o.embedding_rate, 0);
  f.add("--schedule", o.schedule,
        "how the learning rates change after the warm-up. constant: they stay. linear, cosine: "
        "they fall to 0 at the end, or stay if the end is not known. auto: constant if validation "
        "ends the run, else linear")
      .choices(auto_or(schedule_names()));
  add_warm_up(
      f, o.warm_up,
      "share of the steps in which the learning rates rise linearly from 0 to their peak; " +
          automatic_text(&OptimizerRule::warm_up))
      .automatic(o.warm_up, -1);
  add_penalties(f, o);
  add_batch_size(f, o.batch_size,
                 "number of samples in a mini-batch; larger ones give fewer steps. auto: 128 for "
                 "fewer than 100,000 samples, 512 below a million, else 2048",
                 std::size_t{65536})
      .automatic(o.batch_size, 0);
  add_epochs(f, o.epochs,
             "number of passes over the training data. auto: until validation stops improving; "
             "with --architecture linear 12. Without --validation and --held-out, a trial run "
             "holds out a tenth of the samples (50,000 at most) to find the number. Then all "
             "samples are trained on")
      .automatic(o.epochs, 0);
  add_patience(f, o.patience,
               "epochs without improvement until early stopping (by the validation result). auto: "
               "never with --epochs; else 2, or 1 from a million samples on, and more while "
               "nothing is learnt yet")
      .range(1, 1000000)
      .automatic(o.patience, 0);
  add_steps(f, o.steps);
  add_accumulate(f, o.joint.accumulate, "gradient");
  f.add("--update", o.joint.update, kUpdateNames,
        "how an embedding that occurs several times in a mini-batch is updated. each: by every "
        "occurrence separately, with adagrad and sgd. summed: by the sum of its gradients, which "
        "is faster on a device. auto: each if a step has one mini-batch and the optimiser is "
        "adagrad or sgd, else summed");
  f.add("--exchange", o.joint.exchange, kExchangeNames,
        "how ranks exchange embeddings. owner: each rank owns a part of the numbers, sends them to "
        "ranks that use them and receives their gradients. reduce: the gradients of all numbers "
        "are summed over all ranks. auto: whichever sends fewer bytes");
  f.add("--wire", o.joint.wire, kWireNames,
        "number type in which ranks send gradients; bf16 halves the bytes");
  f.add("--stream", o.stream,
        "train while reading, in one pass and constant memory; needs --ids hash or number");
  f.add("--asynchronous,!--deterministic", o.asynchronous,
        "no effect. Options of version 1.0; every run now trains the same bits")
      .shown_default("false");
}

/// A linear model has one weight a value and steps by sweeps over all samples.
void add_linear_conditions(const OptionFields& f, const NetworkOptions& n) {
  f.go_with({"--dim", "--bottom", "--top", "--method", "--compression", "--bytes", "--init-bound",
             "--optimizer", "--learning-rate", "--embedding-rate", "--schedule", "--warm-up",
             "--weight-decay", "--embedding-decay", "--batch-size", "--accumulate", "--update",
             "--stream"},
            "architectures but linear", [&n] { return n.architecture != "linear"; });
}

void add_train_conditions(const OptionFields& f, TrainOptions& o) {
  add_init_conditions(f, o);
  add_size_conditions(f, o.embedding);
  f.note_given({"--method", "--compression", "--bytes"}, o.for_categories);
  f.note_given({"--method", "--bytes", "--block", "--hash", "--sign", "--align", "--hash-seed",
                "--hot-share", "--copies", "--init-bound"},
               o.for_tables);
  f.note_given({"--optimizer", "--embedding-decay", "--top"}, o.for_small);
  f.note_given(
      {"--architecture", "--dim", "--bottom", "--top", "--diagonal", "--storage", "--optimizer",
       "--learning-rate", "--embedding-rate", "--schedule", "--warm-up", "--weight-decay",
       "--embedding-decay", "--embedding-l2", "--batch-size", "--accumulate", "--update"},
      o.for_choice);
  add_column_conditions(f, o);
  add_method_conditions(f,
                        [&o](const auto& test) { return test(find_method(o.embedding.method)); });
  add_network_conditions(f, o.network);
  add_linear_conditions(f, o.network);
  f.field("--bytes").excludes("compression");
  f.field("--held-out").excludes("validation");
  f.go_with({"--max-memory", "--cache-dir", "--shuffle"},
            "samples that are read before training, not with --stream", [&o] { return !o.stream; });
  f.go_with({"--patience"}, "--validation, --held-out or epochs that are left to the data", [&o] {
    return !o.validation.empty() || !o.input.held_out.empty() || ends_by_validation(o);
  });
}

}  // namespace

Names method_names() {
  Names names;
  for (const EmbeddingMethod& method : embedding_methods()) names.emplace_back(method.name);
  return names;
}

void describe_train(const OptionFields& fields, TrainOptions& o) {
  fields.add("data", o.data, "file of labelled samples; - is stdin")
      .required()
      .metavar("DATA")
      .keeps_result();
  fields.add("-o,--output", o.model, "model file to write")
      .required()
      .metavar("FILE")
      .keeps_result();
  fields
      .add("--validation", o.validation,
           "labelled samples to validate on after each epoch; default: the samples of --held-out")
      .metavar("FILE");
  fields
      .add("--init", o.init,
           "model to train further. Its columns, tables and network stay. If no epoch validates "
           "better, the model is written unchanged. New categories get rows of their own, except "
           "categories rarer than --min-count; with --unknown error none do")
      .metavar("MODEL")
      .keeps_result();  // the model itself is looked at
  describe_training_data(fields, o.input);
  add_size_options(fields, o);
  add_embedding_options(fields, o);
  describe_network(fields.group(kNetwork), o.network);
  add_training_options(fields, o);
  add_train_conditions(fields, o);
}

void describe_sweep_runs(const OptionFields& fields, TrainOptions& o) {
  describe_training_data(fields, o.input);
  add_embedding_options(fields, o);
  describe_network(fields.group(kNetwork), o.network);
  add_training_options(fields, o);
}

void describe_sweep_conditions(const OptionFields& f, TrainOptions& o,
                               const std::vector<std::string>& methods,
                               const std::vector<std::string>& storages) {
  const auto any = [&methods](const auto& test) {
    return std::any_of(methods.begin(), methods.end(),
                       [&](const std::string& name) { return test(find_method(name)); });
  };
  add_method_conditions(f, any);
  add_column_conditions(f, o);
  add_network_conditions(f, o.network);
  const auto several = [any] {
    return any([](const EmbeddingMethod& method) { return !method.has_one_size(); });
  };
  f.go_with({"--compression"}, "methods but full, int8 and int4", several);
  f.go_with({"--storage"}, "one value, or methods but full, int8 and int4",
            [several, &storages] { return storages.size() == 1 || several(); });
  f.field("--held-out").excludes("validation");
}

OptionTexts training_options(TrainOptions o) {
  return run_options(o, describe_train, o.network.precision);
}

}  // namespace frugal::robe
