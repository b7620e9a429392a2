#include "tools/sparse-train/settings/feature_fields.h"

#include <algorithm>
#include <string_view>

#include "tools/sparse-train/data/example_formats.h"

namespace frugal::sparse {
namespace {

void add_table_options(const OptionFields& f, FeatureOptions& options) {
  f.add("--header", options.header,
        "whether the first line contains the names of the columns; auto: by its contents")
      .choices({"auto", "yes", "no"});
  f.add("--separator", options.separator,
        "character between columns, or tab; auto: by the contents, , ; | or tab")
      .metavar("CHAR");
}

void add_column_options(const OptionFields& fields, FeatureOptions& options) {
  const OptionFields f = fields.group("Columns of CSV and TSV");
  f.add("--columns", options.columns,
        "type of each column: NAME:TYPE,... with the names of a header or numbers from 1. Types "
        "are text, category, number, date, label and ignore. category(;) and label(;) split a "
        "field at ';'. A column may be number and category. *:TYPE is for all other columns; "
        "without "
        "it they are ignored")
      .metavar("LIST");
  f.add("--text-columns", options.text_columns,
        "names or numbers of the columns of text, separated by commas, instead of --columns. "
        "Default: all but the label's")
      .metavar("LIST");
  f.add("--label-column", options.label_column,
        "name or number of the column with the label. Default: by the name (label, class, target, "
        "topic, rating ...), else by the contents (few values)")
      .metavar("NAME");
  f.add("--label-separator", options.label_separator,
        "character that separates several labels in the label column. Default: one label");
  add_table_options(f, options);
}

void add_text_options(const OptionFields& fields, FeatureOptions& options) {
  const OptionFields f = fields.group("Features");
  f.add("--label-prefix", options.label_prefix, "prefix of labels in the fastText format");
  f.add("--encoding", options.encoding,
        "encoding of text. bytes: any bytes; bytes above 127 are letters")
      .choices({"utf-8", "bytes"});
  f.add("--tokenizer", options.tokenizer,
        "how text is split into words. words: runs of letters and digits, and emoji. punctuation: "
        "punctuation marks, too. spaces: whatever is between spaces")
      .choices({"words", "punctuation", "spaces"});
  f.add("--word-ngrams", options.word_ngrams,
        "maximum length of word n-grams that are features; 0: no words; auto: by --search, else 2")
      .range(0, 5)
      .automatic(options.word_ngrams, kNgramsByData);
  f.add("--text-start,!--no-text-start", options.text_start,
        "treat the start of a text as a word in n-grams");
  f.add("--char-ngrams", options.char_ngrams,
        "character n-grams of words that are features, as shortest and longest length, like 3:6; "
        "the ends of words are marked. none: no such n-grams. auto: by --search, else none")
      .metavar("A:B");
  f.add("--lower-case,!--no-lower-case", options.lower_case,
        "convert letters to lower case, in all scripts");
  f.add("--normal-form", options.normal_form,
        "Unicode normalisation of text. nfc: a letter with an accent is the same as one character "
        "and as two. nfkc: full width forms, ligatures and superscripts also equal the plain "
        "characters")
      .choices({"nfc", "nfkc"});
}

/// Adds the conditions under which options have an effect, as far as --format tells. Data in
/// another format are detected when they are read.
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
  describe_format(fields, options.format, false, "format of the data");
  add_column_options(fields, options);
  add_text_options(fields, options);
  f.add("--min-count", options.min_count,
        "minimum number of training examples with a word, n-gram or value; rarer ones are dropped. "
        "auto: by --search, else 2")
      .range(1, 1000000000)
      .automatic(options.min_count, 0);
  f.add("--max-features", options.max_features,
        "maximum number of features, of which the most frequent are kept; 0: all");
  f.add("--weighting", options.weighting,
        "value of a feature that occurs tf times in an example. none: 1. count: tf. log: ln(1+tf). "
        "tfidf: ln(1+tf) idf. auto: tfidf for text, none for features with values")
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
  f.add("--skip-bad", options.skip_bad, "number of invalid lines to skip before the run fails");
  f.add_bytes("--max-memory", options.max_memory,
              "maximum memory for examples; more examples go to a temporary file. Default: half of "
              "the memory that the machine and the cgroup have left")
      .keeps_result();
  f.add("--cache-dir", options.cache_dir,
        "folder of the temporary file of --max-memory. Default: TMPDIR, else /var/tmp")
      .metavar("FOLDER")
      .keeps_result();
}

void describe_weights(const OptionFields& f, FeatureOptions& options) {
  f.add("--weights", options.weights,
        "weights of the examples in training, scaled to a mean of 1. balanced: all labels have the "
        "same total weight, which helps rare ones. COLUMN: a column of weights. FILE: a file with "
        "lines 'label,weight', each label once. none: all examples weigh the same")
      .metavar("balanced|COLUMN|FILE");
}

void describe_training_data(const OptionFields& f, TrainOptions& options) {
  f.add("--init", options.init, "model to train further; new features and labels are added to it")
      .metavar("MODEL")
      .keeps_result();
  describe_features(f, options.features);
  describe_weights(f, options.features);
  describe_model_conditions(f, "a new model, not with --init", options.init);
  f.add("--cache", options.cache,
        "file to store the parsed data in; the next run reads it instead of the data")
      .goes_with("--weights none", [&options] { return options.features.weights == "none"; })
      .metavar("FILE")
      .keeps_result();
  f.add("--keep-names", options.keep_names,
        "store the name of each feature in the model (for --explain and export); the data are read "
        "twice");
}

}  // namespace frugal::sparse
