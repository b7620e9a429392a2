#include "tools/gnn-sample/data/row_encoder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/hash.h"
#include "tools/gnn-sample/data/field_numbers.h"

namespace frugal::gnn {
namespace {

bool is_part_of_word(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || c == '_' || is_digit(c) || (c >= 'a' && c <= 'z');
}

}  // namespace

bool is_number_type(FeatureType type) {
  return type == FeatureType::number || type == FeatureType::date;
}

std::optional<double> number_of(std::string_view field, FeatureType type, char separator) {
  if (type == FeatureType::date) return parse_date_or_number(field);
  const auto number = parse_number_between<double>(field, separator);
  return number && std::abs(*number) <= std::numeric_limits<float>::max() ? number : std::nullopt;
}

void RowFeatures::add(std::size_t column, double value) {
  if (value == 0) return;
  columns.push_back(static_cast<std::uint32_t>(column));
  constexpr double kLargest = std::numeric_limits<float>::max();
  values.push_back(static_cast<float>(std::clamp(value, -kLargest, kLargest)));
}

void RowEncoder::add(std::size_t column, std::string_view field, std::size_t first,
                     RowFeatures& out) {
  const FeatureColumn& c = columns_.columns[column];
  if (is_number_type(c.type)) {
    const auto number =
        is_missing_number(field) ? std::nullopt : number_of(field, c.type, separator_);
    if (number) out.add(first, (*number - c.mean) / c.deviation);
    if (!number && c.marks_missing) out.add(first + 1, 1);
  } else if (c.type == FeatureType::category) {
    add_values(c, field, first, out);
  } else if (c.type == FeatureType::words && !is_missing(field)) {
    add_words(c, field, first, out);
  }
}

/// Values that the columns do not list have no feature.
void RowEncoder::add_values(const FeatureColumn& c, std::string_view field, std::size_t first,
                            RowFeatures& out) {
  found_.clear();
  for_each_value(field, c.separator, [&](std::string_view value) {
    const auto at = std::lower_bound(c.values.begin(), c.values.end(), value);
    if (at == c.values.end() || *at != value) return;
    found_.push_back(static_cast<std::size_t>(at - c.values.begin()));
  });
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  for (const std::size_t value : found_) out.add(first + value, 1);
}

void RowEncoder::add_words(const FeatureColumn& c, std::string_view field, std::size_t first,
                           RowFeatures& out) {
  lower_ = folding_.fold(field);
  for (char& c : lower_) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  const std::string_view text = lower_;
  found_.clear();
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_part_of_word(text[end])) ++end;
    if (end != begin) {
      const std::uint64_t hash = hash_bytes(text.substr(begin, end - begin));
      found_.push_back(static_cast<std::size_t>(hash_to_range(hash, c.buckets)));
    }
    begin = end + 1;
  }
  std::sort(found_.begin(), found_.end());
  const std::size_t written = out.values.size();
  double squares = 0;
  for (std::size_t i = 0; i < found_.size();) {
    const std::size_t begin = i;
    while (i < found_.size() && found_[i] == found_[begin]) ++i;
    const double value = std::log1p(static_cast<double>(i - begin));
    squares += value * value;
    out.add(first + found_[begin], value);
  }
  const double scale = 1 / std::sqrt(squares);
  for (std::size_t i = written; i < out.values.size(); ++i) {
    out.values[i] = static_cast<float>(out.values[i] * scale);
  }
}

}  // namespace frugal::gnn
