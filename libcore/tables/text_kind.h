#pragma once
#include <string_view>

#include "libcore/streams/file_kind.h"

namespace frugal {

/// Kinds of texts: tables, and formats that are not tables.
enum class TextKind {
  table,
  json,
  json_lines,
  graphml,
  gexf,
  gml,
  pajek,
  lgl,
  dimacs,
  xml,
  vowpal_wabbit,
  drawn,
  json_commas,
  python_dicts,
  arff,
  json_lists,
  double_colons,
  lfs_pointer
};

/// Recognises a text by its first bytes: a table unless it begins like another format.
TextKind text_kind(std::string_view head);
/// Name of a kind, and how to convert it to a table.
const FileKind& description(TextKind kind);

}  // namespace frugal
