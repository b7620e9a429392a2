#include "libcore/tables/json_head.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_text.h"

namespace frugal {
namespace {

/// Limit of fields in a head: short objects beside one with many names would fill the memory.
constexpr std::size_t kMostFields = std::size_t{1} << 20;

/// Parses a line; false if it is not an object.
bool parse_object(std::string_view line, JsonMembers& members) {
  if (!trim(line).starts_with('{')) return false;
  try {
    members.parse(line);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

bool is_json_object(std::string_view line) {
  JsonMembers members;
  return parse_object(line, members);
}

TableHead json_head(std::string_view head, const std::string& name) {
  TableHead out;
  out.separator = ',';
  out.json = true;
  JsonMembers members;
  std::unordered_map<std::string, std::size_t> columns;
  TableRow names;
  std::vector<std::string_view> objects;
  for (std::uint64_t line = 1; !head.empty() && line <= TableHead::kMostRows; ++line) {
    const std::string_view text = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(text.size() + 1, head.size()));
    if (!parse_object(text, members)) continue;
    if (objects.empty()) out.line = line;
    objects.push_back(text);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool is_new = columns.emplace(members.name(i), names.size()).second;
      if (is_new) names.emplace_back(members.name(i));
    }
    check_num_columns(names.size(), name);
  }
  if (names.empty()) return out;
  objects.resize(std::min(objects.size(), std::max<std::size_t>(kMostFields / names.size(), 1)));
  out.rows.push_back(std::move(names));
  for (const std::string_view object : objects) {
    members.parse(object);
    TableRow& row = out.rows.emplace_back(columns.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      row[columns.at(std::string(members.name(i)))] = members.text(i);
    }
  }
  return out;
}

TableHead json_head(PieceReader& reader) {
  for (std::string_view head = reader.head();;) {
    TableHead rows = json_head(head, reader.name());
    if (!rows.empty()) return rows;
    const std::size_t before = head.size();
    head = reader.longer_head();
    if (head.size() > before) continue;
    refuse_no_objects(reader.name(), head);
  }
}

void refuse_no_objects(const std::string& name, std::string_view head) {
  std::string_view first = trim(head);
  const auto lines_before =
      std::count(head.begin(), head.begin() + (first.data() - head.data()), '\n');
  first = first.substr(0, first.find('\n'));
  if (first.starts_with('{') && trim(first).ends_with('}')) {
    try {
      JsonMembers().parse(first);
    } catch (const Error& error) {
      fail(error.status(), name, ":", lines_before + 1, ": ", error.what());
    }
  }
  fail(ExitStatus::bad_input, name, ": begins with '", printable(first, 40),
       "', expected a JSON object a line, whose names are columns");
}

std::string csv_text(std::span<const TableRow> rows) {
  std::string text;
  for (const TableRow& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string& field = row[c];
      const bool has_quotes = field.find_first_of(",\"\r\n") != std::string::npos;
      if (c > 0) text += ',';
      if (has_quotes) text += '"';
      for (const char character : field) text.append(character == '"' ? 2 : 1, character);
      if (has_quotes) text += '"';
    }
    text += '\n';
  }
  return text;
}

void warn_of_missing_columns(const std::string& input, std::span<const std::string> lacking,
                             std::span<const std::string> names) {
  if (lacking.empty()) return;
  log_warning(input, ": the first objects lack columns of the model, whose values are missing: ",
              joined(lacking), "; they have ", joined(names));
}

void check_json_options(const std::string& header, const std::string& separator,
                        const std::string& input) {
  const char* const given = header != "auto"      ? "--header"
                            : separator != "auto" ? "--separator"
                                                  : nullptr;
  if (given == nullptr) return;
  fail(ExitStatus::usage, input, ": is JSON Lines, whose objects name the columns: leave out ",
       given);
}

}  // namespace frugal
