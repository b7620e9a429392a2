#include "tools/sparse-train/options_training.h"

#include <CLI/CLI.hpp>

#include "libcore/io/formats.h"

namespace frugal {
namespace {

using Names = std::vector<std::string>;

Names format_names(const Names& more) {
  Names names = {"auto"};
  for (const TextFormat& format : text_formats()) names.emplace_back(format.name);
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

void add_format_option(CLI::App& app, std::string& format, const Names& more, const char* what) {
  app.add_option("--format", format, what)->check(CLI::IsMember(format_names(more)));
}

void add_feature_options(CLI::App& app, FeatureOptions& options) {
  constexpr char kGroup[] = "Features";
  add_format_option(app, options.format, {}, "form of the data");
  app.add_option(
         "--text-columns", options.text_columns,
         "CSV, TSV: names or numbers from 1 of the columns with text, separated by commas (all but "
         "the label's)")
      ->group(kGroup);
  app.add_option("--label-column", options.label_column,
                 "CSV, TSV: name or number from 1 of the column with the label (the first)")
      ->group(kGroup);
  app.add_option("--label-separator", options.label_separator,
                 "splits a label column into several labels (one label)")
      ->group(kGroup);
  app.add_option("--header", options.header, "CSV, TSV: whether the first line names the columns")
      ->check(CLI::IsMember(Names{"auto", "yes", "no"}))
      ->group(kGroup);
  app.add_option("--label-prefix", options.label_prefix, "fastText format: how a label begins")
      ->group(kGroup);
  app.add_option("--tokenizer", options.tokenizer,
                 "how text falls into words: runs of letters and digits; these and punctuation; "
                 "what stands "
                 "between spaces")
      ->check(CLI::IsMember(Names{"words", "punctuation", "spaces"}))
      ->group(kGroup);
  app.add_option("--word-ngrams", options.word_ngrams,
                 "longest sequence of words that is a feature")
      ->check(CLI::Range(1, 5))
      ->group(kGroup);
  app.add_flag("--lower-case,!--no-lower-case", options.lower_case,
               "make no difference between a and A")
      ->default_str("true")
      ->group(kGroup);
  app.add_option("--min-count", options.min_count, "drop n-grams that fewer training examples have")
      ->check(CLI::Range(1, 1000000000))
      ->group(kGroup);
  app.add_option("--max-features", options.max_features,
                 "keep only the most frequent n-grams; 0 = all")
      ->group(kGroup);
  app.add_option(
         "--weighting", options.weighting,
         "value of a feature that occurs tf times: 1; tf; ln(1+tf); ln(1+tf) idf; auto = tfidf for "
         "text, none for features with values")
      ->check(CLI::IsMember(Names{"auto", "none", "count", "log", "tfidf"}))
      ->group(kGroup);
  app.add_option("--skip-bad", options.skip_bad, "bad lines to pass over before giving up");
}

void add_network_options(CLI::App& app, TrainOptions& options) {
  constexpr char kGroup[] = "Network and training";
  TrainSettings& s = options.settings;
  app.add_option("--output", s.output,
                 "outputs computed for an example: dense = all labels; shared = those of its batch "
                 "and some "
                 "drawn at random; auto = by the number of labels")
      ->check(CLI::IsMember(Names{"auto", "dense", "shared"}))
      ->group(kGroup);
  app.add_option("--loss", s.loss, "softmax, or ova = a yes or no for each label")
      ->check(CLI::IsMember(Names{"auto", "softmax", "ova"}))
      ->group(kGroup);
  app.add_option("--hidden", s.hidden, "hidden units; 0 = by the data")
      ->check(CLI::Range(0, 4096))
      ->group(kGroup);
  app.add_option("--activation", s.activation, "of the hidden units")
      ->check(CLI::IsMember(Names{"auto", "linear", "relu"}))
      ->group(kGroup);
  app.add_option("--epochs", s.epochs, "passes over the data; 0 = by its size")
      ->check(CLI::Range(0, 100000))
      ->group(kGroup);
  app.add_option("--batch-size", s.batch_size, "examples a step; 0 = by the data")
      ->check(CLI::Range(0, 65536))
      ->group(kGroup);
  app.add_option("--learning-rate", s.learning_rate, "highest rate; 0 = by the data")
      ->check(CLI::Range(0.0, 1000.0))
      ->group(kGroup);
  app.add_option("--schedule", s.schedule, "how the learning rate falls")
      ->check(CLI::IsMember(Names{"constant", "linear", "cosine"}))
      ->group(kGroup);
  app.add_option("--warm-up", s.warm_up, "share of the steps in which the rate rises")
      ->check(CLI::Range(0.0, 1.0))
      ->group(kGroup);
  app.add_option("--optimizer", s.optimizer, "adagrad keeps one sum for each row of a table")
      ->check(CLI::IsMember(Names{"adagrad", "sgd"}))
      ->group(kGroup);
  app.add_option("--negatives", s.negatives,
                 "shared: labels drawn for each batch; 0 = by their number")
      ->group(kGroup);
  app.add_flag("--correct-sampling,!--no-correct-sampling", s.correct_sampling,
               "shared: correct for the probability of a label to be drawn")
      ->default_str("true")
      ->group(kGroup);
  app.add_flag("--normalize,!--no-normalize", options.normalize,
               "scale the features of each example to length 1")
      ->default_str("true")
      ->group(kGroup);
}

}  // namespace frugal
