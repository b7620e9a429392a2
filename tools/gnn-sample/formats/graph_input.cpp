#include "tools/gnn-sample/formats/graph_input.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "libcore/base/text.h"
#include "libcore/streams/byte_source.h"
#include "libcore/streams/file_kind.h"
#include "libcore/tables/text_kind.h"

namespace frugal::gnn {
namespace {

void read_text(GraphSource& source, const GraphReadOptions& options, GraphInput& input) {
  input.edges = read_edge_text(source.text(), options.text, options.progress);
  input.counted_by_ids = options.text.names == nullptr;
}
void read_folder(GraphSource& source, const GraphReadOptions& options, GraphInput& input) {
  read_ogb_folder(source.path(), options, input);
}
void read_numpy(GraphSource& source, const GraphReadOptions& options, GraphInput& input) {
  if (source.is_pipe()) {
    fail(ExitStatus::usage, source.path(), ": is a pipe, expected the arrays of numpy in a file");
  }
  read_numpy_graph(source.path(), options, input);
}

bool is_folder(const FormatSample& sample) {
  std::error_code error;
  return std::filesystem::is_directory(sample.name, error);
}
bool is_matrix_market(const FormatSample& sample) {
  return sample.head.starts_with("%%MatrixMarket") || sample.head.starts_with("%%matrixmarket");
}
bool is_numpy(const FormatSample& sample) {
  const bool archive = sample.head.starts_with("PK\3\4");
  return sample.head.starts_with("\x93NUMPY") ||
         (archive && sample.head.find(".npy") != std::string_view::npos);
}
bool is_any(const FormatSample&) { return true; }

constexpr std::array<std::string_view, 1> kMatrixSuffixes{".mtx"};
constexpr std::array<std::string_view, 2> kMetisSuffixes{".graph", ".metis"};
constexpr std::array<std::string_view, 1> kGraphMlSuffixes{".graphml"};
constexpr std::array<std::string_view, 3> kJsonSuffixes{".json", ".jsonl", ".ndjson"};
constexpr std::array<std::string_view, 2> kNumpySuffixes{".npz", ".npy"};

bool is_graph_ml(const FormatSample& sample) { return text_kind(sample.head) == TextKind::graphml; }
/// One object alone may be a whole graph.
bool is_json_lines(const FormatSample& sample) {
  const std::string_view head = trim(sample.head);
  return text_kind(head) == TextKind::json_lines && head.find('\n') != std::string_view::npos;
}
bool is_json(const FormatSample& sample) {
  const TextKind kind = text_kind(sample.head);
  return kind == TextKind::json || kind == TextKind::json_lines;
}

constexpr std::array kGraphFormats{
    GraphFormat{"ogb",
                "folder of the Open Graph Benchmark with raw/edge.csv.gz or raw/data.npz, "
                "features of nodes and edges, labels and split/",
                is_folder, read_folder},
    GraphFormat{"mtx", "Matrix Market in coordinate format", is_matrix_market, read_matrix_market,
                kMatrixSuffixes},
    GraphFormat{"metis", "METIS, one line of neighbours for each node", nullptr, read_metis_graph,
                kMetisSuffixes, false},
    GraphFormat{
        "numpy",
        "*.npz with adj_indptr and adj_indices, indptr and indices, edge_index, row and col, or "
        "src and dst, and weights of edges, features, labels and masks; *.npy [2, edges]",
        is_numpy, read_numpy, kNumpySuffixes},
    GraphFormat{"graphml", "GraphML", is_graph_ml, read_graph_ml, kGraphMlSuffixes},
    GraphFormat{"jsonl",
                "JSON Lines, an object with a source and a target for each edge",
                is_json_lines,
                read_text,
                {},
                true,
                true},
    GraphFormat{"json",
                "node-link data of NetworkX or D3, or a list of objects with a source and a target",
                is_json, read_json_graph, kJsonSuffixes},
    GraphFormat{
        "edges",
        "one edge a line, columns separated by commas, semicolons, bars, tabs or blanks (SNAP, "
        "CSV, TSV), comments with # and %",
        is_any,
        read_text,
        {},
        false,
        true},
};
constexpr FormatTable<GraphFormat> kTable{kGraphFormats};

}  // namespace

PieceReader& GraphSource::text() {
  if (!text_) text_.emplace(path_);
  return *text_;
}

bool GraphSource::is_pipe() const {
  std::error_code error;
  return path_ == "-" || std::filesystem::is_fifo(path_, error);
}

std::string_view GraphSource::head() {
  constexpr std::size_t kBegin = 4096;
  if (is_folder({path_, ""})) return "";
  if (!text_ && !is_pipe()) {
    begin_.resize(kBegin);
    begin_.resize(ByteSource(path_).read(begin_.data(), kBegin));
    if (binary_kind(begin_) != nullptr) return begin_;
  }
  return text().head();
}

std::size_t GraphSource::read(char* out, std::size_t size) {
  if (!is_pipe()) {
    if (!bytes_) bytes_.emplace(path_);
    return bytes_->read(out, size);
  }
  while (given_ == piece_.size) {
    given_ = 0;
    if (!text().next(piece_)) return piece_.size = 0;
  }
  const std::size_t taken = std::min(size, piece_.size - given_);
  std::copy_n(piece_.memory.data() + given_, taken, out);
  given_ += taken;
  return taken;
}

std::uint64_t GraphSource::bytes_read() const {
  return bytes_ ? bytes_->bytes_read() : text_ ? text_->bytes_read() : 0;
}

void check_no_columns(const std::string& path, const EdgeTextOptions& text) {
  const bool weights = !text.weight_column.empty() && text.weight_column != "none";
  const char* const option = !text.source_column.empty()   ? "a source of --columns"
                             : !text.target_column.empty() ? "a target of --columns"
                             : weights                     ? "a weight of --columns"
                             : !text.time_column.empty()   ? "a time of --columns"
                             : text.names != nullptr       ? "--ids any"
                             : text.header != "auto"       ? "--header"
                                                           : nullptr;
  if (option == nullptr) return;
  fail(ExitStatus::usage, option, " is for edges in text, ", path, " is none: leave it out",
       weights ? ", or say none:weight to ignore the weights" : "");
}

const FormatTable<GraphFormat>& graph_formats() { return kTable; }

GraphReader::GraphReader(std::string path, const std::string& format)
    : source_(std::move(path)),
      format_(format == "auto" ? kTable.detect({source_.path(), source_.head()})
                               : kTable.by_name(format)) {}

bool GraphReader::has_whole_ids(const EdgeTextOptions& text) {
  if (!format_.is_table) return false;
  const WholeIds whole = whole_ids(source_.text(), text);
  return whole.sources && whole.targets;
}

GraphInput GraphReader::read(const GraphReadOptions& options) {
  GraphInput input;
  format_.read(source_, options, input);
  return input;
}

GraphInput read_graph_input(const std::string& path, const std::string& format,
                            const GraphReadOptions& options) {
  return GraphReader(path, format).read(options);
}

}  // namespace frugal::gnn
