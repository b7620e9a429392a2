#include "tools/gnn-sample/data/graph_input.h"

#include <array>
#include <filesystem>

#include "libcore/base/text.h"

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
  std::error_code error;
  if (source.path() == "-" || std::filesystem::is_fifo(source.path(), error)) {
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
  return sample.head.starts_with("PK\3\4") || sample.head.starts_with("\x93NUMPY");
}
bool is_any(const FormatSample&) { return true; }

constexpr std::array<std::string_view, 1> kMatrixSuffixes{".mtx"};
constexpr std::array<std::string_view, 2> kMetisSuffixes{".graph", ".metis"};
constexpr std::array<std::string_view, 2> kNumpySuffixes{".npz", ".npy"};

constexpr std::array kGraphFormats{
    GraphFormat{"ogb",
                "folder of the Open Graph Benchmark with raw/edge.csv.gz or raw/data.npz, "
                "features, labels and split/",
                is_folder, read_folder},
    GraphFormat{"mtx", "Matrix Market, coordinates", is_matrix_market, read_matrix_market,
                kMatrixSuffixes},
    GraphFormat{"metis", "METIS, neighbours of a node a line", nullptr, read_metis_graph,
                kMetisSuffixes, false},
    GraphFormat{
        "numpy",
        "*.npz with adj_indptr and adj_indices, indptr and indices, edge_index, row and col, or "
        "src and dst, and weights of edges, features, labels and masks; *.npy [2, edges]",
        is_numpy, read_numpy, kNumpySuffixes},
    GraphFormat{"edges",
                "an edge a line between commas, tabs or blanks (SNAP, CSV, TSV), # and % comments",
                is_any,
                read_text,
                {},
                false},
};
constexpr FormatTable<GraphFormat> kTable{kGraphFormats};

}  // namespace

PieceReader& GraphSource::text() {
  if (!text_) text_.emplace(path_);
  return *text_;
}

std::string_view GraphSource::head() { return is_folder({path_, ""}) ? "" : text().head(); }

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

GraphInput read_graph_input(const std::string& path, const std::string& format,
                            const GraphReadOptions& options) {
  GraphInput input;
  GraphSource source(path);
  const GraphFormat& row =
      format == "auto" ? kTable.detect({path, source.head()}) : kTable.by_name(format);
  row.read(source, options, input);
  return input;
}

}  // namespace frugal::gnn
