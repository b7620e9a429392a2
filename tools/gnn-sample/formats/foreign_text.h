#pragma once
#include "libcore/tables/piece_reader.h"

namespace frugal::gnn {

/// Fails (bad_input), with the way in, where a text is of a format of graphs or records and no
/// table.
void refuse_foreign_text(PieceReader& reader);

}  // namespace frugal::gnn
