#include "tools/gnn-sample/data/feature_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_text.h"

namespace frugal::gnn {
namespace {

/// A column may have a type here and another one among the edges.
constexpr std::array<ColumnTypeRow, 5> kRows{{{.name = "number", .shared = true},
                                              {.name = "date", .shared = true},
                                              {.name = "category", .splits = true, .shared = true},
                                              {.name = "words", .shared = true},
                                              {.name = "ignore", .shared = true}}};

nlohmann::json json_of(const FeatureColumn& column) {
  nlohmann::json json{{"name", column.name}, {"type", kFeatureTypes.name(column.type)}};
  switch (column.type) {
    case FeatureType::number:
    case FeatureType::date:
      json["mean"] = column.mean;
      json["deviation"] = column.deviation;
      json["marks_missing"] = column.marks_missing;
      break;
    case FeatureType::category:
      json["values"] = column.values;
      json["separator"] = column.separator;
      break;
    case FeatureType::words: json["buckets"] = column.buckets; break;
    case FeatureType::ignore: break;
  }
  return json;
}

FeatureColumn column_of(const nlohmann::json& json) {
  FeatureColumn column;
  column.name = json.at("name").get<std::string>();
  column.type = kFeatureTypes.by_name(json.at("type").get<std::string>());
  switch (column.type) {
    case FeatureType::number:
    case FeatureType::date:
      column.mean = json.at("mean").get<double>();
      column.deviation = json.at("deviation").get<double>();
      column.marks_missing = json.at("marks_missing").get<bool>();
      break;
    case FeatureType::category:
      column.values = json.at("values").get<std::vector<std::string>>();
      column.separator = json.at("separator").get<std::string>();
      break;
    case FeatureType::words: column.buckets = json.at("buckets").get<std::size_t>(); break;
    case FeatureType::ignore: break;
  }
  return column;
}

bool is_valid(const FeatureColumn& column) {
  const bool ascending =
      std::is_sorted(column.values.begin(), column.values.end()) &&
      std::adjacent_find(column.values.begin(), column.values.end()) == column.values.end();
  return std::isfinite(column.mean) && std::isfinite(column.deviation) && column.deviation > 0 &&
         ascending && column.values.size() <= kMostCategories &&
         (column.type == FeatureType::words) == (column.buckets != 0) &&
         column.buckets <= kMostWordColumns;
}

}  // namespace

constexpr ColumnTypes<FeatureType> kFeatureTypes{kRows};

std::size_t FeatureColumn::num_features() const {
  switch (type) {
    case FeatureType::number:
    case FeatureType::date: return marks_missing ? 2 : 1;
    case FeatureType::category: return values.size();
    case FeatureType::words: return buckets;
    case FeatureType::ignore: break;
  }
  return 0;
}

FeatureColumns FeatureColumns::raw(const std::vector<std::string>& names) {
  FeatureColumns raw;
  for (const std::string& name : names) {
    FeatureColumn& column = raw.columns.emplace_back();
    column.name = name;
    column.type = FeatureType::number;
  }
  return raw;
}

bool FeatureColumns::are_raw() const {
  const auto is_raw = [](const FeatureColumn& c) {
    return c.type == FeatureType::number && c.mean == 0 && c.deviation == 1 && !c.marks_missing;
  };
  return !columns.empty() && std::all_of(columns.begin(), columns.end(), is_raw);
}

std::size_t FeatureColumns::num_features() const {
  std::size_t sum = 0;
  for (const FeatureColumn& column : columns) sum += column.num_features();
  return sum;
}

std::string FeatureColumns::text() const {
  nlohmann::json list = nlohmann::json::array();
  for (const FeatureColumn& column : columns) list.push_back(json_of(column));
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

FeatureColumns FeatureColumns::parse(std::string_view text, const std::string& place) {
  const auto json = parse_json<nlohmann::json>(text, place);
  FeatureColumns columns;
  try {
    for (const nlohmann::json& column : json) columns.columns.push_back(column_of(column));
  } catch (const nlohmann::json::exception&) {
    columns.columns.clear();
  } catch (const Error&) {  // of a type
    columns.columns.clear();
  }
  const bool valid = std::all_of(columns.columns.begin(), columns.columns.end(), is_valid);
  if (valid && json.is_array() && columns.columns.size() == json.size()) return columns;
  fail(ExitStatus::bad_input, place, ": '", printable(text, 80),
       "' does not describe columns of features, expected what import wrote");
}

std::vector<std::string> FeatureColumns::summaries() const {
  std::vector<std::string> texts;
  for (const FeatureColumn& column : columns) {
    std::string& text = texts.emplace_back(printable(column.name) + ":");
    text += kFeatureTypes.name(column.type);
    const bool counted = column.type == FeatureType::category || column.type == FeatureType::words;
    if (counted) text += "(" + std::to_string(column.num_features()) + ")";
  }
  return texts;
}

}  // namespace frugal::gnn
