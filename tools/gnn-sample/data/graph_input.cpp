#include "tools/gnn-sample/data/graph_input.h"

#include <array>
#include <filesystem>

#include "libcore/base/text.h"

namespace frugal {
namespace {

void read_text(const std::string& path, const GraphReadOptions& options, GraphInput& input) {
  PieceReader reader(path);
  input.edges = read_edge_text(reader, options.text, options.progress);
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
                is_folder, read_ogb_folder},
    GraphFormat{"mtx", "Matrix Market, coordinates", is_matrix_market, read_matrix_market},
    GraphFormat{"metis", "METIS, neighbours of a node a line", is_metis, read_metis_graph},
    GraphFormat{
        "numpy",
        "*.npz with adj_indptr and adj_indices, indptr and indices, edge_index, row and col, or "
        "src and dst, and features, labels and masks; *.npy [2, edges]",
        is_numpy, read_numpy_graph},
    GraphFormat{"edges",
                "an edge a line between commas, tabs or blanks (SNAP, CSV, TSV), # and % comments",
                is_text, read_text},
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const GraphFormat& format : kGraphFormats) names.emplace_back(format.name);
  return names;
}

const GraphFormat& find_format(const std::string& path, const std::string& name) {
  std::string_view plain = path;
  for (const char* suffix : {".gz", ".zst"}) {
    if (plain.ends_with(suffix)) plain.remove_suffix(std::string_view(suffix).size());
  }
  std::string head;
  if (name == "auto" && path != "-" && std::filesystem::is_regular_file(path)) {
    head = std::string(PieceReader(path, 4096).head());
  }
  for (const GraphFormat& format : kGraphFormats) {
    if (name == "auto" ? format.recognises(plain, head) : format.name == name) return format;
  }
  fail(ExitStatus::usage, "format '", printable(name), "' is not known, expected auto, ",
       joined(format_names()), did_you_mean(name, format_names()));
}

}  // namespace

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
  find_format(path, format).read(path, options, input);
  return input;
}

}  // namespace frugal
