#include "libcore/tables/text_kind.h"

#include <array>

#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::string_view kFromNetworkX =
    "networkx can read it, and write_edgelist(graph, OUT, delimiter='\\t', data=False) makes a "
    "table";

constexpr std::array<FileKind, 8> kDescriptions{
    {{"a table", ""},
     {"a JSON document", "pandas.read_json(FILE).to_csv(OUT, index=False)"},
     {"JSON Lines", "pandas.read_json(FILE, lines=True).to_csv(OUT, index=False)"},
     {"a GraphML file", "gnn-sample import reads it"},
     {"a GEXF file", kFromNetworkX},
     {"a GML file", kFromNetworkX},
     {"a Pajek file", kFromNetworkX},
     {"an XML document", "write its records as CSV"}}};

constexpr std::size_t kLooked = 4096;  ///< bytes that are searched for words of other formats

bool has_words(std::string_view line, std::string_view first, std::string_view second) {
  line = trim(line);
  if (!line.starts_with(first)) return false;
  return trim(line.substr(first.size())).starts_with(second);
}

/// True for "{...}" on one line, followed by another such line or nothing.
bool is_json_lines(std::string_view head) {
  const std::size_t end = head.find('\n');
  const std::string_view line = trim(head.substr(0, end));
  const std::string_view rest = end == std::string_view::npos ? "" : trim(head.substr(end));
  return line.starts_with('{') && line.ends_with('}') && (rest.empty() || rest.starts_with('{'));
}

bool is_json(std::string_view head) {
  const std::string_view inside = trim(head.substr(1));
  if (head.starts_with('{')) return inside.starts_with('"') || inside.starts_with('}');
  return head.starts_with('[') && (inside.starts_with('{') || inside.starts_with('['));
}

}  // namespace

TextKind text_kind(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return TextKind::table;
  head.remove_prefix(begin);
  // An object may be long, its first line, too.
  if (is_json(head)) return is_json_lines(head) ? TextKind::json_lines : TextKind::json;
  head = head.substr(0, kLooked);
  if (head.starts_with("<?xml") || head.starts_with("<graphml") || head.starts_with("<gexf")) {
    if (head.find("<graphml") != std::string_view::npos) return TextKind::graphml;
    if (head.find("<gexf") != std::string_view::npos) return TextKind::gexf;
    return TextKind::xml;
  }
  if (head.starts_with("Creator ") || head.starts_with("graph")) {
    const std::size_t graph = head.starts_with("graph") ? 0 : head.find("\ngraph");
    if (graph != std::string_view::npos && has_words(head.substr(graph), "graph", "[")) {
      return TextKind::gml;
    }
  }
  for (const std::string_view word : {"*Vertices", "*vertices", "*Network", "*network"}) {
    if (head.starts_with(word)) return TextKind::pajek;
  }
  return TextKind::table;
}

const FileKind& description(TextKind kind) { return kDescriptions[static_cast<std::size_t>(kind)]; }

}  // namespace frugal
