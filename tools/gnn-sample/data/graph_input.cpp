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

bool is_folder(std::string_view path, std::string_view) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}
bool is_matrix_market(std::string_view path, std::string_view head) {
  return path.ends_with(".mtx") || head.starts_with("%%MatrixMarket") ||
         head.starts_with("%%matrixmarket");
}
bool is_metis(std::string_view path, std::string_view) {
  return path.ends_with(".graph") || path.ends_with(".metis");
}
bool is_numpy(std::string_view path, std::string_view head) {
  return path.ends_with(".npz") || path.ends_with(".npy") || head.starts_with("PK\3\4") ||
         head.starts_with("\x93NUMPY");
}
bool is_text(std::string_view, std::string_view) { return true; }

constexpr std::array kGraphFormats{
    GraphFormat{"ogb",
                "folder of the Open Graph Benchmark with raw/edge.csv.gz or raw/data.npz, "
                "features, labels and split/",
                is_folder, read_folder},
    GraphFormat{"mtx", "Matrix Market, coordinates", is_matrix_market, read_matrix_market},
    GraphFormat{"metis", "METIS, neighbours of a node a line", is_metis, read_metis_graph},
    GraphFormat{
        "numpy",
        "*.npz with adj_indptr and adj_indices, indptr and indices, edge_index, row and col, or "
        "src and dst, and weights of edges, features, labels and masks; *.npy [2, edges]",
        is_numpy, read_numpy},
    GraphFormat{"edges",
                "an edge a line between commas, tabs or blanks (SNAP, CSV, TSV), # and % comments",
                is_text, read_text},
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const GraphFormat& format : kGraphFormats) names.emplace_back(format.name);
  return names;
}

const GraphFormat& find_format(GraphSource& source, const std::string& name) {
  std::string_view plain = source.path();
  for (const char* suffix : {".gz", ".zst"}) {
    if (plain.ends_with(suffix)) plain.remove_suffix(std::string_view(suffix).size());
  }
  const std::string_view head = name == "auto" ? source.head() : "";
  for (const GraphFormat& format : kGraphFormats) {
    if (name == "auto" ? format.recognises(plain, head) : format.name == name) return format;
  }
  fail(ExitStatus::usage, "format '", printable(name), "' is not known, expected auto, ",
       joined(format_names()), did_you_mean(name, format_names()));
}

}  // namespace

PieceReader& GraphSource::text() {
  if (!text_) text_.emplace(path_);
  return *text_;
}

std::string_view GraphSource::head() { return is_folder(path_, "") ? "" : text().head(); }

void check_no_columns(const std::string& path, const EdgeTextOptions& text) {
  const bool weights = !text.weight_column.empty() && text.weight_column != "none";
  const char* const option = !text.source_column.empty()   ? "--source-column"
                             : !text.target_column.empty() ? "--target-column"
                             : weights                     ? "--weight-column"
                             : !text.time_column.empty()   ? "--time-column"
                             : text.names != nullptr       ? "--ids any"
                             : text.header != "auto"       ? "--header"
                                                           : nullptr;
  if (option == nullptr) return;
  fail(ExitStatus::usage, option, " is for edges in text, ", path, " is none: leave it out",
       weights ? ", or say none to ignore the weights" : "");
}

std::span<const GraphFormat> graph_formats() { return kGraphFormats; }

std::string graph_format_help() {
  std::string help = "auto (by name and first bytes)";
  for (const GraphFormat& format : kGraphFormats) {
    help += "; " + std::string(format.name) + ": " + std::string(format.description);
  }
  return help;
}

GraphInput read_graph_input(const std::string& path, const std::string& format,
                            const GraphReadOptions& options) {
  GraphInput input;
  GraphSource source(path);
  find_format(source, format).read(source, options, input);
  return input;
}

}  // namespace frugal::gnn
