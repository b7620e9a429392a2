#include "libcore/io/formats.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

/// A number of the right form, however large: who reads it says what is too large.
bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool has_xmc_header(std::string_view line) {
  const auto words = split(trim(line), ' ');
  return words.size() == 3 && std::all_of(words.begin(), words.end(), is_whole_number);
}

/// "label index:value": the first two words.
bool is_svmlight(std::string_view line) {
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

bool is_fasttext(std::string_view line) { return line.starts_with("__label__"); }

bool is_tsv(std::string_view line) { return line.find('\t') != std::string_view::npos; }

bool is_csv(std::string_view line) {
  return line.starts_with('"') ||
         (line.find(',') != std::string_view::npos && line.find('\t') == std::string_view::npos);
}

constexpr std::array<std::string_view, 1> kXmcSuffixes{".xmc"};
constexpr std::array<std::string_view, 4> kSvmlightSuffixes{".svm", ".libsvm", ".svmlight",
                                                            ".svml"};
constexpr std::array<std::string_view, 2> kFasttextSuffixes{".ft", ".fasttext"};
constexpr std::array<std::string_view, 1> kCsvSuffixes{".csv"};
constexpr std::array<std::string_view, 2> kTsvSuffixes{".tsv", ".tab"};

constexpr std::array kFormats{
    // First line 'points features labels', then 'l1,l2 f:v f:v ...', ids from 0.
    TextFormat{"xmc", kXmcSuffixes, has_xmc_header, true},
    // 'label f:v f:v ...', no first line.
    TextFormat{"svmlight", kSvmlightSuffixes, is_svmlight, true},
    // '__label__a __label__b text', one example a line.
    TextFormat{"fasttext", kFasttextSuffixes, is_fasttext, true},
    // Columns separated by commas, quotes as in RFC 4180.
    TextFormat{"csv", kCsvSuffixes, is_csv, false},
    // Columns separated by tabs, no quotes.
    TextFormat{"tsv", kTsvSuffixes, is_tsv, false},
};

std::string names() {
  std::string list;
  for (const TextFormat& format : kFormats) {
    list += (list.empty() ? "" : ", ") + std::string(format.name);
  }
  return list;
}

bool has_suffix(const TextFormat& format, std::string_view path) {
  if (path.ends_with(".zst")) path.remove_suffix(4);
  if (path.ends_with(".gz")) path.remove_suffix(3);
  for (const std::string_view suffix : format.suffixes) {
    if (path.ends_with(suffix)) return true;
  }
  return false;
}

}  // namespace

std::span<const TextFormat> text_formats() { return kFormats; }

const TextFormat& text_format(std::string_view name) {
  std::vector<std::string> candidates;
  for (const TextFormat& format : kFormats) {
    if (format.name == name) return format;
    candidates.emplace_back(format.name);
  }
  fail(ExitStatus::usage, "format '", printable(name), "' is not known, expected auto, ", names(),
       did_you_mean(name, candidates));
}

const TextFormat& detect_text_format(std::string_view path, std::string_view head) {
  std::string_view line = head.substr(0, head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (const TextFormat& format : kFormats) {
    if (format.distinctive && format.recognises(line)) return format;
  }
  for (const TextFormat& format : kFormats) {
    if (has_suffix(format, path)) return format;
  }
  for (const TextFormat& format : kFormats) {
    if (format.recognises(line)) return format;
  }
  fail(ExitStatus::bad_input, path, ": cannot tell the format from the name or the first line '",
       printable(line), "', expected --format with one of ", names());
}

}  // namespace frugal
