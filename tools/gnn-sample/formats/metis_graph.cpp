#include <bit>

#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/formats/graph_input.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kMostEdges = (std::uint64_t{1} << 40) - 1;
constexpr std::uint64_t kMostNodeWeights = 65536;

struct MetisHeader {
  std::uint64_t line = 0;
  std::uint64_t nodes = 0, edges = 0;
  std::uint64_t skipped = 0;  ///< numbers before the neighbours: sizes and weights of nodes
  bool edge_weights = false;
};

[[noreturn]] void fail_header(const std::string& place, std::string_view line) {
  fail(ExitStatus::bad_input, place, ": found '", printable(line),
       "', expected METIS's 'nodes edges [format [weights a node]]' with at most ", kMostNodes,
       " nodes, ", kMostEdges, " edges, ", kMostNodeWeights,
       " weights and a format like 1, 10 or 11");
}

MetisHeader read_metis_header(PieceReader& reader) {
  const TextShape shape = text_shape(reader);
  if (shape.empty) fail(ExitStatus::bad_input, reader.name(), ": is empty, expected METIS");
  const std::string place = reader.name() + ":" + std::to_string(shape.line);
  const auto& fields = shape.first_fields;
  if (fields.size() < 2 || fields.size() > 4) fail_header(place, shape.first);
  std::vector<std::uint64_t> numbers;
  for (const std::string& field : fields) {
    const auto number = parse_number<std::uint64_t>(field);
    if (!number) fail_header(place, shape.first);
    numbers.push_back(*number);
  }
  const std::uint64_t format = numbers.size() > 2 ? numbers[2] : 0;
  const bool digits = format % 10 < 2 && format / 10 % 10 < 2 && format / 100 < 2;
  const bool few_weights = numbers.size() < 4 || numbers[3] <= kMostNodeWeights;
  const bool small = numbers[0] <= kMostNodes && numbers[1] <= kMostEdges && few_weights;
  if (!small || !digits) fail_header(place, shape.first);
  MetisHeader header{shape.line, numbers[0], numbers[1], 0, format % 10 == 1};
  if (format / 10 % 10 == 1) header.skipped += numbers.size() > 3 ? numbers[3] : 1;
  if (format / 100 == 1) header.skipped += 1;
  return header;
}

/// Rows of a piece; targets count from its first row.
struct MetisRows {
  EdgeChunk edges;
  std::uint64_t rows = 0;
};

class MetisParser {
 public:
  MetisParser(const MetisHeader& header, bool weights) : header_(header), weights_(weights) {}

  void parse(const TextPiece& piece, const std::string& name, MetisRows& out) {
    out = {};
    TableRows rows(
        {.style = {' ', false}, .lines = true, .empty_rows = true, .header_line = header_.line},
        name);
    rows.start(piece);
    rows.located([&] {
      while (rows.pass()) {
        rows.split();
        parse_row(rows.fields(), out);
      }
    });
  }

 private:
  void parse_row(const std::vector<std::string_view>& fields, MetisRows& out) const {
    const std::size_t step = header_.edge_weights ? 2 : 1;
    if (fields.size() < header_.skipped || (fields.size() - header_.skipped) % step != 0) {
      if (!fields.empty()) {
        fail(ExitStatus::bad_input, "found ", fields.size(), " numbers, expected ", header_.skipped,
             " of the node and ", step, " an edge");
      }
    }
    for (std::size_t i = header_.skipped; i + step <= fields.size(); i += step) {
      const auto id = parse_number<std::uint64_t>(fields[i]);
      if (!id || *id < 1 || *id > header_.nodes) {
        fail(ExitStatus::bad_input, "found '", printable(fields[i], 40),
             "', expected a node from 1 to ", header_.nodes);
      }
      out.edges.sources.push_back(static_cast<NodeId>(*id - 1));
      out.edges.targets.push_back(static_cast<NodeId>(out.rows));
      if (header_.edge_weights) add_weight(fields[i + 1], out);
    }
    ++out.rows;
  }

  void add_weight(std::string_view text, MetisRows& out) const {
    const auto weight = parse_number<float>(text);
    if (!weight || !is_weight(*weight)) {
      fail(ExitStatus::bad_input, "found '", printable(text, 40),
           "' as weight, expected 0 or more");
    }
    if (weights_) out.edges.weights.push_back(*weight);
  }

  const MetisHeader& header_;
  bool weights_;
};

/// Sums over edges that are 0 if each edge is there in both directions, and with the same weight.
struct Asymmetry {
  std::uint64_t edges = 0, weights = 0;
};

/// Adds rows of a piece to the edges and to the sums.
void append_rows(MetisRows& piece, std::uint64_t first_row, EdgeList& list, Asymmetry& sums) {
  for (std::size_t i = 0; i < piece.edges.size(); ++i) {
    NodeId& target = piece.edges.targets[i];
    target += static_cast<NodeId>(first_row);
    const std::uint64_t hash = one_way(piece.edges.sources[i], target);
    sums.edges += hash;
    if (piece.edges.weights.empty()) continue;
    sums.weights += hash * mix64(std::bit_cast<std::uint32_t>(piece.edges.weights[i]));
  }
  if (piece.edges.size() != 0) list.chunks.push_back(std::move(piece.edges));
}

}  // namespace

void read_metis_graph(GraphSource& source, const GraphReadOptions& options, GraphInput& input) {
  PieceReader& reader = source.text();
  const std::string& path = reader.name();
  check_no_columns(path, options.text);
  const MetisHeader header = read_metis_header(reader);
  const std::uint64_t allowed = options.text.num_nodes;
  if (allowed != kMostNodes && allowed != header.nodes) {
    fail(ExitStatus::bad_input, path, ": has ", header.nodes, " nodes, expected ", allowed);
  }
  const bool weights = options.text.weight_column != "none";
  std::uint64_t rows = 0;
  Asymmetry asymmetry;
  read_pieces<MetisRows>(
      reader,
      [&](const TextPiece& piece, MetisRows& out) {
        MetisParser(header, weights).parse(piece, reader.name(), out);
      },
      [&](MetisRows& piece) {
        if (rows + piece.rows > header.nodes) {
          fail(ExitStatus::bad_input, path, ": has more lines of nodes than the ", header.nodes,
               " that its header says");
        }
        const std::uint64_t first = rows;
        rows += piece.rows;
        append_rows(piece, first, input.edges, asymmetry);
        if (options.progress) options.progress(reader.bytes_read());
      });
  input.edges.num_nodes = header.nodes;
  if (rows != header.nodes || input.edges.num_edges() != 2 * header.edges) {
    fail(ExitStatus::bad_input, path, ": has ", rows, " lines of nodes with ",
         input.edges.num_edges(), " neighbours, expected ", header.nodes, " with ",
         2 * header.edges, " as its header says");
  }
  if (asymmetry.edges != 0) {
    fail(ExitStatus::bad_input, path,
         ": has edges in one direction only, expected each of them in both lines");
  }
  if (asymmetry.weights != 0) {
    fail(ExitStatus::bad_input, path,
         ": has edges with another weight in each direction, expected the same in both lines "
         "(--columns none:weight leaves weights out)");
  }
  input.both_directions = true;
}

}  // namespace frugal::gnn
