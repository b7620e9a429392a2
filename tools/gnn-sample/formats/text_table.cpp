#include "tools/gnn-sample/formats/text_table.h"

#include <algorithm>
#include <map>
#include <span>

#include "libcore/base/hash.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/header_guess.h"
#include "libcore/tables/table_columns.h"

namespace frugal::gnn {

namespace {

/// True if the first line of a single column names it: a usual name, or the only one of the first
/// lines that does not recur among texts. The last is logged.
bool names_single_column(const TableHead& head, ColumnRole role, const std::string& path) {
  constexpr std::size_t kFewestRows = 4;
  const std::string& name = head.first()[0];
  std::map<std::string_view, std::size_t> below;
  for (const TableRow& row : std::span(head.rows).subspan(1)) {
    ++below[row.empty() ? std::string_view() : row[0]];
  }
  if (below.empty() || below.contains(name)) return false;
  if (is_usual_name(role, name)) return true;
  const auto is_text_again = [](const auto& one) {
    return one.second > 1 && !parse_number<double>(one.first);
  };
  if (head.rows.size() <= kFewestRows || is_missing(name) ||
      !std::ranges::all_of(below, is_text_again)) {
    return false;
  }
  log_info(path, ": the first row (", name,
           ") is taken as the name of the column (--columns 1:label: it is data)");
  return true;
}

}  // namespace

bool names_columns(const TableHead& head, const std::string& column, std::optional<ColumnRole> role,
                   const RowNodes* rows, const std::string& path) {
  if (head.json) return true;
  const TableRow& first = head.first();
  const auto has = [&](const std::string& name) {
    return !name.empty() && !parse_number<double>(name) &&
           std::find(first.begin(), first.end(), name) != first.end();
  };
  if (has(column)) return true;
  if (first.size() == 1) {
    return column.empty() && role && names_single_column(head, *role, path);
  }
  if (rows != nullptr && std::any_of(rows->id_columns().begin(), rows->id_columns().end(), has)) {
    return true;
  }
  const HeaderGuess guess = guess_header(head.rows);
  if (!guess.is_sure) {
    log_info(path, ": the first row (", joined(first), ") is taken as ",
             guess.is_header ? "names of columns" : "data (--columns NAME:TYPE makes it names)");
  }
  return guess.is_header;
}

bool find_comment_names(const std::string& column, std::optional<ColumnRole> role,
                        const RowNodes* rows, TableHead& head) {
  const bool usual = column.empty() && role && head.separator != ' ';
  return take_comment_names(
      [&](const std::string& name) {
        if (name == column || (usual && is_usual_name(*role, name))) return true;
        return rows != nullptr &&
               std::ranges::find(rows->id_columns(), name) != rows->id_columns().end();
      },
      head);
}

std::optional<std::size_t> pick_column(const TableHead& head, bool header,
                                       const std::string& column, std::optional<ColumnRole> role,
                                       const std::string& place) {
  const TableRow& first = head.first();
  if (!column.empty()) return ColumnNames(first, first.size(), place).find(column);
  return header && role ? find_role(*role, first) : std::nullopt;
}

void find_ids(RowNodes* rows, std::optional<std::size_t> read, TableColumns& columns) {
  if (rows == nullptr || columns.whole_lines) return;
  columns.id = rows->find(columns.head.first(), columns.has_header, read);
  if (!read || columns.id || !rows->suspicious()) return;
  for (std::size_t c = 0; c < columns.head.first().size(); ++c) {
    if (c != *read) columns.unread.push_back(c);
  }
}

IdSuspicion::IdSuspicion(const RowNodes* rows, const TableColumns& columns)
    : rows_(rows), columns_(columns) {
  for (std::size_t c = 0; c < columns.unread.size(); ++c) seen_.emplace_back(std::in_place);
}

void IdSuspicion::add(const std::vector<std::string_view>& fields) {
  const std::size_t width = seen_.size();
  if (width == 0) return;
  for (std::size_t c = 0; c < width; ++c) {
    for (std::size_t i = c; seen_[c] && i < fields.size(); i += width) {
      const std::uint32_t known = seen_[c]->size();
      const bool is_new =
          rows_->may_be_id(fields[i]) && seen_[c]->insert(hash_bytes(fields[i])) == known;
      if (!is_new) seen_[c].reset();
    }
  }
  num_rows_ += fields.size() / width;
}

void IdSuspicion::finish() const {
  if (num_rows_ < kFewestSuspicious) return;
  for (std::size_t c = 0; c < seen_.size(); ++c) {
    if (!seen_[c]) continue;
    const std::string number = std::to_string(columns_.unread[c] + 1);
    const bool named = columns_.has_header;
    const std::string name = named ? columns_.head.first()[columns_.unread[c]] : number;
    rows_->refuse((named ? "column '" + printable(name) + "'" : "column " + number) +
                      ", which is different in all rows,",
                  name);
  }
}

}  // namespace frugal::gnn
