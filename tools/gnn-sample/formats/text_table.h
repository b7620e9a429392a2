#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/table_rows.h"
#include "tools/gnn-sample/formats/edge_columns.h"
#include "tools/gnn-sample/formats/first_rows.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {

/// Columns of a text that are read.
struct TableColumns {
  TableHead head;
  bool whole_lines = false;  ///< a single column: the whole line, even if empty
  bool has_header = false;
  std::vector<std::size_t> wanted;
  std::optional<std::size_t> id;    ///< column of node ids
  std::vector<std::size_t> unread;  ///< columns not read that may be ids

  TableForm form() const {
    std::vector<std::size_t> used(wanted);
    used.insert(used.end(), unread.begin(), unread.end());
    if (id) used.push_back(*id);
    if (!whole_lines) return form_of_rows(head, has_header, used);
    TableForm form = form_of(head, has_header, used);
    form.style = DelimitedStyle::lines();
    form.empty_rows = true;
    form.num_columns = 1;
    return form;
  }
};

/// True if the first line is a header: if `column` or an id column of `rows` is among its names,
/// otherwise by its look. In doubt, logs what is assumed of `path`. A single column must be named
/// `column` or usually for `role`.
bool names_columns(const TableHead& head, const std::string& column, std::optional<ColumnRole> role,
                   const RowNodes* rows, const std::string& path);
/// Finds the column with that name, or number from 1. For "", the one with a usual name for the
/// role, if the first line is a header; otherwise nothing.
std::optional<std::size_t> pick_column(const TableHead& head, bool header,
                                       const std::string& column, std::optional<ColumnRole> role,
                                       const std::string& place);

/// Sets the column of ids, and the columns not read that may be ids. rows: null if rows are always
/// in the order of the nodes. Fails (usage) as RowNodes::find().
void find_ids(RowNodes* rows, std::optional<std::size_t> read, TableColumns& columns);

/// Values parsed from a piece of text.
template <class T>
struct ColumnValues {
  std::vector<T> values;  ///< of the wanted columns, row by row
  RowIds ids;
  std::vector<std::string_view> unread;  ///< fields of the unread columns, row by row
  std::deque<std::string> texts;         ///< fields that are not in the text literally
};

/// Makes names of columns in a comment before the first row the header, as numpy.savetxt writes
/// them, if the user names one of them or, between separators, a name is usual for the role.
bool find_comment_names(const std::string& column, std::optional<ColumnRole> role,
                        const RowNodes* rows, TableHead& head);

/// Detects unread columns of ids: columns whose rows are all different and all numbers or names of
/// nodes.
class IdSuspicion {
 public:
  IdSuspicion(const RowNodes* rows, const TableColumns& columns);
  void add(const std::vector<std::string_view>& fields);
  /// Fails (usage) if a column is one of ids.
  void finish() const;

 private:
  const RowNodes* rows_;
  const TableColumns& columns_;
  /// of each unread column; nothing if it cannot be ids
  std::vector<std::optional<HashIndex>> seen_;
  std::size_t num_rows_ = 0;
};

/// Calls convert(field) for the wanted fields of each line of a piece. Empty lines count if lines
/// are fields.
template <class T, class Convert>
void parse_columns(const TextPiece& piece, const std::string& name, const TableColumns& columns,
                   const RowNodes* rows, const Convert& convert, ColumnValues<T>& out) {
  out = {};
  TableRows lines(columns.form(), name);
  for_each_row(lines, piece, [&] {
    const auto& fields = lines.fields();
    if (columns.whole_lines) return out.values.push_back(convert(lines.row()));
    const auto kept = [&](std::size_t c) {
      return kept_field(trim(fields[c]), lines.row(), out.texts);
    };
    for (const std::size_t c : columns.wanted) out.values.push_back(convert(kept(c)));
    for (const std::size_t c : columns.unread) out.unread.push_back(kept(c));
    if (columns.id) rows->parse(kept(*columns.id), out.ids);
  });
}

/// Reads the wanted fields of all lines, row by row. Calls convert(field) on all threads, and
/// take(values) in order while the text exists. Adds the ids to `rows`. Fails (usage) if an unread
/// column is of ids.
template <class T, class Convert, class Take>
void read_columns(PieceReader& reader, const TableColumns& columns, RowNodes* rows,
                  const Convert& convert, const Take& take) {
  IdSuspicion suspicion(rows, columns);
  const TableForm form = columns.form();
  if (!form.lines) reader.set_style(form.style);
  read_pieces<ColumnValues<T>>(
      reader,
      [&](const TextPiece& piece, ColumnValues<T>& out) {
        parse_columns(piece, reader.name(), columns, rows, convert, out);
      },
      [&](ColumnValues<T>& piece) {
        if (columns.id) rows->take(piece.ids);
        suspicion.add(piece.unread);
        take(piece.values);
      });
  if (columns.id) rows->check_distinct();
  suspicion.finish();
}

}  // namespace frugal::gnn
