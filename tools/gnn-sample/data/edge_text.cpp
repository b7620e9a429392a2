#include "tools/gnn-sample/data/edge_text.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/table_columns.h"

namespace frugal::gnn {
namespace {

/// What a piece of text gives; reused.
struct ParsedEdges {
  std::vector<NodeId> sources, targets;
  std::vector<float> weights;
  std::vector<double> times;
  std::vector<std::string_view> names;  ///< of sources and targets in turn, into the text
  NodeId largest = 0;

  void clear() {
    sources.clear();
    targets.clear();
    weights.clear();
    times.clear();
    names.clear();
    largest = 0;
  }
};

/// " (PATH has 3 nodes)", where a file says how many there are.
std::string limit_reason(const std::string& path, std::uint64_t limit) {
  return path.empty() ? "" : " (" + path + " has " + format_count(limit, "node") + ")";
}

class EdgeParser {
 public:
  EdgeParser(const EdgeColumns& columns, const EdgeTextOptions& options)
      : columns_(columns), options_(options), separator_(columns.form.style.separator) {
    fields_needed_ = std::max(columns.source, columns.target) + 1;
    for (const auto& column : {columns.weight, columns.time}) {
      if (column) fields_needed_ = std::max(fields_needed_, *column + 1);
    }
    pairs_only_ = columns.source == 0 && columns.target == 1 && !columns.weight && !columns.time &&
                  options.names == nullptr;
  }

  /// All edges of the piece.
  void parse(const TextPiece& piece, const std::string& name, ParsedEdges& out) {
    out.clear();
    TableRows rows(columns_.form, name);
    rows.start(piece);
    rows.located([&] {
      while (rows.pass()) {
        if (!pairs_only_ || !parse_pair(rows.row(), out)) parse_row(rows, out);
      }
    });
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
    const bool ends = at == end || *at == ' ' || *at == '\t' || *at == separator_;
    if (!ends || !in_range(source, options_.num_nodes) || !in_range(target, num_targets())) {
      return false;
    }
    add(source - columns_.first_id, target - columns_.first_id, out);
    return true;
  }

  std::uint64_t parse_id(std::string_view text, const char* what, std::uint64_t limit,
                         const std::string& limit_source) const {
    const auto id = parse_number<std::uint64_t>(text);
    if (!id) {
      fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as ", what,
           ", expected a number from ", columns_.first_id, " on (--ids any takes all names)");
    }
    if (limit == 0) fail(ExitStatus::bad_input, what, " ", *id, ", but there are no such nodes");
    if (!in_range(*id, limit)) {
      const std::uint64_t last = limit - 1 + columns_.first_id;
      fail(ExitStatus::bad_input, what, " ", *id, ", expected ids from ", columns_.first_id, " to ",
           last,
           limit == kMostNodes ? " (--ids any takes others)" : limit_reason(limit_source, limit));
    }
    return *id - columns_.first_id;
  }

  template <class T>
  static T parse_value(std::string_view text, const char* what) {
    if (const auto value = parse_finite<T>(text)) return *value;
    fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as ", what,
         ", expected a finite number");
  }

  void parse_row(TableRows& rows, ParsedEdges& out) const {
    rows.split();
    const auto& fields = rows.fields();
    if (fields.size() < fields_needed_) {
      fail(ExitStatus::bad_input, "found ", format_count(fields.size(), "column"), ", expected ",
           fields_needed_ == 2 ? "" : "at least ", fields_needed_);
    }
    const std::string_view source = fields[columns_.source], target = fields[columns_.target];
    if (options_.names != nullptr) {
      if (source.empty() || target.empty()) {
        fail(ExitStatus::bad_input, "found an empty name of a node, expected two nodes");
      }
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
    }
    if (columns_.time) {
      out.times.push_back(parse_value<double>(fields[*columns_.time], "time"));
    }
  }

  void add_names(std::string_view source, std::string_view target, std::string_view line,
                 ParsedEdges& out) const {
    if (options_.new_names) {
      out.names.push_back(keep(source, line));
      out.names.push_back(keep(target, line));
      return;
    }
    for (const std::string_view name : {source, target}) {
      if (options_.names->find(name)) continue;
      fail(ExitStatus::bad_input, "node '", printable(name), "' is not in ", options_.names_source);
    }
    add(*options_.names->find(source), *options_.names->find(target), out);
  }

  /// Names with doubled quotes lie in the splitter's memory, which the next line takes.
  static std::string_view keep(std::string_view field, std::string_view line) {
    if (field.data() >= line.data() && field.data() < line.data() + line.size()) return field;
    fail(ExitStatus::bad_input, "name '", printable(field),
         "' has a doubled quote, expected names without");
  }

  const EdgeColumns& columns_;
  const EdgeTextOptions& options_;
  char separator_;
  std::size_t fields_needed_ = 2;
  bool pairs_only_ = false;
};

/// Names of nodes get their numbers in the order of the text.
void number_names(NodeNames& names, ParsedEdges& edges) {
  for (std::size_t i = 0; i < edges.names.size(); ++i) {
    (i % 2 == 0 ? edges.sources : edges.targets).push_back(names.number(edges.names[i]));
  }
}

std::size_t column_or(const std::string& name, const ColumnNames& names, std::size_t standard,
                      const std::string& place) {
  if (!name.empty()) return names.find(name);
  if (standard < names.size()) return standard;
  fail(ExitStatus::bad_input, place, ": found ", format_count(names.size(), "column"),
       ", expected a source and a target");
}

bool has_header(const EdgeTextOptions& options, const std::vector<std::string>& fields) {
  if (options.header != "auto") return options.header == "yes";
  if (options.names == nullptr) {
    return std::none_of(fields.begin(),
                        fields.begin() + std::min<std::ptrdiff_t>(2, std::ssize(fields)),
                        [](const std::string& f) { return parse_number<double>(f).has_value(); });
  }
  const auto is_field = [&](const std::string& column) {
    return !parse_number<double>(column) &&
           std::find(fields.begin(), fields.end(), column) != fields.end();
  };
  const auto& o = options;
  for (const auto& column : {o.source_column, o.target_column, o.weight_column, o.time_column}) {
    if (!column.empty() && is_field(column)) return true;
  }
  for (const char* known : {"src", "source", "Source", "from", "From", "u", "head", "source_id",
                            "src_id", "from_node", "FromNodeId", "node1", "node_1", "id_1"}) {
    if (!fields.empty() && fields[0] == known) return true;
  }
  return false;
}

EdgeColumns edge_columns(const TextShape& shape, const EdgeTextOptions& options,
                         const std::string& name) {
  EdgeColumns columns;
  const auto& fields = shape.first_fields;
  const bool header = has_header(options, fields);
  columns.form = line_form(shape, header);
  const std::string place = name + ":" + std::to_string(shape.line);
  const ColumnNames names(header ? fields : std::vector<std::string>{}, fields.size(), place);
  columns.source = column_or(options.source_column, names, 0, place);
  columns.target = column_or(options.target_column, names, 1, place);
  const auto optional = [&](const std::string& column) -> std::optional<std::size_t> {
    if (column.empty() || column == "none") return std::nullopt;
    return names.find(column);
  };
  columns.weight = optional(options.weight_column);
  columns.time = optional(options.time_column);
  return columns;
}

/// Columns of numbers are often what somebody wants to keep.
void warn_of_unread(const TextShape& shape, const EdgeColumns& columns,
                    const EdgeTextOptions& options, const std::string& name) {
  if (options.weight_column == "none") return;
  std::vector<std::string> unread;
  for (std::size_t c = 0; c < shape.first_fields.size(); ++c) {
    if (c == columns.source || c == columns.target || c == columns.weight || c == columns.time) {
      continue;
    }
    unread.push_back(columns.form.header_line != 0 ? shape.first_fields[c] : std::to_string(c + 1));
  }
  if (unread.empty()) return;
  log_warning(name, unread.size() == 1 ? ": column " : ": columns ", joined(unread),
              unread.size() == 1 ? " is" : " are", " not read, expected --columns NAME:weight or ",
              "NAME:time to keep one, or none:weight");
}

struct Counts {
  std::uint64_t nodes = 0, edges = 0;
};

/// The numbers of a first line "nodes edges", if it may be one.
std::optional<Counts> counts_of(const TextShape& shape, const EdgeColumns& columns,
                                const EdgeTextOptions& options) {
  const bool plain = columns.source == 0 && columns.target == 1 && !columns.weight &&
                     !columns.time && options.names == nullptr && options.header == "auto" &&
                     !options.num_targets;
  if (!plain || shape.first_fields.size() != 2) return std::nullopt;
  const auto nodes = parse_number<std::uint64_t>(shape.first_fields[0]);
  const auto edges = parse_number<std::uint64_t>(shape.first_fields[1]);
  if (!nodes || !edges || *nodes == 0) return std::nullopt;
  return Counts{*nodes, *edges};
}

/// Puts an edge before all others.
void prepend_edge(const Counts& edge, const EdgeTextOptions& options, const std::string& place,
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
  NodeId largest = 0;
  read_pieces<ParsedEdges>(
      reader,
      [&](const TextPiece& piece, ParsedEdges& out) {
        EdgeParser(columns, options).parse(piece, reader.name(), out);
      },
      [&](ParsedEdges& edges) {
        if (options.names != nullptr && options.new_names) number_names(*options.names, edges);
        if (progress) progress(reader.bytes_read());
        if (edges.sources.empty()) return;
        largest = std::max(largest, edges.largest);
        // Copies take just the memory that they need.
        list.chunks.push_back({edges.sources, edges.targets, edges.weights, edges.times});
      });
  list.num_nodes = list.chunks.empty() ? 0 : std::uint64_t{largest} + 1;
  if (options.num_nodes != kMostNodes) list.num_nodes = options.num_nodes;
  if (options.names != nullptr) list.num_nodes = options.names->size();
  return list;
}

EdgeList read_edge_text(PieceReader& reader, const EdgeTextOptions& options,
                        const BytesRead& progress) {
  const TextShape shape = text_shape(reader, options.names != nullptr);
  EdgeColumns columns;
  if (!shape.empty) {
    columns = edge_columns(shape, options, reader.name());
    warn_of_unread(shape, columns, options, reader.name());
  }
  const auto counts = counts_of(shape, columns, options);
  if (counts) columns.form.header_line = shape.line;
  EdgeList list = read_edge_lines(reader, columns, options, progress);
  if (!counts) return list;
  const bool given = options.num_nodes != kMostNodes;
  const bool fits = given ? counts->nodes == list.num_nodes : counts->nodes >= list.num_nodes;
  if (fits && counts->nodes <= kMostNodes && counts->edges == list.num_edges()) {
    list.num_nodes = counts->nodes;
    log_info(reader.name(), ":", shape.line, ": says ", counts->nodes, " nodes and ", counts->edges,
             " edges, is no edge itself (--header no: it is)");
  } else {
    prepend_edge(*counts, options, reader.name() + ":" + std::to_string(shape.line), list);
  }
  return list;
}

}  // namespace frugal::gnn
