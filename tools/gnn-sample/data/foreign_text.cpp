#include "tools/gnn-sample/data/foreign_text.h"

#include "libcore/base/error.h"
#include "libcore/tables/text_kind.h"

namespace frugal::gnn {

void refuse_foreign_text(PieceReader& reader) {
  const TextKind kind = text_kind(reader.head());
  if (kind == TextKind::table) return;
  const FileKind& found = description(kind);
  fail(ExitStatus::bad_input, reader.name(), ": is ", found.name,
       ", expected a table; make one of it with: ", found.way_in);
}

}  // namespace frugal::gnn
