#include "tools/sparse-train/data/json_records.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/json_text.h"

namespace frugal::sparse {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (const Json& part : value) {
    if (!text.empty()) text += kListSeparator;
    text += text_of(part);
  }
  return text;
}

}  // namespace

void split_json(std::string_view record, const std::vector<std::string>& header, TableRow& fields) {
  const Json object = parse_json<Json>(record, "");
  if (!object.is_object()) {
    fail(ExitStatus::bad_input, "found '", printable(record, 40),
         "', expected a JSON object a line");
  }
  fields.clear();
  for (const std::string& name : header) {
    const auto value = object.find(name);
    fields.push_back(value == object.end() ? "" : text_of(*value));
  }
}

std::vector<TableRow> first_json_rows(std::string_view head) {
  std::vector<TableRow> rows(1);
  std::vector<std::string_view> lines = split(head, '\n');
  if (lines.size() > TableHead::kMostRows) lines.resize(TableHead::kMostRows);
  std::unordered_set<std::string> names;
  std::vector<std::string_view> records;
  for (const std::string_view line : lines) {
    const auto object = find_json<nlohmann::ordered_json>(line);
    if (!object || !object->is_object()) continue;
    records.push_back(line);
    for (const auto& [name, value] : object->items()) {
      if (rows[0].size() < kMostColumns && names.insert(name).second) rows[0].push_back(name);
    }
  }
  TableRow fields;
  for (const std::string_view record : records) {
    split_json(record, rows[0], fields);
    rows.push_back(fields);
  }
  return rows;
}

}  // namespace frugal::sparse
