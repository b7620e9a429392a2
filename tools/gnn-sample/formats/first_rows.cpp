#include "tools/gnn-sample/formats/first_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
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

/// True for the rows of an adjacency matrix: those of a square of 0 and 1. A list of edges with
/// weights, which are few columns, has loops then.
bool is_square(std::span<const TableRow> rows) {
  constexpr std::size_t kManyColumns = 6;
  const std::size_t width = rows.empty() ? 0 : rows.front().size();
  if (width < 3 || rows.size() != width) return false;
  for (std::size_t r = 0; r < width; ++r) {
    const auto is_bit = [](const std::string& field) {
      const auto number = parse_finite<double>(field);
      return number && (*number == 0 || *number == 1);
    };
    if (rows[r].size() != width || !std::ranges::all_of(rows[r], is_bit)) return false;
    if (width < kManyColumns && parse_finite<double>(rows[r][r]) != 0.0) return false;
  }
  return true;
}

/// True if each row begins with the name that the header has for its column, as pandas writes an
/// adjacency matrix.
bool repeats_header(const TableHead& head) {
  const TableRow& names = head.first();
  if (names.size() < 3 || head.rows.size() < 3) return false;
  for (std::size_t r = 1; r < head.rows.size(); ++r) {
    const TableRow& row = head.rows[r];
    if (row.size() != names.size() || r >= names.size() || row[0] != names[r]) return false;
  }
  return head.rows.size() == names.size() || head.rows.size() > TableHead::kMostRows / 2;
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

void refuse_adjacency_matrix(const TableHead& head, bool is_header, const std::string& path) {
  if (head.json) return;
  const bool is_named = is_header && repeats_header(head);
  if (!is_named && !is_square(std::span(head.rows).subspan(is_header ? 1 : 0))) return;
  fail(ExitStatus::bad_input, path, ": is an adjacency matrix, expected an edge a line; ",
       is_named ? "networkx.from_pandas_adjacency(pandas.read_csv(FILE, index_col=0)) and "
                  "write_edgelist(graph, OUT, delimiter='\\t', data=False) make one"
                : "scipy.io.mmwrite('OUT.mtx', scipy.sparse.coo_matrix(numpy.loadtxt(FILE))) makes "
                  "a file that import reads (--columns 1:source,2:target: it is a list of edges)");
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
