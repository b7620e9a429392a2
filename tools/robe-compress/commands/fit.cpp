#include <map>
#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "tools/robe-compress/commands/tool.h"

namespace frugal::robe {
namespace {

using nlohmann::ordered_json;

constexpr char kHashGroup[] = "Hashing";
constexpr char kArrayHelp[] = "array file written by compress, or model file written by train";

void add_dtype_option(const OptionFields& f, std::string& dtype) {
  f.add("--dtype", dtype, "number type to write").choices({"f32", "bf16", "f16"});
}

void add_compress_options(const OptionFields& f, FitCommandOptions& o) {
  CompressOptions& c = o.compress;
  f.add("tables", c.tables,
        "tables to compress, tensors [rows, dim] of floating-point numbers: tensor file, "
        ".safetensors, .npy or .npz; - is a tensor file on stdin; or a model file written by train")
      .required()
      .metavar("TABLES");
  f.add("-o,--output", c.output, "array file to write").required().metavar("ARRAY");
  f.add("--compression", c.fit.compression,
        "compression ratio: bytes of the tables as 32-bit numbers, divided by the bytes of the "
        "array and its keys")
      .range(1.0, 1e9);
  f.add("--select", c.names,
        "names of the tensors to compress; * and ? stand for any characters. Default: all but "
        "NAME.counts")
      .metavar("NAMES");
  f.add("--counts", c.counts,
        "file with the number of occurrences of each row: tensors named as the tables, or .csv, "
        ".tsv or .jsonl with columns table, row and count. Default: tensors NAME.counts beside the "
        "tables, if there are any")
      .metavar("FILE");
  f.add("--hot-share", c.fit.hot_share, "auto",
        "share of the bytes for frequent rows with numbers of their own. auto: the one of 0, 0.25, "
        "0.5, 0.9, 0.97 with the smallest error; with --fine-tune the best after a short training")
      .range(0.0, 1.0)
      .metavar("SHARE");
  f.add("--method", c.method,
        "how rows are stored. robe: in one array that rows share. int8, int4: every row, rounded "
        "to 8 or 4 bits a number, whose size does not depend on --compression. auto: every row in "
        "f32, bf16, int8 or int4, whichever fits --compression with the smallest error. If none "
        "fits, or counts make its error smaller, robe is taken")
      .choices({"auto", "robe", "int8", "int4"});
  f.add("--storage", c.fit.storage, storage_names(),
        "number type in which the array is stored; int8 has a scale for each 64 numbers, int4 for "
        "each 32. auto: f32 or int8 if there is room for as many numbers as in the tables, else "
        "int4; or another type if its error is 5 % smaller, which is tried for tables in a file of "
        "up to 256 MiB without --fine-tune")
      .automatic(c.fit.find_storage);
  f.add("--fine-tune", c.fine_tune,
        "file of samples to train the compressed model further on, such as its training data")
      .metavar("DATA");
  f.add("--validation", c.validation,
        "file of samples that the model was not trained on. With --fine-tune, the epoch that is "
        "best on them is written, or the model before fine-tuning. Default: the last epoch is "
        "written")
      .metavar("FILE");
  f.add("--epochs", c.fine_tune_epochs, "number of passes over the samples of --fine-tune")
      .range(1, 1000);
  f.add("--learning-rate", c.fine_tune_rate,
        "peak learning rate of fine-tuning; auto: as in train, ten times as much for the array")
      .range(1e-9, 1000.0)
      .automatic(c.fine_tune_rate, 0);
  f.add_bytes("--max-memory", c.fit.max_memory,
              "maximum memory for sums, counts and arrays. If they need more, the tables are read "
              "several times. If the arrays of all hot shares take more than half of it, the share "
              "is chosen by the counts alone");
}

void add_hash_options(const OptionFields& fields, FitCommandOptions& o) {
  const OptionFields f = fields.group(kHashGroup);
  BlockHashOptions& hash = o.compress.fit.hash;
  f.add("--hash", hash.family, hash_family_names(),
        "hash function that places the blocks. golden: evenly spread (low discrepancy). paper: the "
        "formula of the paper, with signs. robe2021, robe2022: as in the two published codes, bit "
        "for bit");
  f.add("--block", hash.block,
        "size of a block, in numbers of a row that are stored together; auto: a whole row")
      .positive()
      .automatic(hash.block, 0);
  f.add("--sign", hash.sign, "give each block a random sign");
  f.add("--align", hash.aligned, "with golden, let blocks begin only at multiples of their size");
}

/// Adds the conditions under which options have an effect.
void add_conditions(const OptionFields& f, const CompressOptions& c) {
  f.go_with({"--compression", "--hot-share", "--storage", "--max-memory", "--hash", "--block",
             "--sign", "--align"},
            "--method auto or robe", [&c] { return c.method == "auto" || c.method == "robe"; });
  f.go_with({"--epochs", "--learning-rate"}, "--fine-tune", [&c] { return !c.fine_tune.empty(); });
}

ordered_json trial_json(const FitTrial& trial) {
  return {{"hot_share", trial.hot_share},
          {"hot_rows", trial.hot_rows},
          {"shared_numbers", trial.hashed},
          {"relative_error", trial.relative_error}};
}

void describe_trials(const ResultFields& f, const CompressResult& r) {
  const FitTrial chosen = r.trials.empty() ? FitTrial{} : r.trials[r.chosen];
  ordered_json trials = ordered_json::array();
  for (const FitTrial& trial : r.trials) trials.push_back(trial_json(trial));
  f.add("hot_rows", chosen.hot_rows, "rows that have numbers of their own");
  f.add("trials", trials,
        "hot shares tried: hot_share, hot_rows, shared_numbers and relative_error of each");
  f.add("passes", r.passes, "how often the tables were read");
  f.add("memory",
        ordered_json{
            {"sums", r.memory.sums}, {"counts", r.memory.counts}, {"arrays", r.memory.arrays}},
        "bytes of sums, counts and arrays");
}

void describe_fine_tuning(const ResultFields& f, const std::optional<TrainResult>& trained) {
  f.when("--fine-tune", trained.has_value(), [&](const ResultFields& tuned) {
    tuned.add("samples", trained ? trained->facts.samples : 0, "samples of --fine-tune");
  });
  const bool validated = trained && trained->validation;
  f.when("--fine-tune and --validation", validated, [&](const ResultFields& tuned) {
    const BinaryMetrics none;
    describe_click_metrics(tuned, "validation", validated ? *trained->validation : none);
    tuned.add("best_epoch", validated ? trained->best_epoch : 0,
              "epoch whose parameters are in the model; 0 = the fitted parameters");
  });
}

void describe_compressed(const ResultFields& f, const CompressResult& r) {
  f.add("tables", r.tables.size(), "tables compressed");
  f.add("rows", r.tables.num_rows(), "rows of all tables");
  f.add("dim", r.tables.dim(), "numbers in a row");
  f.add("weighted", r.weighted, "whether rows were weighted by their counts");
  f.add("bytes_before", r.bytes_before, "size of the tables");
  f.add("bytes_after", r.bytes_after, "size of the array");
  f.add("method", r.method, "how rows are kept");
  f.add("storage", r.storage, "how the array's numbers are stored");
  f.add("relative_error", r.relative_error ? ordered_json(*r.relative_error) : ordered_json(),
        "square root of the weighted sum of squared errors over the weighted sum of squared "
        "numbers, before --fine-tune. If the tables come from a pipe, it is measured before the "
        "array is rounded to --storage, or is null where rows are kept");
  f.add("hot_share", r.trials.empty() ? 0 : r.trials[r.chosen].hot_share,
        "share of the bytes for rows with numbers of their own");
  f.when("an array of shared numbers", !r.trials.empty(),
         [&](const ResultFields& array) { describe_trials(array, r); });
  f.when("counts, of tables up to 256 MiB", r.error_without_counts,
         [](const ResultFields& counts, double error) {
           counts.add("error_without_counts", error,
                      "weighted relative error of an array fitted without the counts");
         });
  ordered_json errors = ordered_json::object();
  for (std::size_t t = 0; t < r.table_errors.size(); ++t) {
    errors[r.tables.table(t).name] = r.table_errors[t];
  }
  f.add("errors", errors, "relative error by table; empty if the tables come from a pipe");
  describe_fine_tuning(f, r.fine_tuning);
}

void say_result(const CompressResult& r, Run& run) {
  run.say(format_count(r.tables.size(), "table") + ", " + std::to_string(r.tables.num_rows()) +
          " rows of " + std::to_string(r.tables.dim()) + ": " + format_bytes(r.bytes_before) +
          " -> " + format_bytes(r.bytes_after) +
          (r.trials.empty() ? ", every row kept in " + r.storage : ""));
  if (!r.trials.empty()) {
    run.say(std::to_string(r.passes) + (r.passes == 1 ? " pass" : " passes") + "; memory: " +
            format_bytes(r.memory.sums) + " of sums, " + format_bytes(r.memory.counts) +
            " of counts, " + format_bytes(r.memory.arrays) + " of arrays");
  }
  for (std::size_t i = 0; r.trials.size() > 1 && i < r.trials.size(); ++i) {
    const FitTrial& trial = r.trials[i];
    run.say("hot share " + format_number(trial.hot_share) + ": " + std::to_string(trial.hot_rows) +
            " rows of their own, error " + format_number(trial.relative_error, 6) +
            (i == r.chosen ? " (taken)" : ""));
  }
  for (std::size_t t = 0; t < r.table_errors.size(); ++t) {
    run.say("table " + printable(r.tables.table(t).name) + ": error " +
            format_number(r.table_errors[t], 6));
  }
  if (r.relative_error) {
    run.say(std::string(r.weighted ? "weighted" : "unweighted") + " relative error " +
            (r.fine_tuning ? "before fine-tuning " : "") + format_number(*r.relative_error, 6) +
            (r.error_without_counts
                 ? ", " + format_number(*r.error_without_counts, 6) + " without the counts"
                 : ""));
  }
  if (r.fine_tuning && r.fine_tuning->validation) {
    run.say("validation AUC " + format_number(r.fine_tuning->validation->auc(), 5) +
            (r.fine_tuning->best_epoch == 0 ? " as fitted" : " after fine-tuning"));
  }
}

void describe_memory(const ResultFields& f, std::uint64_t bytes) {
  f.add("peak_memory_bytes", bytes, "most memory that the command had");
}

ExitStatus run_compress(FitCommandOptions& o, Run& run) {
  CompressOptions& c = o.compress;
  if (run.options().json && c.output == "-") {
    fail(ExitStatus::usage, "compress writes the array to stdout: --json needs --output FILE");
  }
  c.fit.hash.seed = run.options().seed;
  c.seed = run.options().seed;
  c.config = run.result_config();
  c.history_entry = run.history_entry();
  run.reads(c.tables);
  run.reads(c.fine_tune);
  run.reads(c.validation);
  run.reads(c.counts);
  run.writes(c.output);
  TaskProgress progress(run);
  const CompressResult result =
      compress_tables(c, [&](const std::string& task, double done, double total) {
        progress.update({task, total, "B"}, done);
      });
  progress.finish();
  describe_compressed(ResultFields(run.result()), result);
  describe_memory(ResultFields(run.result()), peak_memory());
  if (c.output != "-") say_result(result, run);
  return ExitStatus::ok;
}

void describe_expanded(const ResultFields& f, const ExpandResult& r) {
  f.add("tables", r.tables, "tables written");
  f.add("rows", r.rows, "rows written");
  f.add("bytes", r.bytes, "size of their numbers");
}

void describe_looked_up(const ResultFields& f, const LookupResult& r) {
  f.add("rows", r.rows, "rows written");
  f.add("unknown", r.unknown, "categories that the model does not know; they got row 0");
  f.add("seconds", r.seconds, "time of the look-ups, without loading the array");
}

ExitStatus run_expand(ExpandOptions& o, Run& run) {
  if (run.options().json && o.output == "-") {
    fail(ExitStatus::usage, "expand writes tables to stdout: --json needs --output FILE");
  }
  o.history_entry = run.history_entry();
  run.reads(o.array);
  run.writes(o.output);
  const auto progress = run.progress("expanding", 0, "rows");
  const ExpandResult result = expand_tables(o, [&](double rows) { progress->update(rows); });
  progress->finish();
  describe_expanded(ResultFields(run.result()), result);
  if (o.output != "-") {
    run.say(format_count(result.tables, "table") + ", " + std::to_string(result.rows) + " rows, " +
            format_bytes(result.bytes));
  }
  return ExitStatus::ok;
}

ExitStatus run_lookup(const LookupOptions& o, Run& run) {
  if (run.options().json && o.output == "-") {
    fail(ExitStatus::usage, "lookup writes rows to stdout: --json needs --output FILE");
  }
  run.reads(o.array);
  run.reads(o.ids);
  run.writes(o.output);
  const LookupResult result = lookup_rows(o);
  describe_looked_up(ResultFields(run.result()), result);
  if (o.output != "-") run.say(format_count(result.rows, "row"));
  return ExitStatus::ok;
}

}  // namespace

Command compress_command(FitCommandOptions& o) {
  Command command;
  command.name = "compress";
  command.summary = "compress trained embedding tables to a small array";
  command.description =
      "Fits one array of shared numbers to trained tables by weighted least squares. No array of "
      "this size has rows nearer to the tables', each row counted as often as it occurs. The "
      "solution is a weighted mean in each slot of the array, found exactly in one pass. The "
      "tables are never in memory as a whole. The most frequent rows may have numbers of their "
      "own; --hot-share auto chooses the share of the bytes with the smallest error. A low "
      "--compression leaves room for every row, rounded: 2x in bf16, up to 7x in int8 or int4. 1x "
      "loses nothing.\n\n"
      "Counts matter. Without them rare rows, which are most of a table, spoil the frequent ones: "
      "above 10x a model loses most of its accuracy. Counts are tensors NAME.counts [rows] in the "
      "file of the tables, or in --counts FILE.\n\n"
      "The array file is a tensor file. expand computes tables from it again, lookup reads rows, "
      "and share/frugal/python/robe_lookup.py does the same in ten lines of Python. A model of "
      "train "
      "is an array file, too.\n\n"
      "A model of train with full tables becomes a smaller model, weighted by the counts of its "
      "training data. --fine-tune trains it further.";
  command.examples = {
      {"robe-compress compress tables.safetensors -o array.safetensors",
       "a hundredth of the size, with counts in the same file"},
      {"robe-compress compress full.model -o small.model --compression 1000 --fine-tune day.tsv",
       "a smaller model, trained further after compression"},
      {"robe-compress compress model.safetensors --select 'emb_l.*' --counts counts.csv -o "
       "array.safetensors --compression 1000 --json",
       "some tensors of a model, with counts from a file"},
      {"robe-compress compress tables.npz -o rows.safetensors.zst --method int4",
       "every row, rounded to 4 bits a number"}};
  command.often = {"--compression", "--method",    "--storage", "--select",
                   "--counts",      "--fine-tune", "--json"};
  command.describe = [&o](const OptionFields& f) {
    add_compress_options(f, o);
    add_hash_options(f, o);
    add_conditions(f, o.compress);
  };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) {
    describe_compressed(f, {});
    describe_memory(f, 0);
  };
  command.run = [&o](Run& run) { return run_compress(o, run); };
  return command;
}

Command expand_command(FitCommandOptions& o) {
  Command command;
  command.name = "expand";
  command.summary = "write the tables that an array file represents";
  command.description =
      "Writes every row of the embedding tables of an array file or a model, for programs that "
      "need plain tables. Each table is a tensor [rows, dim] of its name. The format follows the "
      "suffix: .safetensors, .safetensors.zst, .tzs, .npz, or .npy for one table. Memory use does "
      "not depend on the size of the tables.";
  command.examples = {
      {"robe-compress expand array.safetensors -o tables.safetensors", "write all tables"},
      {"robe-compress expand click.model -o user.npy --select user", "write one table for NumPy"}};
  command.often = {"--select", "--dtype"};
  command.describe = [&o](const OptionFields& f) {
    f.add("array", o.expand.array, kArrayHelp).required().metavar("ARRAY");
    f.add("-o,--output", o.expand.output, "file to write; - is stdout")
        .required()
        .metavar("TABLES");
    f.add("--select", o.expand.names,
          "names of the tables to write; * and ? stand for any characters. Default: all")
        .metavar("NAMES");
    add_dtype_option(f, o.expand.dtype);
  };
  command.describe_results = [](const ResultFields& f) { describe_expanded(f, {}); };
  command.run = [&o](Run& run) { return run_expand(o.expand, run); };
  return command;
}

Command lookup_command(FitCommandOptions& o) {
  Command command;
  command.name = "lookup";
  command.summary = "read rows of a table by their ids";
  command.description =
      "Writes the rows of a table in the order of the ids, in constant memory. Ids are one a line, "
      "or a tensor of integers. On stdout and in *.tzs the output is a stream of documents, one "
      "for each part of the ids. Each is written as soon as its ids arrive. This serves programs "
      "that ask again and again. .safetensors, .safetensors.zst, .npy and .npz contain one tensor "
      "[ids, dim], named as the table.\n\n"
      "With --ids-format categories, ids are the values of a column as in the training data of the "
      "model. Rare and unknown values get row 0.";
  command.examples = {
      {"robe-compress lookup array.safetensors --table user ids.txt -o rows.npy",
       "rows for NumPy, from a file with one id a line"},
      {"producer | robe-compress lookup click.model --table user - -o - | consumer",
       "look rows up between two programs"},
      {"echo 4711 | robe-compress lookup click.model --table user --ids-format categories -o "
       "row.npy",
       "the row of user 4711 by its name in the training data"},
      {"seq 0 9 | robe-compress lookup array.safetensors --table user -o - | tensor-file cat -",
       "print the first ten rows as text"}};
  command.often = {"--output", "--ids-format", "--dtype", "--json"};
  command.describe = [&o](const OptionFields& f) {
    LookupOptions& l = o.lookup;
    f.add("array", l.array, kArrayHelp).required().metavar("ARRAY");
    f.add("ids", l.ids, "file of ids; - is stdin").metavar("IDS");
    f.add("--table", l.table, "name of the table to read. Default: the only one").metavar("NAME");
    f.add("-o,--output", l.output, "file to write; - is stdout").metavar("ROWS");
    f.add("--ids-format", l.form,
          "format of the ids. text: one id a line. tensors: a tensor of integers. categories: one "
          "value a line, as in the training data. auto: tensors for names of tensor files, .npy "
          "and .npz, else text")
        .choices({"auto", "text", "tensors", "categories"});
    add_dtype_option(f, l.dtype);
  };
  command.describe_results = [](const ResultFields& f) { describe_looked_up(f, {}); };
  command.run = [&o](Run& run) { return run_lookup(o.lookup, run); };
  return command;
}

}  // namespace frugal::robe
