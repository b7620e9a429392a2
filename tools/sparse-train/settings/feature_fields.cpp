#include "tools/sparse-train/settings/feature_fields.h"

#include <algorithm>
#include <string_view>

#include "tools/sparse-train/data/example_formats.h"

namespace frugal::sparse {
namespace {

void add_table_options(const OptionFields& f, FeatureOptions& options) {
  f.add("--header", options.header, "whether the first line names the columns; auto = by content")
      .choices({"auto", "yes", "no"});
  f.add("--separator", options.separator,
        "character between columns, or tab; auto = by content: , ; | or tab")
      .metavar("CHAR");
}

void add_column_options(const OptionFields& fields, FeatureOptions& options) {
  const OptionFields f = fields.group("Columns of CSV and TSV");
  f.add("--columns", options.columns,
        "what the columns are: NAME:TYPE,... with names of the header or numbers from 1 and "
        "the types "
        "text, category, number, date, label, ignore; category(;) and label(;) split a "
        "field at ';'; "
        "*:TYPE is all others, else columns that are not named are ignored")
      .metavar("LIST");
  f.add("--text-columns", options.text_columns,
        "short for columns of text alone: names or numbers, separated by commas (all but the "
        "label's)")
      .metavar("LIST");
  f.add("--label-column", options.label_column,
        "name or number of the column with the label (by its name: label, class, target, topic, "
        "rating ..., else by content: few values)")
      .metavar("NAME");
  f.add("--label-separator", options.label_separator,
        "splits a label column into several labels (one label)");
  add_table_options(f, options);
}

void add_text_options(const OptionFields& fields, FeatureOptions& options) {
  const OptionFields f = fields.group("Features");
  f.add("--label-prefix", options.label_prefix, "fastText format: how a label begins");
  f.add("--encoding", options.encoding,
        "what text must be; bytes = anything, bytes above 127 are letters")
      .choices({"utf-8", "bytes"});
  f.add("--tokenizer", options.tokenizer,
        "how text falls into words: runs of letters and digits, and emoji; these and "
        "punctuation; what stands between spaces")
      .choices({"words", "punctuation", "spaces"});
  f.add("--word-ngrams", options.word_ngrams,
        "n-grams of words that are features, up to this length; 0 = no words; auto = by "
        "--search, else 2")
      .range(0, 5)
      .automatic(options.word_ngrams, kNgramsByData);
  f.add("--text-start,!--no-text-start", options.text_start,
        "the start of a text counts as a word of n-grams");
  f.add("--char-ngrams", options.char_ngrams,
        "n-grams of a word's characters, its ends marked, that are features: shortest and "
        "longest, like 3:6; none; auto = by --search, else none")
      .metavar("A:B");
  f.add("--lower-case,!--no-lower-case", options.lower_case,
        "make no difference between a and A, in all scripts");
  f.add("--normal-form", options.normal_form,
        "which spellings of a character beyond ASCII are one: nfc = as one character and as letter "
        "and accent; nfkc = full width, ligatures and superscripts too")
      .choices({"nfc", "nfkc"});
}

/// What an option needs to do something, as far as --format says; data of another format than
/// theirs are found once they are read.
void add_conditions(const OptionFields& f, FeatureOptions& o) {
  const auto go_with = [&](std::initializer_list<const char*> names, const auto& fits) {
    Names formats = example_formats().names(fits);
    formats.emplace_back("auto");
    f.go_with(names, "--format " + joined(formats, "or"), [&o, formats] {
      return std::find(formats.begin(), formats.end(), o.format) != formats.end();
    });
  };
  go_with({"--columns", "--text-columns", "--label-column", "--label-separator", "--header",
           "--separator"},
          has_columns);
  go_with({"--label-prefix"}, has_label_words);
  go_with({"--tokenizer", "--word-ngrams", "--text-start", "--char-ngrams", "--lower-case",
           "--normal-form", "--encoding"},
          has_text);
  f.note_given({"--word-ngrams", "--text-start", "--char-ngrams", "--lower-case", "--normal-form",
                "--min-count", "--max-features"},
               o.for_text);
}

}  // namespace

void describe_format(const OptionFields& f, std::string& format, bool may_lack_labels,
                     const char* what) {
  Names names = example_formats().names(
      [&](const ExampleFormat& row) { return may_lack_labels || !row.unlabelled; });
  names.insert(names.begin(), "auto");
  f.add("--format", format, what).choices(names);
}

void describe_input(const OptionFields& f, FeatureOptions& options, bool may_lack_labels,
                    const char* what) {
  describe_format(f, options.format, may_lack_labels, what);
  add_table_options(f, options);
}

void describe_features(const OptionFields& fields, FeatureOptions& options) {
  const OptionFields f = fields.group("Features");
  describe_format(fields, options.format, false, "form of the data");
  add_column_options(fields, options);
  add_text_options(fields, options);
  f.add("--min-count", options.min_count,
        "drop words, n-grams and values that fewer training examples have; auto = by --search, "
        "else 2")
      .range(1, 1000000000)
      .automatic(options.min_count, 0);
  f.add("--max-features", options.max_features, "keep only the most frequent features; 0 = all");
  f.add("--weighting", options.weighting,
        "value of a feature that occurs tf times: 1; tf; ln(1+tf); ln(1+tf) idf; auto = tfidf for "
        "text, none for features with values")
      .choices({"auto", "none", "count", "log", "tfidf"});
  describe_reading(fields, options);
  add_conditions(fields, options);
}

void describe_model_conditions(const OptionFields& f, const std::string& what,
                               const std::string& model) {
  f.go_with({"--columns", "--text-columns", "--label-column", "--label-separator", "--label-prefix",
             "--encoding", "--tokenizer", "--word-ngrams", "--text-start", "--char-ngrams",
             "--lower-case", "--min-count", "--max-features", "--weighting"},
            what, [&model] { return model.empty(); });
}

void describe_reading(const OptionFields& f, FeatureOptions& options) {
  f.add("--skip-bad", options.skip_bad, "bad lines to pass over before giving up");
  f.add_bytes("--max-memory", options.max_memory,
              "examples in memory, the rest goes to a temporary file (half of what "
              "machine and cgroup have left)")
      .keeps_result();
  f.add("--cache-dir", options.cache_dir, "folder of that file (TMPDIR, else /var/tmp)")
      .metavar("FOLDER")
      .keeps_result();
}

void describe_weights(const OptionFields& f, FeatureOptions& options) {
  f.add("--weights", options.weights,
        "what examples count in training, scaled to a mean of 1: balanced = the same for all "
        "labels together, as rare ones need; the name of a column of weights; a file of lines "
        "'label,weight'; none")
      .metavar("balanced|COLUMN|FILE");
}

void describe_training_data(const OptionFields& f, TrainOptions& options) {
  f.add("--init", options.init, "model to go on from: new features and labels are added to it")
      .metavar("MODEL")
      .keeps_result();
  describe_features(f, options.features);
  describe_weights(f, options.features);
  describe_model_conditions(f, "a new model, not with --init", options.init);
  f.add("--cache", options.cache,
        "keep the data as they were parsed in this file, and read it the next time")
      .goes_with("--weights none", [&options] { return options.features.weights == "none"; })
      .metavar("FILE")
      .keeps_result();
  f.add("--keep-names", options.keep_names,
        "store what each feature stands for in the model (reads the data twice)");
}

}  // namespace frugal::sparse
