#include "libcore/tables/text_kind.h"

#include <array>

#include "libcore/base/text.h"
#include "libcore/tables/json_head.h"

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

/// The next line of `text` that is not blank, which is taken from it.
std::string_view next_line(std::string_view& text) {
  text = trim(text);
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size());
  return trim(line);
}

/// Whether there is an object on the first line, or on the two after a first line that is broken:
/// objects of one document have a comma between them. One broken line makes no other format.
bool is_json_lines(std::string_view head) {
  const std::string_view first = next_line(head);
  if (first.starts_with('{') && first.ends_with('}') && (head.empty() || is_json_object(first))) {
    return true;
  }
  const std::string_view second = next_line(head);
  if (first.ends_with('}') && second.starts_with('{')) return true;
  return first.starts_with('{') && is_json_object(second) && is_json_object(next_line(head));
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
