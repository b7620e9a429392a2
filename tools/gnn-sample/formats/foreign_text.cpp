#include "tools/gnn-sample/formats/foreign_text.h"

#include "libcore/base/error.h"
#include "libcore/tables/text_kind.h"

namespace frugal::gnn {

void refuse_foreign_text(PieceReader& reader) {
  const std::string_view head = reader.head();
  const TextKind kind = text_kind(head);
  // graph6, sparse6 and digraph6 begin so.
  const bool packed = head.starts_with(">>");
  if (kind == TextKind::table && !packed) return;
  const FileKind& found = description(packed ? TextKind::gml : kind);
  fail(ExitStatus::bad_input, reader.name(), ": is ", packed ? "a graph6 file" : found.name,
       ", expected a table; ", found.way_in);
}

}  // namespace frugal::gnn
