#include "tools/robe-compress/columns/click_fields.h"

#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/columns/click_schema.h"

namespace frugal::robe {
namespace {

constexpr char kColumns[] = "Columns";
constexpr char kIds[] = "Categories";
constexpr char kSamples[] = "Samples";

void add_column_options(const OptionFields& fields, ClickOptions& options) {
  const OptionFields f = fields.group(kColumns);
  f.add("--columns", options.columns,
        "type of each column of csv, tsv and jsonl: NAME:TYPE,... with the names of a header or "
        "numbers from 1. Types are label, category, hour and weekday (of a date or time), number "
        "(scaled to mean 0 and deviation 1), log (log(1 + max(x, 0)), then scaled) and ignore; "
        "*:TYPE is for "
        "all other columns. Without a type, id and an index column without a name (as pandas "
        "writes it, called \"Unnamed: 0\") are ignored. Columns of numbers that are not all whole "
        "are numbers, and the rest are categories")
      .metavar("LIST");
  f.add("--label-column", options.label_column,
        "name or number of the column with the label. Default: click, label, clicked, is_click, "
        "target, y, rating or stars; else the only column of two classes; without a header the "
        "first")
      .metavar("NAME");
  f.add("--positive", options.positive,
        "which labels count as clicks: a condition like rating>=4 or rating==5, or a text like "
        ">50K. Default: 1 and True are clicks; 0, -1 and False are not")
      .metavar("RULE");
}

void add_id_options(const OptionFields& fields, ClickOptions& options) {
  const OptionFields f = fields.group(kIds);
  f.add("--ids", options.ids,
        "how categories become rows of a table. count: by falling frequency in the training data; "
        "rare and unknown ones share row 0. hash: by a hash function, without a vocabulary. "
        "number: categories are row numbers (hexadecimal in criteo); an empty field is row 0")
      .choices(id_kind_names());
  f.add("--min-count", options.min_count,
        "with --ids count, number of training samples a category needs for a row of its own; rarer "
        "ones share row 0")
      .range(std::uint64_t{1}, kMostTableRows);
  f.add("--hash-rows", options.hash_rows,
        "with --ids hash, number of rows of each table; more rows give fewer collisions")
      .range(std::uint64_t{1}, kMostTableRows);
  f.add("--rows", options.rows,
        "with --ids number, number of rows of each table: one number, a list by field, or a shape "
        "of generate like terabyte or terabyte/100. Default: as found in the data")
      .metavar("LIST");
  f.add("--max-rows", options.max_rows,
        "with --ids number, row numbers are taken modulo this; 0: unchanged")
      .range(std::uint64_t{0}, kMostTableRows);
  f.go_with({"--min-count"}, "--ids count", [&options] { return options.ids == "count"; });
  f.go_with({"--hash-rows"}, "--ids hash", [&options] { return options.ids == "hash"; });
  f.go_with({"--rows", "--max-rows"}, "--ids number",
            [&options] { return options.ids == "number"; });
}

void add_memory_options(const OptionFields& fields, ClickOptions& options) {
  const OptionFields f = fields.group(kSamples);
  f.add("--held-out", options.held_out,
        "samples to hold out of training for validation: every:K (samples K-1, 2K-1 ...) or "
        "last:SHARE. Default: none")
      .metavar("RULE");
  f.add("--shuffle,!--no-shuffle", options.shuffle,
        "put the samples in a new random order in each epoch");
  f.add_bytes("--max-memory", options.max_memory,
              "maximum memory for samples; more samples go to a temporary file. Default: half of "
              "the memory that the machine and the cgroup have left")
      .keeps_result();
  f.add("--cache-dir", options.cache_dir,
        "folder of the temporary file of --max-memory. Default: TMPDIR, else /var/tmp")
      .metavar("FOLDER")
      .keeps_result();
}

}  // namespace

void describe_reading(const OptionFields& fields, ClickOptions& options) {
  const OptionFields columns = fields.group(kColumns), ids = fields.group(kIds),
                     samples = fields.group(kSamples);
  columns.add("--format", options.format, click_formats().help("the first line"))
      .choices(click_formats().choices());
  columns
      .add("--separator", options.separator,
           "character between the columns of csv: , ; | or tab. auto: by the first lines")
      .metavar("CHARACTER");
  columns
      .add("--header", options.header,
           "whether the first line of csv and tsv contains the names of the columns")
      .choices({"auto", "yes", "no"});
  ids.add("--unknown", options.unknown,
          "with --ids count, what to do with a category that is not in the training data. rare: "
          "use the row of rare categories. error: end the run")
      .choices({"rare", "error"});
  samples
      .add("--lines", options.lines,
           "use only samples A to B-1, counted from 0. Fractions (0:6/7) and decimals (0:0.9) are "
           "shares of the file. Default: all")
      .metavar("A:B");
  samples
      .add("--days", options.days,
           "use only samples whose column is within a range, ends included: "
           "time=2024-02-01..2024-02-07 "
           "is all of these seven days. Dates are compared as dates, however the column "
           "writes them (frugal-tables(7)), others as numbers or texts. Default: all")
      .metavar("COLUMN=FROM..TO");
}

void describe_training_data(const OptionFields& f, ClickOptions& options) {
  describe_reading(f, options);
  add_column_options(f, options);
  add_id_options(f, options);
  add_memory_options(f, options);
}

}  // namespace frugal::robe
