#include "tools/sparse-train/options_features.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "libcore/cli/checks.h"
#include "libcore/cli/conditions.h"
#include "libcore/cli/tool.h"
#include "libcore/io/formats.h"

namespace frugal::sparse {
namespace {

Names format_names(const Names& more) {
  Names names = {"auto"};
  for (const TextFormat& format : text_formats()) names.emplace_back(format.name);
  names.emplace_back(kTensorFormat);
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

void add_column_options(CLI::App& app, FeatureOptions& options) {
  constexpr char kGroup[] = "Columns of CSV and TSV";
  app.add_option(
         "--columns", options.columns,
         "what the columns are: NAME:TYPE,... with names of the header or numbers from 1 and "
         "the types "
         "text, category, number, date, label, ignore; category(;) and label(;) split a "
         "field at ';'; "
         "columns that are not named are ignored")
      ->type_name("LIST")
      ->group(kGroup);
  app.add_option(
         "--text-columns", options.text_columns,
         "short for columns of text alone: names or numbers, separated by commas (all but the "
         "label's)")
      ->type_name("LIST")
      ->group(kGroup);
  app.add_option("--label-column", options.label_column,
                 "name or number of the column with the label (the first)")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--label-separator", options.label_separator,
                 "splits a label column into several labels (one label)")
      ->group(kGroup);
  app.add_option("--header", options.header, "whether the first line names the columns")
      ->check(CLI::IsMember(Names{"auto", "yes", "no"}))
      ->group(kGroup);
}

void add_text_options(CLI::App& app, FeatureOptions& options) {
  constexpr char kGroup[] = "Features";
  app.add_option("--label-prefix", options.label_prefix, "fastText format: how a label begins")
      ->group(kGroup);
  app.add_option("--encoding", options.encoding,
                 "what text must be; bytes = anything, bytes above 127 are letters")
      ->check(CLI::IsMember(Names{"utf-8", "bytes"}))
      ->group(kGroup);
  app.add_option("--tokenizer", options.tokenizer,
                 "how text falls into words: runs of letters and digits; these and punctuation; "
                 "what stands "
                 "between spaces")
      ->check(CLI::IsMember(Names{"words", "punctuation", "spaces"}))
      ->group(kGroup);
  app.add_option("--word-ngrams", options.word_ngrams,
                 "longest sequence of words that is a feature; 0 = no words; -1 = by the data "
                 "(--search), else 2")
      ->check(CLI::Range(-1, 5))
      ->group(kGroup);
  app.add_flag("--text-start,!--no-text-start", options.text_start,
               "the start of a text counts as a word of n-grams")
      ->default_str("true")
      ->group(kGroup);
  app.add_option(
         "--char-ngrams", options.char_ngrams,
         "shortest and longest sequence of characters of a word, its ends marked, that is a "
         "feature, like 3:6; none; auto = by the data (--search), else none")
      ->type_name("A:B")
      ->group(kGroup);
  app.add_flag("--lower-case,!--no-lower-case", options.lower_case,
               "make no difference between a and A (Latin, Greek, Cyrillic and Armenian letters)")
      ->default_str("true")
      ->group(kGroup);
}

/// What an option needs to do something, as far as --format says; data of another format than
/// theirs are found once they are read.
void add_conditions(CLI::App& app, FeatureOptions& o) {
  const auto is_one_of = [&o](std::initializer_list<std::string_view> formats) {
    return [&o, set = std::vector<std::string_view>(formats)] {
      return std::find(set.begin(), set.end(), o.format) != set.end();
    };
  };
  go_with(app, {"--columns", "--text-columns", "--label-column", "--label-separator", "--header"},
          "--format csv, tsv or auto", is_one_of({"auto", "csv", "tsv"}));
  go_with(app, {"--label-prefix"}, "--format fasttext or auto", is_one_of({"auto", "fasttext"}));
  go_with(app,
          {"--tokenizer", "--word-ngrams", "--text-start", "--char-ngrams", "--lower-case",
           "--encoding"},
          "--format csv, tsv, fasttext or auto", is_one_of({"auto", "csv", "tsv", "fasttext"}));
  note_given(app,
             {"--word-ngrams", "--text-start", "--char-ngrams", "--lower-case", "--min-count",
              "--max-features"},
             o.for_text);
}

}  // namespace

void add_format_option(CLI::App& app, std::string& format, const Names& more, const char* what) {
  app.add_option("--format", format, what)->check(CLI::IsMember(format_names(more)));
}

void add_feature_options(CLI::App& app, FeatureOptions& options) {
  constexpr char kGroup[] = "Features";
  add_format_option(app, options.format, {}, "form of the data");
  add_column_options(app, options);
  add_text_options(app, options);
  app.add_option("--min-count", options.min_count,
                 "drop words, n-grams and values that fewer training examples have; 0 = by the "
                 "data (--search), else 2")
      ->check(CLI::Range(0, 1000000000))
      ->group(kGroup);
  app.add_option("--max-features", options.max_features,
                 "keep only the most frequent features; 0 = all")
      ->group(kGroup);
  app.add_option(
         "--weighting", options.weighting,
         "value of a feature that occurs tf times: 1; tf; ln(1+tf); ln(1+tf) idf; auto = tfidf for "
         "text, none for features with values")
      ->check(CLI::IsMember(Names{"auto", "none", "count", "log", "tfidf"}))
      ->group(kGroup);
  add_reading_options(app, options);
  add_conditions(app, options);
}

void add_model_conditions(CLI::App& app, const std::string& what, const std::string& model) {
  go_with(app,
          {"--columns", "--text-columns", "--label-column", "--label-separator", "--header",
           "--label-prefix", "--encoding", "--tokenizer", "--word-ngrams", "--text-start",
           "--char-ngrams", "--lower-case", "--min-count", "--max-features", "--weighting"},
          what, [&model] { return model.empty(); });
}

void add_reading_options(CLI::App& app, FeatureOptions& options) {
  app.add_option("--skip-bad", options.skip_bad, "bad lines to pass over before giving up");
  check_bytes(app.add_option("--max-memory", options.max_memory,
                             "examples in memory, the rest goes to a temporary file (half of what "
                             "machine and cgroup have left)"));
  app.add_option("--cache-dir", options.cache_dir, "folder of that file (TMPDIR, else /var/tmp)")
      ->type_name("FOLDER");
}

void add_training_data_options(CLI::App& app, TrainOptions& options) {
  app.add_option("--init", options.init,
                 "model to go on from: new features and labels are added to it")
      ->type_name("MODEL");
  add_feature_options(app, options.features);
  add_model_conditions(app, "a new model, not with --init", options.init);
  app.add_option("--cache", options.cache,
                 "keep the data as they were parsed in this file, and read it the next time")
      ->type_name("FILE");
  app.add_flag("--keep-names", options.keep_names,
               "store what each feature stands for in the model (reads the data twice)");
}

}  // namespace frugal::sparse
