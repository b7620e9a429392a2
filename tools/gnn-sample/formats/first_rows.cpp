#include "tools/gnn-sample/formats/first_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/json_rows.h"
#include "libcore/tables/text_kind.h"

namespace frugal::gnn {

namespace {

/// The first rows of a text whose first row goes on in the next line, within quotes; nothing for
/// others. Spreadsheets write such names of columns.
std::optional<TableHead> rows_with_quotes(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  if (std::count(line.begin(), line.end(), '"') % 2 == 0) return std::nullopt;
  for (const char separator : {',', ';', '\t', '|'}) {
    TableHead found = record_head(head, {separator, /*quotes=*/true}, /*is_whole=*/false);
    const auto is_alike = [&](const TableRow& row) { return row.size() == found.first().size(); };
    const bool fits = found.rows.size() > 1 && found.first().size() > 1 &&
                      std::all_of(found.rows.begin(), found.rows.end(), is_alike);
    if (fits) return found;
  }
  return std::nullopt;
}

}  // namespace

TableHead first_rows(PieceReader& reader, bool strict_tabs) {
  const std::string_view head = reader.head();
  const TextKind kind = text_kind(head);
  if (kind == TextKind::json_lines) return json_head(reader);
  // graph6, sparse6 and digraph6 begin so.
  const bool packed = head.starts_with(">>");
  if (kind == TextKind::table && !packed) {
    if (auto quoted = rows_with_quotes(head)) return *std::move(quoted);
    return line_head(reader, strict_tabs);
  }
  const FileKind& found = description(packed ? TextKind::gml : kind);
  fail(ExitStatus::bad_input, reader.name(), ": is ", packed ? "a graph6 file" : found.name,
       ", expected a table; ", found.way_in);
}

bool take_comment_names(const std::function<bool(const std::string&)>& is_known, TableHead& head) {
  if (head.json || head.comment_names.size() < 2) return false;
  if (std::ranges::any_of(head.first(), is_known)) return false;
  if (std::ranges::none_of(head.comment_names, is_known)) return false;
  head.rows.insert(head.rows.begin(), head.comment_names);
  head.line = head.comment_line;
  return true;
}

TableForm form_of(const TableHead& head, bool is_header, std::span<const std::size_t> used) {
  if (head.json) {
    auto columns = std::make_shared<JsonColumns>(head.first());
    columns->read_only(used);
    return json_form(std::move(columns));
  }
  TableForm form;
  form.style = {head.separator, head.separator != ' '};
  form.lines = true;
  form.header_line = is_header ? head.line : 0;
  if (is_header) form.header = head.first();
  form.num_columns = head.empty() ? 0 : head.first().size();
  form.model_line = head.line;
  return form;
}

TableForm form_of_rows(const TableHead& head, bool is_header, std::span<const std::size_t> used) {
  TableForm form = form_of(head, is_header, used);
  if (head.json || head.empty() || head.separator == ' ') return form;
  form.lines = false;
  form.header_line = is_header ? head.line : head.line - 1;
  return form;
}

}  // namespace frugal::gnn
