#include <algorithm>

#include "libcore/base/text.h"
#include "tools/gnn-sample/formats/graph_input.h"

namespace frugal::gnn {
namespace {

struct MatrixHeader {
  std::uint64_t line = 0;  ///< of the sizes
  bool values = false, symmetric = false, skew = false;
  std::uint64_t rows = 0, columns = 0, entries = 0;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

void parse_banner(std::string_view line, const std::string& place, MatrixHeader& header) {
  std::vector<std::string_view> fields;
  FieldSplitter(' ').split(line, fields);
  std::vector<std::string> words;
  for (const std::string_view field : fields) words.push_back(lower(field));
  const auto is = [&](std::size_t i, std::initializer_list<const char*> known) {
    return std::find(known.begin(), known.end(), words[i]) != known.end();
  };
  const bool good = words.size() == 5 && words[0] == "%%matrixmarket" && words[1] == "matrix" &&
                    words[2] == "coordinate" &&
                    is(3, {"pattern", "real", "integer", "unsigned-integer"}) &&
                    is(4, {"general", "symmetric", "skew-symmetric"});
  if (!good) {
    fail(ExitStatus::bad_input, place, ": found '", printable(line),
         "', expected %%MatrixMarket matrix coordinate, then pattern, real, integer or "
         "unsigned-integer, then general, symmetric or skew-symmetric");
  }
  header.values = words[3] != "pattern";
  header.symmetric = words[4] != "general";
  header.skew = words[4] == "skew-symmetric";
}

MatrixHeader read_header(PieceReader& reader) {
  const std::string_view head = reader.head();
  if (head.empty()) {
    fail(ExitStatus::bad_input, reader.name(), ": is empty, expected Matrix Market");
  }
  MatrixHeader header;
  parse_banner(trim(head.substr(0, head.find('\n'))), reader.name() + ":1", header);
  const TextShape sizes = text_shape(reader);
  if (sizes.empty) {
    fail(ExitStatus::bad_input, reader.name(), ": ends before the line of sizes");
  }
  std::vector<std::uint64_t> numbers;
  for (const std::string& field : sizes.first_fields) {
    if (const auto number = parse_number<std::uint64_t>(field)) numbers.push_back(*number);
  }
  if (sizes.first_fields.size() != 3 || numbers.size() != 3 || numbers[0] != numbers[1] ||
      numbers[0] > kMostNodes) {
    fail(ExitStatus::bad_input, reader.name(), ":", sizes.line, ": found '", printable(sizes.first),
         "', expected rows, columns and entries of a square matrix of at most ", kMostNodes,
         " rows");
  }
  header.line = sizes.line;
  header.rows = numbers[0];
  header.columns = numbers[1];
  header.entries = numbers[2];
  return header;
}

}  // namespace

void read_matrix_market(GraphSource& source, const GraphReadOptions& options, GraphInput& input) {
  PieceReader& reader = source.text();
  const std::string& path = reader.name();
  check_no_columns(path, options.text);
  const MatrixHeader header = read_header(reader);
  EdgeTextOptions text;
  const std::uint64_t allowed = options.text.num_nodes;
  if (allowed != kMostNodes && allowed != header.rows) {
    fail(ExitStatus::bad_input, path, ": has ", header.rows, " nodes, expected ", allowed);
  }
  text.num_nodes = header.rows;
  EdgeColumns columns;
  columns.first_id = 1;
  columns.form.header_line = header.line;
  const std::string& weight = options.text.weight_column;
  if (header.values && weight.empty()) columns.weight = 2;
  if (header.skew && weight.empty() && header.values) {
    fail(ExitStatus::usage, path,
         ": is skew-symmetric, half of its weights are negative; --columns none:weight ignores "
         "them");
  }
  input.edges = read_edge_lines(reader, columns, text, options.progress);
  input.edges.num_nodes = header.rows;
  input.listed_once = header.symmetric;
  if (input.edges.num_edges() == header.entries) return;
  fail(ExitStatus::bad_input, path, ": has ", input.edges.num_edges(), " entries, expected ",
       header.entries, " as its header says");
}

}  // namespace frugal::gnn
