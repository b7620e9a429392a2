#include "tools/sparse-train/data/example_formats.h"

#include <algorithm>
#include <array>

#include "libcore/tables/table_head.h"
#include "libcore/tables/text_kind.h"

namespace frugal::sparse {

std::string_view first_text(std::string_view head) {
  constexpr std::size_t kLooked = std::size_t{64} << 10;
  return head.substr(0, std::max(kLooked, head.find('\n') + 1));
}
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
  std::string_view head = sample.head;
  while (head.starts_with('#') && head.find('\n') != std::string_view::npos) {
    head.remove_prefix(head.find('\n') + 1);
  }
  const std::string_view line = head.substr(0, head.find('\n'));
  const std::size_t label_end = line.find(' ');
  const std::size_t colon = line.find(':');
  if (label_end == std::string_view::npos || colon == std::string_view::npos || colon < label_end) {
    return false;
  }
  const auto labels = split(line.substr(0, label_end), ',');
  return std::all_of(labels.begin(), labels.end(),
                     [](auto label) { return parse_finite<double>(label).has_value(); }) &&
         is_whole_number(trim(line.substr(label_end, colon - label_end)));
}

bool is_tsv(const FormatSample& sample) { return sample.line.find('\t') != std::string_view::npos; }

/// Labels may stand behind the text, though not of every format that has columns.
bool is_fasttext(const FormatSample& sample) {
  const std::string_view line = trim(sample.line);
  return line.starts_with("__label__") || (!is_tsv(sample) && line.find(" __label__") != line.npos);
}

bool is_json_lines(const FormatSample& sample) {
  return text_kind(sample.head) == TextKind::json_lines;
}

bool is_csv(const FormatSample& sample) {
  const bool has_comma = sample.line.find(',') != std::string_view::npos;
  if (sample.line.starts_with('"')) return has_comma || !is_tsv(sample);
  if (has_comma) return !is_tsv(sample);
  const char separator = find_separator(first_text(sample.head), false);
  return separator == ';' || separator == '|';
}

/// Labels may stand anywhere in the line, as in fastText; most stand at its beginning.
void split_label_words(std::string_view line, const SplitOptions& options, RecordParts& parts) {
  constexpr std::string_view kWhiteSpace = " \t\r\v\f";
  const std::string_view prefix = options.label_prefix;
  std::size_t text_begin = 0;
  for (std::size_t at = line.find(prefix); at != std::string_view::npos;) {
    std::size_t end = at + prefix.size();
    if (at == 0 || kWhiteSpace.find(line[at - 1]) != std::string_view::npos) {
      end = std::min(line.find_first_of(kWhiteSpace, at), line.size());
      if (end > at + prefix.size())
        parts.labels.push_back(line.substr(at + prefix.size(), end - at - prefix.size()));
      if (at > text_begin) parts.texts.push_back(line.substr(text_begin, at - text_begin));
      text_begin = end;
    }
    at = line.find(prefix, end);
  }
  parts.texts.push_back(line.substr(text_begin));
}

void split_line(std::string_view line, const SplitOptions&, RecordParts& parts) {
  parts.texts.push_back(line);
}

void split_sparse_line(std::string_view line, const SplitOptions& options, RecordParts& parts) {
  parse_sparse_line(line, options.feature_limit, parts.sparse);
}

constexpr std::array<std::string_view, 1> kXmcSuffixes{".xmc"};
constexpr std::array<std::string_view, 4> kSvmlightSuffixes{".svm", ".libsvm", ".svmlight",
                                                            ".svml"};
constexpr std::array<std::string_view, 2> kFasttextSuffixes{".ft", ".fasttext"};
constexpr std::array<std::string_view, 1> kCsvSuffixes{".csv"};
constexpr std::array<std::string_view, 2> kTsvSuffixes{".tsv", ".tab"};

constexpr std::array<std::string_view, 2> kJsonSuffixes{".jsonl", ".ndjson"};

constexpr std::array kFormats{
    ExampleFormat{.name = "xmc",
                  .description =
                      "a first line 'points features labels', then 'l1,l2 f:v f:v ...' with ids "
                      "from 0",
                  .suffixes = kXmcSuffixes,
                  .recognises = is_xmc,
                  .distinctive = true,
                  .split = split_sparse_line,
                  .feature_ids = true,
                  .counts = true},
    ExampleFormat{.name = "svmlight",
                  .description = "'label f:v f:v ...'",
                  .suffixes = kSvmlightSuffixes,
                  .recognises = is_svmlight,
                  .distinctive = true,
                  .split = split_sparse_line,
                  .feature_ids = true,
                  .label_separator = ","},
    ExampleFormat{.name = "fasttext",
                  .description = "'__label__a __label__b text'",
                  .suffixes = kFasttextSuffixes,
                  .recognises = is_fasttext,
                  .distinctive = true,
                  .split = split_label_words,
                  .label_words = true,
                  .texts = true},
    ExampleFormat{.name = "csv",
                  .description = "columns separated by commas, quotes as in RFC 4180",
                  .suffixes = kCsvSuffixes,
                  .recognises = is_csv,
                  .style = DelimitedStyle::csv(),
                  .columns = true},
    ExampleFormat{.name = "tsv",
                  .description = "columns separated by tabs, without quotes",
                  .suffixes = kTsvSuffixes,
                  .recognises = is_tsv,
                  .style = DelimitedStyle::tsv(),
                  .columns = true},
    ExampleFormat{.name = "jsonl",
                  .description = "one JSON object a line, whose names are the columns",
                  .suffixes = kJsonSuffixes,
                  .recognises = is_json_lines,
                  .distinctive = true,
                  .columns = true,
                  .json = true},
    ExampleFormat{.name = kTensorFormat,
                  .description = "tensors that convert or another program wrote, *.safetensors",
                  .feature_ids = true,
                  .packed = true},
    ExampleFormat{.name = "text",
                  .description = "one text a line, without a label",
                  .split = split_line,
                  .unlabelled = true},
};
constexpr FormatTable<ExampleFormat> kTable{kFormats};

}  // namespace

const FormatTable<ExampleFormat>& example_formats() { return kTable; }
const ExampleFormat& unlabelled_text() { return kFormats.back(); }

}  // namespace frugal::sparse
