#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/tables/piece_reader.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/table_rows.h"
#include "tools/gnn-sample/formats/edge_text_options.h"

namespace frugal::gnn {

/// The columns of lines of edges, from 0.
struct EdgeColumns {
  TableForm form = {.style = {' ', false}, .lines = true};
  std::size_t source = 0, target = 1;
  std::optional<std::size_t> weight, time;
  bool dates = false;          ///< times are dates
  WholeIds whole;              ///< where ids are names
  std::uint64_t first_id = 0;  ///< the lowest id: 0, or 1 as in Matrix Market
};

/// Numbers in a first line "nodes edges".
struct EdgeCounts {
  std::uint64_t nodes = 0, edges = 0;
};

/// Layout of edges in text, told by the first lines.
struct EdgeLayout {
  bool empty = true;  ///< there are no lines
  EdgeColumns columns;
  std::uint64_t line = 0;            ///< the number of the first one
  std::optional<EdgeCounts> counts;  ///< of the first line, if it may be these and not an edge
  bool may_be_edge = false;          ///< the line of counts, too
  std::optional<EdgeCounts> first;   ///< numbers of a first edge between names of one type
};

/// Finds the columns: those that the options name, else those that a header names, else the first
/// two. Fails (usage or bad_input) where one is not there; warns of columns that are not read.
EdgeLayout edge_layout(PieceReader& reader, const EdgeTextOptions& options);

/// Columns of the two ends of an edge.
struct EdgeEnds {
  std::size_t source = 0, target = 1;
};
/// Columns with usual names of ends: source and target, from and to and the like.
std::optional<EdgeEnds> named_ends(const TableRow& names);

/// True if the first lines have a column of that name, or of that number from 1 on.
bool has_edge_column(PieceReader& reader, const EdgeTextOptions& options,
                     const std::string& column);

/// Tells by the first lines whether ids are whole numbers.
WholeIds whole_ids(PieceReader& reader, const EdgeTextOptions& options);

}  // namespace frugal::gnn
