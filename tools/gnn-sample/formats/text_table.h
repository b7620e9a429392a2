#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/table_rows.h"
#include "tools/gnn-sample/formats/edge_columns.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {

/// Which columns of a text are wanted.
struct TableColumns {
  TableHead head;
  bool whole_lines = false;  ///< one column: the line, be it empty
  bool has_header = false;
  std::vector<std::size_t> wanted;
  std::optional<std::size_t> id;    ///< of the nodes of the rows
  std::vector<std::size_t> unread;  ///< that might be ids

  TableForm form() const {
    TableForm form = form_of(head, has_header);
    if (!whole_lines) return form;
    form.style = DelimitedStyle::lines();
    form.empty_rows = true;
    form.num_columns = 1;
    return form;
  }
};

/// Whether the first line names columns: it does where `column` or one of the ids of `rows` is
/// among them, else by what it is; where that may be either, what is assumed of `path` is said. A
/// single column has the name `column` or a usual one of `role`.
bool names_columns(const TableHead& head, const std::string& column, std::optional<ColumnRole> role,
                   const RowNodes* rows, const std::string& path);
/// The column of that name or number, from 1; where it is "", the one whose name is usual for the
/// role, if the first line is a header; else nothing.
std::optional<std::size_t> pick_column(const TableHead& head, bool header,
                                       const std::string& column, std::optional<ColumnRole> role,
                                       const std::string& place);

/// Sets the column of ids, and which columns might be ids though they are not read. `rows`: null
/// where rows are in the order of the nodes in any case. Fails (usage) as RowNodes::find().
void find_ids(RowNodes* rows, std::optional<std::size_t> read, TableColumns& columns);

/// What a piece of a text gives.
template <class T>
struct ColumnValues {
  std::vector<T> values;  ///< the wanted columns, row by row
  RowIds ids;
  std::vector<std::string_view> unread;  ///< row by row
  std::deque<std::string> texts;         ///< fields that do not stand in the text as they are
};

/// Whether unread columns are ids: all rows have another number, or name of a node.
class IdSuspicion {
 public:
  IdSuspicion(const RowNodes* rows, const TableColumns& columns);
  void add(const std::vector<std::string_view>& fields);
  /// Fails (usage) where one is.
  void finish() const;

 private:
  const RowNodes* rows_;
  const TableColumns& columns_;
  std::vector<std::optional<HashIndex>> seen_;  ///< of each unread column; none: no ids
  std::size_t num_rows_ = 0;
};

/// Calls convert(field) for the wanted fields of each line of a piece. Lines that are empty count
/// where lines are fields.
template <class T, class Convert>
void parse_columns(const TextPiece& piece, const std::string& name, const TableColumns& columns,
                   const RowNodes* rows, const Convert& convert, ColumnValues<T>& out) {
  out = {};
  TableRows lines(columns.form(), name);
  for_each_row(lines, piece, [&] {
    const auto& fields = lines.fields();
    if (columns.whole_lines) return out.values.push_back(convert(lines.row()));
    const auto kept = [&](std::size_t c) { return kept_field(fields[c], lines.row(), out.texts); };
    for (const std::size_t c : columns.wanted) out.values.push_back(convert(kept(c)));
    for (const std::size_t c : columns.unread) out.unread.push_back(kept(c));
    if (columns.id) rows->parse(kept(*columns.id), out.ids);
  });
}

/// The wanted fields of all lines, row by row: convert(field) on all threads, take(values) in
/// order, while the text is there. `rows` gets the ids. Fails (usage) where an unread column is of
/// ids.
template <class T, class Convert, class Take>
void read_columns(PieceReader& reader, const TableColumns& columns, RowNodes* rows,
                  const Convert& convert, const Take& take) {
  IdSuspicion suspicion(rows, columns);
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
