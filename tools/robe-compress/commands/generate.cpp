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
  command.summary = "generate synthetic click data like Criteo's, of any size";
  command.description =
      "Writes synthetic samples in Criteo's format: label, 13 integers and 26 categories separated "
      "by tabs. Categories follow power laws over tables of the published sizes; some numbers and "
      "categories are missing. Clicks depend on the numbers and on a factorisation machine, whose "
      "weights are hashes of the categories, so that nothing is stored in memory. Use the data for "
      "tests and to measure sizes and speed; accuracy on them says nothing about real users.\n\n"
      "A line depends only on --seed, the shape and its number. So --from cuts training and test "
      "data from one stream, and any number of threads writes the same bytes. A category is the "
      "row of its table in hexadecimal. train reads it without a vocabulary, with --ids number "
      "--rows terabyte (or terabyte/100 for --scale 100).";
  command.examples = {
      {"robe-compress generate --samples 1000000 -o train.tsv", "a million training samples"},
      {"robe-compress generate --samples 100000 --from 1000000 -o test.tsv",
       "test samples from the same stream"},
      {"robe-compress generate --shape terabyte --samples 10000000 | zstd -o big.tsv.zst",
       "compressed in a pipe"}};
  command.often = {"--output", "--shape", "--samples", "--from", "--scale", "--seed"};
  command.describe = [&o](const OptionFields& f) {
    f.add("-o,--output", o.output, "file to write; - is stdout").metavar("FILE");
    f.add_row_name("--shape", o.shape, click_shapes(), "predefined table sizes");
    f.add("--samples", o.samples, "number of samples");
    f.add("--from", o.first, "number of the first sample to write, from 0");
    f.add("--scale", o.scale,
          "divide the number of rows of large tables by this; tables keep at least 20,000 rows")
        .range(1.0, 1e6);
    f.add("--exponent", o.zipf,
          "exponent X of the power law of categories: the r-th most frequent row is drawn about "
          "r^-X as often as the first")
        .range(0.0, 5.0);
    f.add("--click-rate", o.click_rate, "share of the samples that are clicks").range(0.001, 0.999);
  };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) {
    describe_result(f, GenerateOptions{}, GenerateResult{});
  };
  command.run = [&o](Run& run) { return run_generate(o, run); };
  return command;
}

}  // namespace frugal::robe
