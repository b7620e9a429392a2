#include "libcore/tables/json_rows.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

[[noreturn]] void refuse_nested(std::string_view name, JsonValueKind kind) {
  const bool is_object = kind == JsonValueKind::nested;
  fail(ExitStatus::bad_input, "'", printable(name), "' is ",
       is_object ? "an object or a list of such" : "a list",
       ", expected a text, a number, true, false or null: give its parts names of their own, or "
       "ignore the column (--columns)");
}

}  // namespace

JsonColumns::JsonColumns(std::vector<std::string> names, bool allows_lists)
    : names_(std::move(names)), is_read_(names_.size(), true), allows_lists_(allows_lists) {
  for (std::size_t c = 0; c < names_.size(); ++c) columns_.emplace(names_[c], c);
}

void JsonColumns::read_only(std::span<const std::size_t> columns) {
  std::fill(is_read_.begin(), is_read_.end(), false);
  for (const std::size_t c : columns) is_read_[c] = true;
}

void JsonColumns::split(std::string_view row, JsonMembers& members,
                        std::vector<std::string_view>& fields) const {
  if (!trim(row).starts_with('{')) {
    fail(ExitStatus::bad_input, "found '", printable(row, 40), "', expected a JSON object a line");
  }
  members.parse(row);
  fields.assign(size(), {});
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto column = columns_.find(members.name(i));
    if (column == columns_.end() || !is_read_[column->second]) continue;
    const JsonValueKind kind = members.kind(i);
    const bool is_field =
        kind == JsonValueKind::plain || (kind == JsonValueKind::list && allows_lists_);
    if (!is_field) refuse_nested(column->first, kind);
    fields[column->second] = members.text(i);
  }
}

}  // namespace frugal
