#include "tools/gnn-sample/formats/edge_text.h"

#include <algorithm>
#include <deque>

#include "libcore/base/error.h"
#include "libcore/base/float_loss.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/moment.h"
#include "libcore/tables/skipped_comments.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {
namespace {

/// Edges parsed from a piece of text; reused.
struct ParsedEdges {
  std::vector<NodeId> sources, targets;
  std::vector<float> weights;
  FloatLoss loss;  ///< of the weights
  std::vector<double> times;
  std::vector<std::string_view> names;  ///< source, target, source, ...; views of the text
  std::deque<std::string> texts;        ///< names that are not in the text literally
  NodeId largest = 0;
  std::uint64_t rounded_times = 0;  ///< dates whose last digits are lost
  SkippedComments comments{TableForm()};

  void clear() {
    sources.clear();
    targets.clear();
    weights.clear();
    loss = {};
    times.clear();
    names.clear();
    texts.clear();
    largest = 0;
    rounded_times = 0;
  }
};

/// " (PATH has 3 nodes)" if a file gives the number of nodes, otherwise "".
std::string limit_reason(const std::string& path, std::uint64_t limit) {
  return path.empty() ? "" : " (" + path + " has " + format_count(limit, "node") + ")";
}

/// True if the date has more digits than seconds since 1970 in a double, which are 0.24 us apart.
bool has_nanoseconds(std::string_view date) {
  constexpr std::size_t kMicroseconds = std::string_view("2024-02-29 13:05:59.123456").size();
  if (date.size() <= kMicroseconds) return false;
  const auto moment = parse_calendar_moment(date);
  return moment && moment->nanoseconds % 1000 != 0;
}

class EdgeParser {
 public:
  EdgeParser(const EdgeColumns& columns, const EdgeTextOptions& options)
      : columns_(columns), options_(options), separator_(columns.form.style.separator) {
    fields_needed_ = std::max(columns.source, columns.target) + 1;
    for (const auto& column : {columns.weight, columns.time}) {
      if (column) fields_needed_ = std::max(fields_needed_, *column + 1);
    }
    const std::size_t width = columns.form.num_columns;
    fields_behind_pair_ = width == 0 ? 0 : width - 2;
    pairs_only_ = columns.source == 0 && columns.target == 1 && !columns.weight && !columns.time &&
                  options.names == nullptr && !columns.form.json;
  }

  /// All edges of the piece.
  void parse(const TextPiece& piece, const std::string& name, ParsedEdges& out) {
    out.clear();
    TableRows rows(columns_.form, name);
    rows.start(piece);
    out.comments = SkippedComments(columns_.form);
    out.comments.start(piece);
    rows.located([&] {
      while (rows.pass()) {
        out.comments.pass(rows);
        if (!pairs_only_ || !parse_pair(rows.row(), out)) parse_row(rows, out);
      }
    });
    out.comments.finish();
  }

 private:
  /// Reads digits; false where there are none, or more than any id has.
  static bool digits(const char*& at, const char* end, std::uint64_t& value) {
    const char* const begin = at;
    value = 0;
    while (at != end && is_digit(*at)) value = value * 10 + static_cast<unsigned>(*at++ - '0');
    return at != begin && at - begin <= 11;
  }

  void add(std::uint64_t source, std::uint64_t target, ParsedEdges& out) const {
    out.sources.push_back(static_cast<NodeId>(source));
    out.targets.push_back(static_cast<NodeId>(target));
    out.largest = std::max({out.largest, out.sources.back(), out.targets.back()});
  }

  bool in_range(std::uint64_t id, std::uint64_t limit) const {
    return id >= columns_.first_id && id - columns_.first_id < limit;
  }
  std::uint64_t num_targets() const { return options_.num_targets.value_or(options_.num_nodes); }

  /// A line of two numbers as most are, without a look at anything twice; false: look again.
  bool parse_pair(std::string_view line, ParsedEdges& out) const {
    const char* at = line.data();
    const char* const end = at + line.size();
    std::uint64_t source = 0, target = 0;
    if (!digits(at, end, source) || at == end) return false;
    const bool separated = separator_ == ' ' ? *at == ' ' || *at == '\t' : *at == separator_;
    ++at;
    if (!separated || !digits(at, end, target)) return false;
    if (!ends_well(at, end) || !in_range(source, options_.num_nodes) ||
        !in_range(target, num_targets())) {
      return false;
    }
    add(source - columns_.first_id, target - columns_.first_id, out);
    return true;
  }

  /// Whether the line has just the fields behind the pair that all lines have.
  bool ends_well(const char* at, const char* end) const {
    if (columns_.form.num_columns == 0) return at == end || *at == ' ' || *at == '\t';
    if (fields_behind_pair_ == 0) return at == end;
    if (separator_ == ' ' || std::find(at, end, '"') != end) return false;
    return static_cast<std::size_t>(std::count(at, end, separator_)) == fields_behind_pair_ &&
           *at == separator_;
  }

  std::uint64_t parse_id(std::string_view text, const char* what, std::uint64_t limit,
                         const std::string& limit_source) const {
    const auto id = parse_whole(text);
    if (!id || *id < 0) {
      fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as ", what,
           ", expected a number from ", columns_.first_id, " on (--ids any takes all names)");
    }
    if (limit == 0) fail(ExitStatus::bad_input, what, " ", *id, ", but there are no such nodes");
    if (!in_range(static_cast<std::uint64_t>(*id), limit)) {
      const std::uint64_t last = limit - 1 + columns_.first_id;
      fail(ExitStatus::bad_input, what, " ", *id, ", expected ids from ", columns_.first_id, " to ",
           last,
           limit == kMostNodes ? " (--ids any takes others)" : limit_reason(limit_source, limit));
    }
    return static_cast<std::uint64_t>(*id) - columns_.first_id;
  }

  template <class T>
  T parse_value(std::string_view text, const char* what) const {
    if (const auto value = parse_number_between<T>(text, separator_)) return *value;
    fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as ", what,
         ", expected a finite number");
  }

  double parse_time(std::string_view text) const {
    if (!columns_.dates) return parse_value<double>(text, "time");
    if (const auto seconds = parse_date(text)) return *seconds;
    fail(ExitStatus::bad_input, "found '", printable(text, 40),
         "' as time, expected a date as in the first line");
  }

  void check_fields(const std::vector<std::string_view>& fields, std::string_view row) const {
    const std::size_t width = columns_.form.num_columns;
    // Behind the ends NetworkX writes a dictionary, which may have blanks in it.
    const bool dictionary =
        separator_ == ' ' && width == 3 && fields.size() > 3 && fields[2].starts_with('{');
    if (width != 0 && fields.size() != width && !dictionary) {
      const std::string_view of_tabs = columns_.form.tab_hint(row);
      columns_.form.check(
          fields.size(),
          of_tabs.empty() ? "; lists of neighbours are no edges: write an edge a line" : of_tabs);
    }
    if (fields.size() >= fields_needed_) return;
    fail(ExitStatus::bad_input, "found ", format_count(fields.size(), "column"), ", expected ",
         fields_needed_ == 2 ? "" : "at least ", fields_needed_);
  }

  void parse_row(TableRows& rows, ParsedEdges& out) const {
    rows.split();
    const auto& fields = rows.fields();
    check_fields(fields, rows.row());
    const std::string_view source = fields[columns_.source], target = fields[columns_.target];
    if (options_.names != nullptr) {
      check_name(source);
      check_name(target);
      add_names(source, target, rows.row(), out);
    } else {
      const EdgeTextOptions& o = options_;
      const std::uint64_t from = parse_id(source, "source", o.num_nodes, o.num_nodes_source);
      const std::string& of_targets = o.num_targets ? o.num_targets_source : o.num_nodes_source;
      add(from, parse_id(target, "target", num_targets(), of_targets), out);
    }
    if (columns_.weight) {
      const float weight = parse_value<float>(fields[*columns_.weight], "weight");
      if (weight < 0) {
        fail(ExitStatus::bad_input, "weight ", format_number(double{weight}),
             ", expected 0 or more");
      }
      out.weights.push_back(weight);
      add_field(fields[*columns_.weight], separator_, weight, out.loss);
    }
    if (columns_.time) {
      out.times.push_back(parse_time(fields[*columns_.time]));
      out.rounded_times += columns_.dates && has_nanoseconds(fields[*columns_.time]) ? 1 : 0;
    }
  }

  void check_name(std::string_view name) const {
    if (!is_missing(name) || (options_.names_as_written && !name.empty())) return;
    fail(ExitStatus::bad_input, "found '", printable(name), "' as a node, expected two nodes",
         name.empty() ? "" : " (--ids text takes it as a name)");
  }

  /// A name for as long as the text is there.
  static std::string_view kept(std::string_view name, bool whole, std::string_view line,
                               ParsedEdges& out) {
    if (whole) return whole_name(name, line, out.texts);
    return kept_field(name, line, out.texts);
  }

  void add_names(std::string_view source, std::string_view target, std::string_view line,
                 ParsedEdges& out) const {
    source = kept(source, columns_.whole.sources, line, out);
    target = kept(target, columns_.whole.targets, line, out);
    const auto& targets = options_.target_names;
    if (!options_.new_names) check_known(source, *options_.names, options_.names_source);
    if (targets ? !targets->new_names : !options_.new_names) {
      check_known(target, targets ? *targets->names : *options_.names,
                  targets ? targets->source : options_.names_source);
    }
    if (!targets && !options_.new_names) {
      return add(*options_.names->find(source), *options_.names->find(target), out);
    }
    out.names.push_back(source);
    out.names.push_back(target);
  }

  static void check_known(std::string_view name, const NodeNames& names,
                          const std::string& source) {
    if (names.find(name)) return;
    fail(ExitStatus::bad_input, "node '", printable(name), "' is not in ", source);
  }

  const EdgeColumns& columns_;
  const EdgeTextOptions& options_;
  char separator_;
  std::size_t fields_needed_ = 2;
  std::size_t fields_behind_pair_ = 0;
  bool pairs_only_ = false;
};

/// Names of nodes get their numbers in the order of the text.
void number_names(const EdgeTextOptions& options, ParsedEdges& edges) {
  NodeNames& sources = *options.names;
  NodeNames& targets = options.target_names ? *options.target_names->names : sources;
  for (std::size_t i = 0; i < edges.names.size(); ++i) {
    if (i % 2 == 0) {
      edges.sources.push_back(sources.number(edges.names[i]));
    } else {
      edges.targets.push_back(targets.number(edges.names[i]));
    }
  }
}

/// Puts an edge before all others.
void prepend_edge(const EdgeCounts& edge, const EdgeTextOptions& options, const std::string& place,
                  EdgeList& list) {
  const std::uint64_t largest = std::max(edge.nodes, edge.edges);
  if (largest >= options.num_nodes) {
    fail(ExitStatus::bad_input, place, ": edge from ", edge.nodes, " to ", edge.edges,
         ", expected ids from 0 to ", options.num_nodes - 1,
         limit_reason(options.num_nodes_source, options.num_nodes));
  }
  EdgeChunk first;
  first.sources.push_back(static_cast<NodeId>(edge.nodes));
  first.targets.push_back(static_cast<NodeId>(edge.edges));
  list.num_nodes = std::max(list.num_nodes, largest + 1);
  list.chunks.insert(list.chunks.begin(), std::move(first));
}

}  // namespace

EdgeList read_edge_lines(PieceReader& reader, const EdgeColumns& columns,
                         const EdgeTextOptions& options, const BytesRead& progress) {
  EdgeList list;
  list.dates = columns.dates;
  std::vector<FloatLoss> losses(1);
  NodeId largest = 0;
  SkippedComments comments(columns.form);
  std::uint64_t rounded_times = 0;
  read_pieces<ParsedEdges>(
      reader,
      [&](const TextPiece& piece, ParsedEdges& out) {
        EdgeParser(columns, options).parse(piece, reader.name(), out);
      },
      [&](ParsedEdges& edges) {
        if (options.names != nullptr) number_names(options, edges);
        if (progress) progress(reader.bytes_read());
        comments.add(edges.comments);
        rounded_times += edges.rounded_times;
        if (edges.sources.empty()) return;
        largest = std::max(largest, edges.largest);
        losses[0].add(edges.loss);
        // Copies take just the memory that they need.
        list.chunks.push_back({edges.sources, edges.targets, edges.weights, edges.times});
      });
  comments.tell(reader.name());
  if (rounded_times != 0) {
    log_warning(reader.name(), ": dates with nanoseconds, which are rounded to about 0.2 ",
                "microseconds: ", rounded_times);
  }
  warn_of_losses(losses, [&](std::size_t) { return reader.name() + ": weights"; });
  list.num_nodes = list.chunks.empty() ? 0 : std::uint64_t{largest} + 1;
  if (options.num_nodes != kMostNodes) list.num_nodes = options.num_nodes;
  if (options.names != nullptr) list.num_nodes = options.names->size();
  return list;
}

/// Warns where the numbers of names and of edges are those of a first edge, which may be no edge.
void warn_of_counts(const EdgeLayout& layout, const EdgeTextOptions& options, const EdgeList& list,
                    const std::string& path) {
  if (!layout.first || options.names == nullptr || options.header != "auto") return;
  const bool fits = layout.first->edges + 1 == list.num_edges() &&
                    layout.first->nodes <= options.names->size() &&
                    layout.first->nodes + 2 >= options.names->size();
  if (!fits) return;
  log_warning(path, ":", layout.line, ": ", layout.first->nodes, " ", layout.first->edges,
              " is taken as an edge; where it is the number of nodes and edges, expected the file ",
              "without this line, or without --ids");
}

EdgeList read_edge_text(PieceReader& reader, const EdgeTextOptions& options,
                        const BytesRead& progress) {
  const EdgeLayout layout = edge_layout(reader, options);
  EdgeList list = read_edge_lines(reader, layout.columns, options, progress);
  warn_of_counts(layout, options, list, reader.name());
  if (!layout.counts) return list;
  const EdgeCounts& counts = *layout.counts;
  const std::string place = reader.name() + ":" + std::to_string(layout.line);
  const bool given = options.num_nodes != kMostNodes;
  const bool fits = given ? counts.nodes == list.num_nodes : counts.nodes >= list.num_nodes;
  if (fits && counts.nodes <= kMostNodes && counts.edges == list.num_edges()) {
    list.num_nodes = counts.nodes;
    log_info(place, ": says ", counts.nodes, " nodes and ", counts.edges,
             " edges, is no edge itself (--header no: it is)");
  } else if (layout.may_be_edge) {
    prepend_edge(counts, options, place, list);
  } else {
    fail(ExitStatus::bad_input, place, ": says ", counts.nodes, " nodes and ", counts.edges,
         " edges, but there are ", list.num_nodes, " and ", list.num_edges(),
         "; expected these numbers, or lines of as many columns as the first");
  }
  return list;
}

}  // namespace frugal::gnn
