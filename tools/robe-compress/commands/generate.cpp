#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/robe-compress/columns/click_shapes.h"
#include "tools/robe-compress/commands/tool.h"

namespace frugal::robe {
namespace {

void describe_result(const ResultFields& f, const GenerateOptions& o, const GenerateResult& r) {
  f.add("samples", o.samples, "samples written");
  f.add("clicks", r.clicks, "clicks among them");
  f.add("rows", r.rows, "rows of all embedding tables");
  f.add("best_auc", r.best_auc, "AUC of the probabilities that clicks were drawn by");
  f.add("best_log_loss", r.best_log_loss, "log-loss of these probabilities");
}

ExitStatus run_generate(GenerateOptions& o, Run& run) {
  o.seed = run.options().seed;
  o.if_changed = run.options().if_changed;
  run.writes(o.output);
  const auto progress = run.progress("generating", static_cast<double>(o.samples), "samples");
  const GenerateResult result =
      generate(o, [&](std::uint64_t samples) { progress->update(static_cast<double>(samples)); });
  progress->finish();
  const double click_rate = static_cast<double>(result.clicks) / static_cast<double>(o.samples);
  describe_result(ResultFields(run.result()), o, result);
  run.say(std::to_string(o.samples) + " samples, " + format_number(100 * click_rate, 4) +
          " % clicks; who knew what they were drawn by would reach AUC " +
          format_number(result.best_auc, 4) + ", log-loss " +
          format_number(result.best_log_loss, 4));
  return ExitStatus::ok;
}

}  // namespace

Command generate_command(GenerateOptions& o) {
  Command command;
  command.name = "generate";
  command.summary = "make click data of the shape of Criteo's, of any size";
  command.description =
      "Writes samples in Criteo's format: label, 13 integers, 26 categories between tabs. "
      "Categories follow power laws over tables of the published sizes; some numbers and "
      "categories are missing. Clicks depend on the numbers and on a factorisation machine, "
      "whose weights are hashes of the categories: nothing is kept in memory. Use the data to "
      "test, and to measure sizes and speed; they prove nothing about people.\n\n"
      "A line depends on --seed, the shape and its number alone. So --from cuts training and "
      "test data from one stream, and any number of threads writes the same bytes. A category is "
      "the row of its table in hexadecimal. train takes it without a vocabulary, with --ids "
      "number --rows terabyte (or terabyte/100 for --scale 100).";
  command.examples = {
      {"robe-compress generate --samples 1000000 -o train.tsv", "a million samples"},
      {"robe-compress generate --samples 100000 --from 1000000 -o test.tsv",
       "the samples after them"},
      {"robe-compress generate --shape terabyte --samples 10000000 | zstd -o big.tsv.zst",
       "packed on the way"}};
  command.often = {"--output", "--shape", "--samples", "--from", "--scale", "--seed"};
  command.describe = [&o](const OptionFields& f) {
    f.add("-o,--output", o.output, "file to write; - is stdout").metavar("FILE");
    f.add_row_name("--shape", o.shape, click_shapes(), "sizes of the tables");
    f.add("--samples", o.samples, "number of samples");
    f.add("--from", o.first, "number of the first sample");
    f.add("--scale", o.scale, "tables above 20,000 rows are divided by this, but not below 20,000")
        .range(1.0, 1e6);
    f.add("--exponent", o.zipf,
          "the r-th most frequent row is drawn about r^-X as often as the first")
        .range(0.0, 5.0);
    f.add("--click-rate", o.click_rate, "share of clicks").range(0.001, 0.999);
  };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) {
    describe_result(f, GenerateOptions{}, GenerateResult{});
  };
  command.run = [&o](Run& run) { return run_generate(o, run); };
  return command;
}

}  // namespace frugal::robe
