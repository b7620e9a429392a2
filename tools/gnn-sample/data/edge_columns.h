#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/io/piece_reader.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/table_rows.h"

namespace frugal::gnn {

struct EdgeTextOptions;

/// The columns of lines of edges, from 0.
struct EdgeColumns {
  TableForm form = {.style = {' ', false}, .lines = true};
  std::size_t source = 0, target = 1;
  std::optional<std::size_t> weight, time;
  bool dates = false;          ///< times are dates
  bool whole_names = false;    ///< names are whole numbers: 7, 7.0 and 007 are one
  std::uint64_t first_id = 0;  ///< the lowest id: 0, or 1 as in Matrix Market
};

/// What a first line "nodes edges" says.
struct EdgeCounts {
  std::uint64_t nodes = 0, edges = 0;
};

/// What the first lines of edges in text say of all of them.
struct EdgeLayout {
  bool empty = true;  ///< there are no lines
  EdgeColumns columns;
  std::uint64_t line = 0;            ///< the number of the first one
  std::optional<EdgeCounts> counts;  ///< of the first line, if it may be these and not an edge
  bool may_be_edge = false;          ///< the line of counts, too
};

/// Finds the columns: those that the options name, else those that a header names, else the first
/// two. Fails (usage or bad_input) where one is not there; warns of columns that are not read.
EdgeLayout edge_layout(PieceReader& reader, const EdgeTextOptions& options);

/// Columns of the two ends of an edge.
struct EdgeEnds {
  std::size_t source = 0, target = 1;
};
/// Those that have usual names of ends: source and target, from and to and the like.
std::optional<EdgeEnds> named_ends(const TableRow& names);

/// Whether all ids in the first lines are whole numbers.
bool has_whole_ids(PieceReader& reader, const EdgeTextOptions& options);

/// A date in seconds since 1970, as times of edges are kept; nothing where the text is none.
std::optional<double> parse_date(std::string_view text);

/// The form of lines as in the head.
TableForm form_of(const TableHead& head, bool is_header);

}  // namespace frugal::gnn
