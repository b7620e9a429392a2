#pragma once
#include <string_view>

#include "libcore/streams/file_kind.h"

namespace frugal {

/// Texts that are no tables.
enum class TextKind { table, json, json_lines, graphml, gexf, gml, pajek, xml };

/// Tells by the first bytes of a text. A table, unless it begins like one of the others.
TextKind text_kind(std::string_view head);
/// Name of a kind, and how its owner makes a table of it.
const FileKind& description(TextKind kind);

}  // namespace frugal
