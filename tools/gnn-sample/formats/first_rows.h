#pragma once
#include <functional>
#include <span>
#include <string>

#include "libcore/tables/piece_reader.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/table_rows.h"

namespace frugal::gnn {

/// Reads the first rows of a table: lines, or objects of JSON Lines. strict_tabs: as in
/// line_head(). Fails (bad_input), with the way in, if the text is a graph or another document.
TableHead first_rows(PieceReader& reader, bool strict_tabs);

/// Fails (bad_input), with the way in, if the first rows of edges are an adjacency matrix: a square
/// of 0 and 1, or rows that begin with the names of the header in their order.
void refuse_adjacency_matrix(const TableHead& head, bool is_header, const std::string& path);

/// Makes names in a comment before the first row the header, as numpy.savetxt writes them, if
/// is_known() is true for one of them, and for no field of the first row.
bool take_comment_names(const std::function<bool(const std::string&)>& is_known, TableHead& head);

/// The form of a table that begins as `head`. used: columns of JSON Lines with a use; values of the
/// others may be lists and objects.
TableForm form_of(const TableHead& head, bool is_header, std::span<const std::size_t> used);

/// The form of a table with rows of nodes. Where fields are separated, rows are no comments,
/// whatever they begin with, and fields may have line ends in quotes; blanks around fields remain.
TableForm form_of_rows(const TableHead& head, bool is_header, std::span<const std::size_t> used);

}  // namespace frugal::gnn
