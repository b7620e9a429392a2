#include "tools/sparse-train/data/example_formats.h"

#include <algorithm>
#include <array>

namespace frugal::sparse {
namespace {

/// A number of the right form, however large: who reads it says what is too large.
bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_xmc(const FormatSample& sample) {
  const auto words = split(trim(sample.line), ' ');
  return words.size() == 3 && std::all_of(words.begin(), words.end(), is_whole_number);
}

/// "label index:value": the first two words.
bool is_svmlight(const FormatSample& sample) {
  const std::string_view line = sample.line;
  const std::size_t label_end = line.find(' ');
  const std::size_t colon = line.find(':');
  if (label_end == std::string_view::npos || colon == std::string_view::npos || colon < label_end) {
    return false;
  }
  std::string_view label = line.substr(0, label_end);
  if (label.starts_with('+')) label.remove_prefix(1);
  return parse_number<double>(label).has_value() &&
         is_whole_number(trim(line.substr(label_end, colon - label_end)));
}

bool is_fasttext(const FormatSample& sample) { return sample.line.starts_with("__label__"); }

bool is_tsv(const FormatSample& sample) { return sample.line.find('\t') != std::string_view::npos; }

bool is_csv(const FormatSample& sample) {
  return sample.line.starts_with('"') ||
         (sample.line.find(',') != std::string_view::npos && !is_tsv(sample));
}

constexpr std::array<std::string_view, 1> kXmcSuffixes{".xmc"};
constexpr std::array<std::string_view, 4> kSvmlightSuffixes{".svm", ".libsvm", ".svmlight",
                                                            ".svml"};
constexpr std::array<std::string_view, 2> kFasttextSuffixes{".ft", ".fasttext"};
constexpr std::array<std::string_view, 1> kCsvSuffixes{".csv"};
constexpr std::array<std::string_view, 2> kTsvSuffixes{".tsv", ".tab"};

constexpr std::array kFormats{
    ExampleFormat{.name = "xmc",
                  .description = "a line 'points features labels', then 'l1,l2 f:v f:v ...', "
                                 "ids from 0",
                  .suffixes = kXmcSuffixes,
                  .recognises = is_xmc,
                  .distinctive = true,
                  .feature_ids = true,
                  .counts = true},
    ExampleFormat{.name = "svmlight",
                  .description = "'label f:v f:v ...'",
                  .suffixes = kSvmlightSuffixes,
                  .recognises = is_svmlight,
                  .distinctive = true,
                  .feature_ids = true,
                  .label_separator = ","},
    ExampleFormat{.name = "fasttext",
                  .description = "'__label__a __label__b text'",
                  .suffixes = kFasttextSuffixes,
                  .recognises = is_fasttext,
                  .distinctive = true,
                  .label_words = true},
    ExampleFormat{.name = "csv",
                  .description = "columns between commas, quotes as in RFC 4180",
                  .suffixes = kCsvSuffixes,
                  .recognises = is_csv,
                  .style = DelimitedStyle::csv(),
                  .columns = true},
    ExampleFormat{.name = "tsv",
                  .description = "columns between tabs, no quotes",
                  .suffixes = kTsvSuffixes,
                  .recognises = is_tsv,
                  .style = DelimitedStyle::tsv(),
                  .columns = true},
    ExampleFormat{.name = kTensorFormat,
                  .description = "what convert or another program wrote, *.safetensors",
                  .feature_ids = true,
                  .packed = true},
    ExampleFormat{
        .name = "text", .description = "a text without a label a line", .unlabelled = true},
};
constexpr FormatTable<ExampleFormat> kTable{kFormats};

}  // namespace

const FormatTable<ExampleFormat>& example_formats() { return kTable; }
const ExampleFormat& unlabelled_text() { return kFormats.back(); }

}  // namespace frugal::sparse
