#include "tools/sparse-train/data/example_parser.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\v\f";

/// A record without its line end.
std::string_view without_line_end(std::string_view record) {
  if (record.ends_with('\n')) record.remove_suffix(1);
  if (record.ends_with('\r')) record.remove_suffix(1);
  return record;
}

}  // namespace

ExampleParser::ExampleParser(const FeatureOptions& options, const InputLayout& layout)
    : options_(options),
      layout_(layout),
      records_(layout.style()),
      ngrams_(options),
      keep_counts_(options.weighting != "none") {}

/// Length of the first record of `text` with its line end; CSV and TSV: splits it into fields_.
std::size_t ExampleParser::next_record(std::string_view text) {
  if (layout_.is_delimited()) return records_.parse(text, fields_);
  return std::min(text.find('\n'), text.size() - 1) + 1;
}

ExamplePiece ExampleParser::parse(const TextPiece& piece) {
  ExamplePiece out;
  label_index_.clear();
  hashes_.clear();
  const std::string_view text = piece.text();
  std::size_t at = layout_.has_header && piece.index == 0 ? next_record(text) : 0;
  for (std::size_t size = 0; at < text.size(); at += size) {
    size = next_record(text.substr(at));
    const std::string_view record = without_line_end(text.substr(at, size));
    if (record.empty()) continue;
    try {
      parse_record(record, false);
      append(out);
    } catch (const Error& error) {
      out.bad_lines.push_back({piece.first_line + count_lines(text.substr(0, at)), error.what()});
    }
  }
  return out;
}

void ExampleParser::parse_line(std::string_view line, ExamplePiece& out) {
  label_index_.clear();
  hashes_.clear();
  if (layout_.is_delimited()) records_.parse(line, fields_);
  parse_record(line, true);
  append(out);
}

void ExampleParser::parse_record(std::string_view record, bool label_is_optional) {
  labels_.clear();
  label_ids_.clear();
  texts_.clear();
  sparse_.features.clear();
  sparse_.values.clear();
  if (layout_.is_sparse()) {
    parse_sparse_line(record, layout_.feature_limit, sparse_);
    if (layout_.format == "xmc")
      return parse_label_ids(sparse_.labels, layout_.label_limit, label_ids_);
    split_labels(sparse_.labels);
  } else if (layout_.is_delimited()) {
    split_fields(label_is_optional);
  } else if (layout_.format == "fasttext") {
    split_fasttext(record);
  } else {
    texts_.push_back(record);
  }
}

void ExampleParser::split_fields(bool label_is_optional) {
  if (!records_.problem().empty()) fail(ExitStatus::bad_input, records_.problem());
  const bool blank = fields_.size() == 1 && fields_[0].empty();
  const bool unlabelled = label_is_optional && (blank || fields_.size() + 1 == layout_.num_columns);
  if (!unlabelled && fields_.size() != layout_.num_columns) {
    fail(ExitStatus::bad_input, "found ", fields_.size(),
         fields_.size() == 1 ? " column" : " columns", ", expected ", layout_.num_columns);
  }
  for (const std::size_t column : layout_.text_columns) {
    const std::size_t shift = unlabelled && column > layout_.label_column ? 1 : 0;
    if (column - shift < fields_.size()) texts_.push_back(fields_[column - shift]);
  }
  if (!unlabelled) split_labels(fields_[layout_.label_column]);
}

/// Labels may stand anywhere in the line, as in fastText; most stand at its beginning.
void ExampleParser::split_fasttext(std::string_view line) {
  const std::string_view prefix = options_.label_prefix;
  std::size_t text_begin = 0;
  for (std::size_t at = line.find(prefix); at != std::string_view::npos;) {
    std::size_t end = at + prefix.size();
    if (at == 0 || kWhiteSpace.find(line[at - 1]) != std::string_view::npos) {
      end = std::min(line.find_first_of(kWhiteSpace, at), line.size());
      labels_.push_back(line.substr(at + prefix.size(), end - at - prefix.size()));
      if (at > text_begin) texts_.push_back(line.substr(text_begin, at - text_begin));
      text_begin = end;
    }
    at = line.find(prefix, end);
  }
  texts_.push_back(line.substr(text_begin));
}

void ExampleParser::split_labels(std::string_view text) {
  const std::string_view separator =
      layout_.format == "svmlight" ? std::string_view(",") : options_.label_separator;
  while (!separator.empty() && text.find(separator) != std::string_view::npos) {
    const std::size_t end = text.find(separator);
    if (end > 0) labels_.push_back(trim(text.substr(0, end)));
    text.remove_prefix(end + separator.size());
  }
  if (!trim(text).empty()) labels_.push_back(trim(text));
}

void ExampleParser::append(ExamplePiece& out) {
  append_features(out);
  append_labels(out);
}

void ExampleParser::append_features(ExamplePiece& out) {
  if (layout_.is_sparse()) {
    out.features.insert(out.features.end(), sparse_.features.begin(), sparse_.features.end());
    out.values.insert(out.values.end(), sparse_.values.begin(), sparse_.values.end());
    out.num_features.push_back(static_cast<std::uint32_t>(sparse_.features.size()));
    return;
  }
  ngrams_.clear();
  for (const std::string_view text : texts_) ngrams_.add(text);
  const auto hashes = ngrams_.hashes();
  hashes_.insert(hashes_.end(), hashes.begin(), hashes.end());
  if (keep_counts_) {
    for (const std::uint32_t count : ngrams_.counts())
      out.values.push_back(static_cast<float>(count));
  }
  out.num_features.push_back(static_cast<std::uint32_t>(hashes.size()));
}

void ExampleParser::append_labels(ExamplePiece& out) {
  for (const std::string_view label : labels_) {
    auto known = label_index_.find(label);
    if (known == label_index_.end()) {
      const auto id = static_cast<std::uint32_t>(out.label_names.size());
      known = label_index_.emplace(label, id).first;
      out.label_names.emplace_back(label);
    }
    const auto begin = label_ids_.begin();
    if (std::find(begin, label_ids_.end(), known->second) == label_ids_.end()) {
      label_ids_.push_back(known->second);
    }
  }
  out.labels.insert(out.labels.end(), label_ids_.begin(), label_ids_.end());
  out.num_labels.push_back(static_cast<std::uint32_t>(label_ids_.size()));
}

}  // namespace frugal
