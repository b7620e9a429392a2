#include "libcore/tables/text_kind.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/tables/json_head.h"

namespace frugal {
namespace {

constexpr std::string_view kFromNetworkX =
    "networkx can read it, and write_edgelist(graph, OUT, delimiter='\\t', data=False) makes a "
    "table";

constexpr std::array<FileKind, 18> kDescriptions{
    {{"a table", ""},
     {"a JSON document", "pandas.read_json(FILE).to_csv(OUT, index=False)"},
     {"JSON Lines", "pandas.read_json(FILE, lines=True).to_csv(OUT, index=False)"},
     {"a GraphML file", "gnn-sample import reads it"},
     {"a GEXF file", kFromNetworkX},
     {"a GML file", kFromNetworkX},
     {"a Pajek file", kFromNetworkX},
     {"a graph in LGL's format",
      "igraph can read it, and write_edgelist() or write_ncol() makes a table"},
     {"a DIMACS graph",
      "its lines a SOURCE TARGET WEIGHT or e SOURCE TARGET, without the first "
      "letter and the other lines, are a table"},
     {"an XML document", "write its records as CSV"},
     {"a Vowpal Wabbit file",
      "a column for each feature; sparse-train also reads lines 'label id:value ...'"},
     {"a table drawn with bars and dashes, as in Markdown",
      "sed '/^[-+|: ]*$/d; s/^ *| *//; s/ *| *$//; s/ *| */|/g' FILE > OUT"},
     {"JSON Lines with a comma after each object", "sed 's/,[[:space:]]*$//' FILE > OUT"},
     {"a text of Python dicts, one a line",
      "python3 -c 'import ast, json, sys; [print(json.dumps(ast.literal_eval(line))) for line in "
      "sys.stdin]' < FILE > OUT"},
     {"an ARFF file",
      "sed '1,/^@data/Id; /^%/d' FILE > OUT, which leaves its rows, without names of columns"},
     {"a JSON list of lists", "pandas.read_json(FILE).to_csv(OUT, index=False, header=False)"},
     {"a table with '::' between its fields", "sed 's/::/\\t/g' FILE > OUT"},
     {"a pointer of Git LFS, not the file itself", "git lfs pull"}}};

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
  if (inside.empty()) return head.starts_with('{') || head.starts_with('[');
  if (head.starts_with('{')) return inside.starts_with('"') || inside.starts_with('}');
  return head.starts_with('[') && (inside.starts_with('{') || inside.starts_with('['));
}

/// "1 0.5 'tag|space name:0.3": numbers and a tag, a bar, and the features of a namespace, which
/// stands directly after the bar.
bool is_vowpal_wabbit_line(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos || bar + 1 == line.size()) return false;
  const auto words = split(trim(line.substr(0, bar)), ' ');
  const bool is_tagged = words.back().starts_with('\'');
  const bool stands_apart = bar == 0 || line[bar - 1] == ' ' || is_tagged;
  const bool has_namespace = line[bar + 1] != ' ' && line[bar + 1] != '|';
  return stands_apart && has_namespace &&
         std::all_of(words.begin(), words.end(), [](std::string_view word) {
           return word.empty() || word.starts_with('\'') || parse_finite<double>(word);
         });
}

/// Whether a word is "name:number".
bool has_number(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  return colon != std::string_view::npos && colon > 0 &&
         parse_finite<double>(word.substr(colon + 1)).has_value();
}

bool is_vowpal_wabbit(std::string_view head) {
  constexpr int kLines = 10;
  bool some_numbers = false;
  for (int i = 0; i < kLines; ++i) {
    const std::string_view line = next_line(head);
    if (i > 0 && head.empty()) break;  // may be cut
    if (!is_vowpal_wabbit_line(line)) return false;
    const auto words = split(line.substr(line.find('|')), ' ');
    some_numbers |= std::any_of(words.begin(), words.end(), has_number);
  }
  return some_numbers;
}

/// Whether one of the first two lines is a rule like |---|:-:| or +---+---+ and the other has bars.
bool is_drawn(std::string_view head) {
  const auto is_rule = [](std::string_view line) {
    return line.find_first_not_of("-+|: ") == std::string_view::npos &&
           line.find("---") != std::string_view::npos &&
           line.find_first_of("+|") != std::string_view::npos;
  };
  const auto has_bar = [](std::string_view line) {
    return line.find('|') != std::string_view::npos;
  };
  const std::string_view first = next_line(head);
  const std::string_view second = next_line(head);
  return (is_rule(first) && has_bar(second)) || (is_rule(second) && has_bar(first));
}

/// Whether the first line is an object with a comma after it.
bool has_comma_after_object(std::string_view head) {
  const std::string_view first = next_line(head);
  return first.ends_with(',') && is_json_object(first.substr(0, first.size() - 1));
}

/// True if the first line begins a dict as Python prints it: {'name': ... or, by Python 2,
/// {u'name':
bool is_python_dict(std::string_view head) {
  const std::string_view line = next_line(head);
  const std::string_view start = line.starts_with("{u'") ? "{u'" : "{'";
  if (!line.starts_with(start)) return false;
  const std::size_t end = line.find('\'', start.size());
  return end != std::string_view::npos && line.substr(end + 1).starts_with(": ") &&
         (head.empty() || line.ends_with('}'));
}

/// Two lines at least like "1::1193::5::978300760", as MovieLens has them. The first field has no
/// blanks.
bool has_double_colons(std::string_view head) {
  const bool is_cut = head.size() == kLooked;
  std::size_t expected = 0, lines = 0;
  for (head = trim(head); !head.empty(); ++lines) {
    const std::string_view line = next_line(head);
    if (is_cut && lines > 0 && head.empty()) break;
    const std::size_t first = line.find("::");
    if (first == 0 || first == line.npos || line.find_first_of(" \t,;|\"") < first) return false;
    std::size_t found = 0;
    for (std::size_t at = first; at != line.npos; at = line.find("::", at + 2)) ++found;
    if (expected != 0 && found != expected) return false;
    expected = found;
  }
  return lines > 1 && expected > 1;
}

TextKind json_kind(std::string_view head) {
  if (head.starts_with('[') && trim(head.substr(1)).starts_with('[')) return TextKind::json_lists;
  if (is_json_lines(head)) return TextKind::json_lines;
  return has_comma_after_object(head) ? TextKind::json_commas : TextKind::json;
}

/// "p sp 3 2" or "p edge 3 2", maybe behind comments "c ...".
bool is_dimacs(std::string_view head) {
  std::string_view line = next_line(head);
  while (line == "c" || line.starts_with("c ")) line = next_line(head);
  const std::vector<std::string_view> words = split(line, ' ');
  constexpr std::array<std::string_view, 4> kProblems{"sp", "edge", "col", "max"};
  return words.size() == 4 && words[0] == "p" && std::ranges::count(kProblems, words[1]) == 1 &&
         parse_number<std::uint64_t>(words[2]) && parse_number<std::uint64_t>(words[3]);
}

/// "@relation NAME", maybe behind comments "% ...".
bool is_arff(std::string_view head) {
  std::string_view line = next_line(head);
  while (line.starts_with('%')) line = next_line(head);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  return word == "@relation" || word == "@RELATION" || word == "@Relation";
}

/// A whole number may be a node, in a list of edges with comments.
bool has_fraction(std::string_view word) {
  return word.find('.') != std::string_view::npos && parse_number<double>(word);
}

/// Lines "# SOURCE", each followed by lines "TARGET" or "TARGET WEIGHT"; a target is a source, too.
bool is_lgl(std::string_view head) {
  if (!head.starts_with("# ")) return false;
  const std::size_t whole = head.rfind('\n');
  head = head.substr(0, whole == std::string_view::npos ? 0 : whole + 1);
  std::set<std::string_view> sources, targets;
  while (!trim(head).empty()) {
    const std::vector<std::string_view> words = split(next_line(head), ' ');
    if (words.size() > 2 || (words[0] == "#" && words.size() != 2)) return false;
    if (words[0] == "#") {
      sources.insert(words[1]);
    } else if (words.size() == 1 || has_fraction(words[1])) {
      targets.insert(words[0]);
    } else {
      return false;
    }
  }
  return sources.size() > 1 && std::ranges::any_of(targets, [&](std::string_view target) {
           return sources.contains(target);
         });
}

bool is_gml(std::string_view head) {
  if (!head.starts_with("Creator ") && !head.starts_with("graph")) return false;
  const std::size_t graph = head.starts_with("graph") ? 0 : head.find("\ngraph");
  return graph != std::string_view::npos && has_words(head.substr(graph), "graph", "[");
}

bool is_pajek(std::string_view head) {
  constexpr std::string_view kWords[] = {"*Vertices", "*vertices", "*Network", "*network"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return head.starts_with(word); });
}

}  // namespace

TextKind text_kind(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return TextKind::table;
  head.remove_prefix(begin);
  // An object may be long, its first line, too.
  if (is_json(head)) return json_kind(head);
  if (is_python_dict(head)) return TextKind::python_dicts;
  head = head.substr(0, kLooked);
  if (head.starts_with("version https://git-lfs.github.com/spec/")) return TextKind::lfs_pointer;
  if (has_double_colons(head)) return TextKind::double_colons;
  if (head.starts_with("<?xml") || head.starts_with("<graphml") || head.starts_with("<gexf")) {
    if (head.find("<graphml") != std::string_view::npos) return TextKind::graphml;
    if (head.find("<gexf") != std::string_view::npos) return TextKind::gexf;
    return TextKind::xml;
  }
  if (is_gml(head)) return TextKind::gml;
  if (is_pajek(head)) return TextKind::pajek;
  if (is_dimacs(head)) return TextKind::dimacs;
  if (is_arff(head)) return TextKind::arff;
  if (is_lgl(head)) return TextKind::lgl;
  if (is_vowpal_wabbit(head)) return TextKind::vowpal_wabbit;
  return is_drawn(head) ? TextKind::drawn : TextKind::table;
}

const FileKind& description(TextKind kind) { return kDescriptions[static_cast<std::size_t>(kind)]; }

}  // namespace frugal
