#include "tools/robe-compress/options_data.h"

#include <CLI/CLI.hpp>

#include "libcore/cli/checks.h"
#include "libcore/cli/conditions.h"
#include "libcore/cli/tool.h"
#include "tools/robe-compress/data/click_batch.h"
#include "tools/robe-compress/data/click_schema.h"

namespace frugal::robe {
namespace {

constexpr char kColumns[] = "Columns";
constexpr char kIds[] = "Categories";
constexpr char kSamples[] = "Samples";

Names format_names() {
  Names names{"auto"};
  for (const ClickFormat& format : click_formats()) names.emplace_back(format.name);
  return names;
}

void add_column_options(CLI::App& app, ClickOptions& options) {
  app.add_option(
         "--columns", options.columns,
         "what the columns of csv and tsv are: NAME:TYPE,... with names of the header or numbers "
         "from 1 and the types label, category, hour, weekday (of a time like 14102100), number "
         "(scaled to mean 0, deviation 1), log (log(1+x), then scaled), ignore; *:TYPE is all "
         "others, else numbers with a decimal point are numbers, id and an index without a name "
         "(as pandas writes it, called \"Unnamed: 0\") are ignored, and the rest are categories")
      ->type_name("LIST")
      ->group(kColumns);
  app.add_option("--label-column", options.label_column,
                 "name or number of the label's column (click, label, clicked, is_click, target, y "
                 "or rating; without header the first)")
      ->type_name("NAME")
      ->group(kColumns);
  app.add_option(
         "--positive", options.positive,
         "which labels are clicks: a condition like rating>=4, or a text like >50K (1 or True; "
         "0, -1 and False are none)")
      ->type_name("RULE")
      ->group(kColumns);
}

void add_id_options(CLI::App& app, ClickOptions& options) {
  app.add_option("--ids", options.ids,
                 "how categories become rows of a table: count: by falling frequency in the "
                 "training data, rare and unknown ones share row 0; hash: hashed, no vocabulary is "
                 "kept; number: they are the rows (hexadecimal in criteo), nothing is row 0")
      ->check(CLI::IsMember(id_kind_names()))
      ->group(kIds);
  app.add_option("--min-count", options.min_count,
                 "categories that fewer training samples have are rare")
      ->check(CLI::Range(std::uint64_t{1}, kMostTableRows))
      ->group(kIds);
  app.add_option("--hash-rows", options.hash_rows, "rows of each table with --ids hash")
      ->check(CLI::Range(std::uint64_t{1}, kMostTableRows))
      ->group(kIds);
  app.add_option("--rows", options.rows,
                 "rows of the tables with --ids number: one for all, or one a field separated by "
                 "commas, or a shape of generate like terabyte or terabyte/100 (as found)")
      ->type_name("LIST")
      ->group(kIds);
  app.add_option("--max-rows", options.max_rows,
                 "rows are taken modulo this with --ids number; 0 = as they are")
      ->check(CLI::Range(std::uint64_t{0}, kMostTableRows))
      ->group(kIds);
  go_with(app, {"--min-count"}, "--ids count", [&options] { return options.ids == "count"; });
  go_with(app, {"--hash-rows"}, "--ids hash", [&options] { return options.ids == "hash"; });
  go_with(app, {"--rows", "--max-rows"}, "--ids number",
          [&options] { return options.ids == "number"; });
}

void add_memory_options(CLI::App& app, ClickOptions& options) {
  app.add_option("--held-out", options.held_out,
                 "samples to validate on instead of training: every:K (samples K-1, 2K-1 ...) or "
                 "last:SHARE (none)")
      ->type_name("RULE")
      ->group(kSamples);
  app.add_flag("--shuffle,!--no-shuffle", options.shuffle, "mix the samples anew in each epoch")
      ->default_str("true")
      ->group(kSamples);
  check_bytes(app.add_option("--max-memory", options.max_memory,
                             "samples in memory, more go to a temporary file (half of what machine "
                             "and cgroup have left)"))
      ->group(kSamples);
  app.add_option("--cache-dir", options.cache_dir, "folder of that file (TMPDIR, else /var/tmp)")
      ->type_name("FOLDER")
      ->group(kSamples);
}

}  // namespace

void add_reading_options(CLI::App& app, ClickOptions& options) {
  app.add_option("--format", options.format, click_format_help())
      ->check(CLI::IsMember(format_names()))
      ->group(kColumns);
  app.add_option("--header", options.header,
                 "whether the first line of csv and tsv names the columns")
      ->check(CLI::IsMember(Names{"auto", "yes", "no"}))
      ->group(kColumns);
  app.add_option("--unknown", options.unknown,
                 "what a category does that the training data lack (--ids count)")
      ->check(CLI::IsMember(Names{"rare", "error"}))
      ->group(kIds);
  app.add_option("--lines", options.lines,
                 "use samples A to B, without B, counted from 0; with / or . shares of a file, "
                 "like 0:6/7 (all)")
      ->type_name("A:B")
      ->group(kSamples);
  app.add_option("--days", options.days,
                 "use samples whose column lies in a range, ends included (all)")
      ->type_name("COLUMN=FROM..TO")
      ->group(kSamples);
}

void add_training_data_options(CLI::App& app, ClickOptions& options) {
  add_reading_options(app, options);
  add_column_options(app, options);
  add_id_options(app, options);
  add_memory_options(app, options);
}

}  // namespace frugal::robe
