#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/io/line_reader.h"
#include "tools/gnn-sample/data/graph_input.h"

namespace frugal {
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

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string_view> fields;
  FieldSplitter(' ').split(line, fields);
  std::vector<std::string> words;
  for (const std::string_view field : fields) words.push_back(lower(field));
  return words;
}

void parse_banner(std::string_view line, const std::string& place, MatrixHeader& header) {
  const auto words = words_of(line);
  const auto is = [&](std::size_t i, std::initializer_list<const char*> known) {
    return std::find(known.begin(), known.end(), words[i]) != known.end();
  };
  const bool good = words.size() == 5 && words[0] == "%%matrixmarket" && words[1] == "matrix" &&
                    words[2] == "coordinate" && is(3, {"pattern", "real", "integer"}) &&
                    is(4, {"general", "symmetric", "skew-symmetric"});
  if (!good) {
    fail(ExitStatus::bad_input, place, ": found '", printable(line),
         "', expected %%MatrixMarket matrix coordinate, then pattern, real or integer, then "
         "general, symmetric or skew-symmetric");
  }
  header.values = words[3] != "pattern";
  header.symmetric = words[4] != "general";
  header.skew = words[4] == "skew-symmetric";
}

MatrixHeader read_header(const std::string& path) {
  LineReader lines(path);
  MatrixHeader header;
  std::string_view line;
  if (!lines.next(line)) fail(ExitStatus::bad_input, path, ": is empty, expected Matrix Market");
  parse_banner(line, lines.place(), header);
  while (lines.next(line)) {
    if (is_comment(line) || trim(line).empty()) continue;
    const auto words = words_of(line);
    std::vector<std::uint64_t> numbers;
    for (const std::string& word : words) {
      if (const auto number = parse_number<std::uint64_t>(word)) numbers.push_back(*number);
    }
    if (words.size() != 3 || numbers.size() != 3 || numbers[0] != numbers[1] ||
        numbers[0] > kMostNodes) {
      fail(ExitStatus::bad_input, lines.place(), ": found '", printable(line),
           "', expected rows, columns and entries of a square matrix of at most ", kMostNodes,
           " rows");
    }
    header.line = lines.line_number();
    header.rows = numbers[0];
    header.columns = numbers[1];
    header.entries = numbers[2];
    return header;
  }
  fail(ExitStatus::bad_input, path, ": ends before the line of sizes");
}

}  // namespace

void read_matrix_market(const std::string& path, const GraphReadOptions& options,
                        GraphInput& input) {
  const MatrixHeader header = read_header(path);
  EdgeTextOptions text;
  const std::uint64_t allowed = options.text.num_nodes;
  if (allowed != kMostNodes && allowed != header.rows) {
    fail(ExitStatus::bad_input, path, ": has ", header.rows, " nodes, expected ", allowed);
  }
  text.num_nodes = header.rows;
  EdgeColumns columns;
  columns.first_id = 1;
  columns.header_line = header.line;
  const std::string& weight = options.text.weight_column;
  if (!weight.empty() && weight != "none") {
    fail(ExitStatus::usage, path, ": --weight-column ", printable(weight),
         ", expected none, or nothing: the values are the weights");
  }
  if (header.values && weight.empty()) columns.weight = 2;
  if (header.skew && weight.empty() && header.values) {
    fail(ExitStatus::usage, path,
         ": is skew-symmetric, half of its weights are negative; --weight-column none ignores "
         "them");
  }
  PieceReader reader(path);
  input.edges = read_edge_lines(reader, columns, text, options.progress);
  input.edges.num_nodes = header.rows;
  input.listed_once = header.symmetric;
  if (input.edges.num_edges() == header.entries) return;
  fail(ExitStatus::bad_input, path, ": has ", input.edges.num_edges(), " entries, expected ",
       header.entries, " as its header says");
}

}  // namespace frugal
