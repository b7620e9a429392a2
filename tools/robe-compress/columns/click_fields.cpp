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
        "what the columns of csv, tsv and jsonl are: NAME:TYPE,... with names of the header or "
        "numbers "
        "from 1 and the types label, category, hour, weekday (of a date or time), number "
        "(scaled to mean 0, deviation 1), log (log(1+x), then scaled), ignore; *:TYPE is all "
        "others; else id and an index without a name (as pandas writes it, called \"Unnamed: 0\") "
        "are ignored, columns of numbers that are not all whole are numbers, and the rest are "
        "categories")
      .metavar("LIST");
  f.add("--label-column", options.label_column,
        "name or number of the label's column (click, label, clicked, is_click, target, y, rating "
        "or stars; else the only column of two classes; without header the first)")
      .metavar("NAME");
  f.add("--positive", options.positive,
        "which labels are clicks: a condition like rating>=4 or rating==5, or a text like >50K (1 "
        "or True; 0, -1 and False are none)")
      .metavar("RULE");
}

void add_id_options(const OptionFields& fields, ClickOptions& options) {
  const OptionFields f = fields.group(kIds);
  f.add("--ids", options.ids,
        "how categories become rows of a table: count: by falling frequency in the training "
        "data, rare and unknown ones share row 0; hash: hashed, without a vocabulary; number: "
        "they are the rows (hexadecimal in criteo), an empty field is row 0")
      .choices(id_kind_names());
  f.add("--min-count", options.min_count, "categories that fewer training samples have are rare")
      .range(std::uint64_t{1}, kMostTableRows);
  f.add("--hash-rows", options.hash_rows, "rows of each table with --ids hash")
      .range(std::uint64_t{1}, kMostTableRows);
  f.add("--rows", options.rows,
        "rows of the tables with --ids number: one for all, one a field between commas, or a "
        "shape of generate like terabyte or terabyte/100 (as found)")
      .metavar("LIST");
  f.add("--max-rows", options.max_rows,
        "rows are taken modulo this with --ids number; 0 = as they are")
      .range(std::uint64_t{0}, kMostTableRows);
  f.go_with({"--min-count"}, "--ids count", [&options] { return options.ids == "count"; });
  f.go_with({"--hash-rows"}, "--ids hash", [&options] { return options.ids == "hash"; });
  f.go_with({"--rows", "--max-rows"}, "--ids number",
            [&options] { return options.ids == "number"; });
}

void add_memory_options(const OptionFields& fields, ClickOptions& options) {
  const OptionFields f = fields.group(kSamples);
  f.add("--held-out", options.held_out,
        "samples to validate on instead of training: every:K (samples K-1, 2K-1 ...) or "
        "last:SHARE (none)")
      .metavar("RULE");
  f.add("--shuffle,!--no-shuffle", options.shuffle, "mix the samples anew in each epoch");
  f.add_bytes("--max-memory", options.max_memory,
              "samples in memory, more go to a temporary file (half of what machine "
              "and cgroup have left)")
      .keeps_result();
  f.add("--cache-dir", options.cache_dir, "folder of that file (TMPDIR, else /var/tmp)")
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
           "what separates the columns of csv: , ; | or tab; auto: what the first lines agree on")
      .metavar("CHARACTER");
  columns.add("--header", options.header, "whether the first line of csv and tsv names the columns")
      .choices({"auto", "yes", "no"});
  ids.add("--unknown", options.unknown,
          "what a category does that the training data lack (--ids count): rare: it has the row "
          "of rare ones; error: it ends the run")
      .choices({"rare", "error"});
  samples
      .add("--lines", options.lines,
           "use samples A to B, without B, counted from 0; with / or . shares of a file, "
           "like 0:6/7 (all)")
      .metavar("A:B");
  samples
      .add("--days", options.days, "use samples whose column lies in a range, ends included (all)")
      .metavar("COLUMN=FROM..TO");
}

void describe_training_data(const OptionFields& f, ClickOptions& options) {
  describe_reading(f, options);
  add_column_options(f, options);
  add_id_options(f, options);
  add_memory_options(f, options);
}

}  // namespace frugal::robe
