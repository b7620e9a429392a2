#include "tools/gnn-sample/formats/edge_columns.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/header_guess.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/moment.h"
#include "libcore/tables/table_columns.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/formats/first_rows.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {
namespace {

/// Words at the beginning or the end of names of columns, of sources and of targets.
constexpr std::array<std::string_view, 8> kSourceWords{"source", "src",      "from",    "start",
                                                       "citing", "follower", "subject", "sender"};
constexpr std::array<std::string_view, 10> kTargetWords{
    "target", "dst", "dest", "destination", "to", "end", "followee", "object", "cited", "receiver"};

/// "from_user" and "userFrom" -> from, user and user, from, in lower case.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  bool after_lower = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool upper = std::isupper(byte) != 0, letter = std::isalpha(byte) != 0;
    if ((upper && after_lower) || !letter) words.emplace_back();
    if (letter) words.back() += static_cast<char>(std::tolower(byte));
    after_lower = letter && !upper;
  }
  std::erase(words, "");
  return words;
}

template <std::size_t n>
std::optional<std::size_t> find_word(const std::array<std::string_view, n>& known,
                                     const TableRow& names) {
  std::optional<std::size_t> found;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::vector<std::string> words = words_of(names[c]);
    const bool matches = !words.empty() && std::any_of(known.begin(), known.end(), [&](auto word) {
      return words.front() == word || words.back() == word;
    });
    if (matches && found) return std::nullopt;
    if (matches) found = c;
  }
  return found;
}

/// Columns called from and to and the like.
std::optional<EdgeEnds> directed_ends(const TableRow& names) {
  const auto from = find_word(kSourceWords, names), to = find_word(kTargetWords, names);
  if (from && to && from != to) return EdgeEnds{*from, *to};
  return std::nullopt;
}

/// The only column that begins with this word or is called so, as "user", "userId" of users.
std::optional<std::size_t> column_of_type(const std::string& type, const TableRow& names) {
  const std::vector<std::string> wanted = words_of(type);
  std::optional<std::size_t> found;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::vector<std::string> words = words_of(names[c]);
    const bool matches = !wanted.empty() && words.size() >= wanted.size() &&
                         std::equal(wanted.begin(), wanted.end(), words.begin());
    if (matches && found) return std::nullopt;
    if (matches) found = c;
  }
  return found;
}

/// Between types, names of types and of directions tell; "user" may be a source or a target.
std::optional<EdgeEnds> typed_ends(const EdgeTextOptions& options, const TableRow& names) {
  if (options.source_type != options.target_type) {
    const auto source = column_of_type(options.source_type, names);
    const auto target = column_of_type(options.target_type, names);
    if (source && target && source != target) return EdgeEnds{*source, *target};
  }
  return directed_ends(names);
}

/// The columns of the ends by their names; else the first two that are no numbers of rows, but
/// objects, whose names have no order, have no such columns.
EdgeEnds ends_by_name(const EdgeTextOptions& options, const TableRow& names, bool json) {
  const auto named = options.source_type.empty() ? named_ends(names) : typed_ends(options, names);
  if (named) return *named;
  if (json) return {names.size(), names.size()};
  std::vector<std::size_t> left;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (!is_usual_name(ColumnRole::row_id, names[c])) left.push_back(c);
  }
  const bool has_value = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return is_usual_name(ColumnRole::weight, name) || is_usual_name(ColumnRole::time, name);
  });
  return left.size() >= (has_value ? 3U : 2U) ? EdgeEnds{left[0], left[1]} : EdgeEnds{};
}

bool is_declared(const EdgeTextOptions& o, const TableRow& row) {
  for (const auto& column : {o.source_column, o.target_column, o.weight_column, o.time_column}) {
    if (column.empty() || parse_number<double>(column)) continue;
    if (std::find(row.begin(), row.end(), column) != row.end()) return true;
  }
  return false;
}

/// NetworkX writes what it knows of an edge as a dictionary behind the ends: one column.
void join_dictionaries(TableHead& head) {
  if (head.separator != ' ' || head.first().size() < 3 || !head.first()[2].starts_with('{')) return;
  for (TableRow& row : head.rows) row.resize(std::min<std::size_t>(row.size(), 3));
}

/// Blanks separate numbers; tabs do where there are names with blanks in them.
TableHead head_of(PieceReader& reader, bool names) {
  TableHead head = first_rows(reader, true);
  if (head.json) return head;
  const bool blanks = std::any_of(head.rows.begin(), head.rows.end(), [](const TableRow& row) {
    return std::any_of(row.begin(), row.end(),
                       [](const std::string& f) { return f.find(' ') != std::string::npos; });
  });
  const bool uniform = std::all_of(head.rows.begin(), head.rows.end(), [&](const TableRow& row) {
    return row.size() == head.first().size();
  });
  const bool strict = names || (blanks && uniform);
  if (head.separator == '\t' && !strict) head = line_head(reader, false);
  if (!head.empty()) join_dictionaries(head);
  return head;
}

bool has_dates(const TableHead& head, bool header, std::size_t column) {
  const std::size_t row = header ? 1 : 0;
  if (row >= head.rows.size() || column >= head.rows[row].size()) return false;
  const std::string& field = head.rows[row][column];
  return !parse_finite<double>(field) && parse_date(field);
}

bool is_whole(const TableHead& head, bool header, std::size_t column) {
  if (head.rows.size() <= (header ? 1U : 0U)) return false;
  return std::all_of(head.rows.begin() + (header ? 1 : 0), head.rows.end(), [&](const auto& row) {
    return column < row.size() && is_whole_name(row[column]);
  });
}

/// KONECT says in the first line which kind of network follows: "% bip unweighted".
void warn_of_kind(std::string_view text, const EdgeTextOptions& options, const std::string& path) {
  if (text.starts_with("% bip ") && options.source_type.empty()) {
    log_warning(path, ": '% bip' says that sources and targets are of two types: equal ids are ",
                "two nodes; --edges SOURCE:RELATION:TARGET=", path, " keeps them apart");
  } else if (text.starts_with("% sym ") && !options.undirected) {
    log_warning(path, ": '% sym' says that edges have no direction; --undirected stores both");
  }
}

/// The column in which Gephi says Directed or Undirected of each edge.
std::optional<std::size_t> find_gephi_type(const TableHead& head, const TableRow& names) {
  const auto is_kind = [](const TableRow& row, std::size_t c) {
    return c < row.size() && (row[c] == "Directed" || row[c] == "Undirected");
  };
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (names[c] != "Type" && names[c] != "type") continue;
    const bool all = std::all_of(head.rows.begin() + 1, head.rows.end(),
                                 [&](const TableRow& row) { return is_kind(row, c); });
    if (all && head.rows.size() > 1) return c;
  }
  return std::nullopt;
}

void warn_of_gephi_type(const TableHead& head, std::size_t column, const EdgeTextOptions& options,
                        const std::string& path) {
  const bool undirected = std::any_of(head.rows.begin() + 1, head.rows.end(),
                                      [&](const auto& row) { return row[column] == "Undirected"; });
  if (!undirected || options.undirected) return;
  log_warning(path, ": column ", head.first()[column], " says Undirected of edges, which are ",
              "stored in one direction; --undirected stores both");
}

/// True for lines of three words without a header, of which the first two would be an edge: head,
/// relation and tail of a knowledge graph.
bool are_triples(const TableHead& head, const TableRow& names, const EdgeColumns& columns,
                 const EdgeTextOptions& options) {
  if (!names.empty() || head.json || !options.source_column.empty() || columns.target != 1) {
    return false;
  }
  return std::ranges::all_of(head.rows, [](const TableRow& row) {
    return row.size() == 3 && !parse_number<double>(row[2]) && !parse_date(row[2]) &&
           !row[2].starts_with('{');
  });
}

/// Columns of numbers are often what somebody wants to keep.
void warn_of_unread(const TableHead& head, const TableRow& names, const EdgeColumns& columns,
                    const EdgeTextOptions& options, const std::string& path) {
  const std::optional<std::size_t> type = find_gephi_type(head, names);
  if (type) warn_of_gephi_type(head, *type, options, path);
  if (options.weight_column == "none") return;
  std::vector<std::string> unread;
  for (std::size_t c = 0; c < head.first().size(); ++c) {
    if (c == type) continue;
    if (c == columns.source || c == columns.target || c == columns.weight || c == columns.time) {
      continue;
    }
    if (!names.empty() && is_usual_name(ColumnRole::row_id, names[c])) continue;
    unread.push_back(names.empty() ? std::to_string(c + 1) : names[c]);
  }
  if (unread.empty()) return;
  if (are_triples(head, names, columns, options)) {
    log_warning(path,
                ": column 3, which has words, is not read; --columns 1:source,3:target reads ",
                "triples of head, relation and tail; for --edges HEAD:RELATION:TAIL=FILE, a file ",
                "has the triples of one relation");
    return;
  }
  const bool one = unread.size() == 1;
  if (one && !head.json && head.rows.back().back().starts_with('{')) {
    log_warning(path, ": dictionaries of NetworkX are not read; its write_weighted_edgelist() ",
                "keeps weights, none:weight leaves them out");
    return;
  }
  log_warning(path, one ? ": column " : ": columns ", joined(unread), one ? " is" : " are",
              " not read, expected --columns NAME:weight or NAME:time to keep one, or none:weight");
}

/// Finds the numbers of a first line "nodes edges", with one edge at least. If edges have more
/// columns, it is no edge in any case.
void find_counts(const TableHead& head, const EdgeTextOptions& options, EdgeLayout& layout) {
  const EdgeColumns& columns = layout.columns;
  const bool plain = columns.source == 0 && columns.target == 1 && options.header == "auto" &&
                     !options.num_targets && !options.target_names;
  const bool has_names = columns.form.header_line != 0 || head.json;
  if (!plain || has_names || head.first().size() != 2) return;
  const auto nodes = parse_number<std::uint64_t>(head.first()[0]);
  const auto edges = parse_number<std::uint64_t>(head.first()[1]);
  if (!nodes || !edges || *nodes == 0 || *edges == 0) return;
  if (options.names != nullptr) {
    layout.first = EdgeCounts{*nodes, *edges};
    return;
  }
  const std::size_t width = head.rows.size() > 1 ? head.rows[1].size() : 2;
  layout.may_be_edge = width == 2;
  if (width < 2 || (layout.may_be_edge && (columns.weight || columns.time))) return;
  layout.counts = EdgeCounts{*nodes, *edges};
  layout.columns.form.header_line = head.line;
  layout.columns.form.num_columns = width;
}

/// The columns that values stand in, where --columns names them.
std::optional<std::size_t> optional_column(const std::string& column, const ColumnNames& names) {
  if (column.empty() || column == "none") return std::nullopt;
  return names.find(column);
}

/// Names of the columns: the first line's, or those of a comment before it.
struct NamedHead {
  TableHead head;
  bool header = false;
  TableRow names;  ///< or none
};

NamedHead named_head(PieceReader& reader, const EdgeTextOptions& options, bool says_assumption) {
  NamedHead out{head_of(reader, options.names != nullptr), false, {}};
  if (out.head.empty()) return out;
  const TableRow& first = out.head.first();
  if (out.head.json) {
    check_json_options(options.header, "auto", reader.name());
    return {out.head, true, first};
  }
  HeaderGuess guess = guess_header(out.head.rows);
  const bool numbers = first.size() > 1 && parse_whole(first[0]) && parse_whole(first[1]);
  if (is_declared(options, first)) guess = {true, true};
  if (options.names == nullptr && numbers && !guess.is_header) guess.is_sure = true;
  out.header = has_header(options.header, guess);
  if (says_assumption) say_header_assumption(options.header, guess, reader.name(), first);
  out.names = out.header ? first : out.head.comment_names;
  return out;
}

EdgeColumns columns_of(const NamedHead& named, const EdgeTextOptions& options,
                       const std::string& path) {
  const TableHead& head = named.head;
  const std::string place = path + ":" + std::to_string(head.line);
  const std::size_t width = head.first().size();
  const ColumnNames names(named.names, width, place);
  const EdgeEnds ends = ends_by_name(options, named.names, head.json);
  const auto end = [&](const std::string& column, std::size_t standard) {
    if (!column.empty()) return names.find(column);
    if (standard < width) return standard;
    fail(ExitStatus::bad_input, place, ": found ",
         head.json ? joined(head.first()) : format_count(width, "column"),
         ", expected a source and a target",
         head.json ? ", or --columns NAME:source,NAME:target" : "");
  };
  EdgeColumns columns;
  columns.source = end(options.source_column, ends.source);
  columns.target = end(options.target_column, ends.target);
  // Who names one end by the column that stands for the other means the two in turn.
  if (columns.source == columns.target && options.source_column != options.target_column) {
    const bool source_named = !options.source_column.empty();
    if (!source_named) columns.source = ends.target;
    if (source_named && options.target_column.empty()) columns.target = ends.source;
  }
  columns.weight = optional_column(options.weight_column, names);
  columns.time = optional_column(options.time_column, names);
  columns.dates = columns.time && has_dates(head, named.header, *columns.time);
  std::vector<std::size_t> used{columns.source, columns.target};
  if (columns.weight) used.push_back(*columns.weight);
  if (columns.time) used.push_back(*columns.time);
  columns.form = form_of(head, named.header, used);
  if (options.names == nullptr || options.names_as_written) return columns;
  columns.whole = {is_whole(head, named.header, columns.source),
                   is_whole(head, named.header, columns.target)};
  if (options.whole) {
    columns.whole = *options.whole;
  } else if (!options.target_names) {
    // Equal texts are one node, in whichever column: numbers of users beside names of items count.
    columns.whole.sources = columns.whole.targets = columns.whole.sources || columns.whole.targets;
  }
  return columns;
}

}  // namespace

std::optional<EdgeEnds> named_ends(const TableRow& names) {
  const auto source = find_role(ColumnRole::source, names);
  const auto target = find_role(ColumnRole::destination, names);
  if (source && target && source != target) return EdgeEnds{*source, *target};
  return directed_ends(names);
}

EdgeLayout edge_layout(PieceReader& reader, const EdgeTextOptions& options) {
  EdgeLayout layout;
  const NamedHead named = named_head(reader, options, true);
  if (named.head.empty()) return layout;
  if (options.source_column.empty() && options.target_column.empty()) {
    refuse_adjacency_matrix(named.head, named.header, reader.name());
  }
  layout.empty = false;
  layout.line = named.head.line;
  layout.columns = columns_of(named, options, reader.name());
  warn_of_kind(reader.head(), options, reader.name());
  warn_of_unread(named.head, named.names, layout.columns, options, reader.name());
  find_counts(named.head, options, layout);
  return layout;
}

bool has_edge_column(PieceReader& reader, const EdgeTextOptions& options,
                     const std::string& column) {
  const NamedHead named = named_head(reader, options, false);
  if (named.head.empty()) return false;
  if (std::ranges::find(named.names, column) != named.names.end()) return true;
  const auto number = parse_number<std::uint64_t>(column);
  return number && *number <= named.head.first().size();
}

WholeIds whole_ids(PieceReader& reader, const EdgeTextOptions& options) {
  const NamedHead named = named_head(reader, options, false);
  return named.head.empty() ? WholeIds{} : columns_of(named, options, reader.name()).whole;
}

}  // namespace frugal::gnn
