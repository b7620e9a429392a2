#include "tools/gnn-sample/formats/ogb_folder.h"

#include <algorithm>
#include <filesystem>

#include "libcore/arrays/npy.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/streams/line_reader.h"
#include "tools/gnn-sample/formats/graph_input.h"
#include "tools/gnn-sample/formats/node_features.h"
#include "tools/gnn-sample/formats/node_labels.h"
#include "tools/gnn-sample/formats/node_split.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kMostOgbEdges = std::uint64_t{1} << 40;

/// The file of that name, plain or packed, or "".
std::string existing(const std::string& path) {
  for (const char* suffix : {"", ".gz", ".zst"}) {
    if (std::filesystem::is_regular_file(path + suffix)) return path + suffix;
  }
  return "";
}

std::uint64_t read_count(const std::string& path, const char* what, std::uint64_t most) {
  LineReader lines(path);
  std::string_view line;
  const auto number = lines.next(line) ? parse_number<std::uint64_t>(trim(line)) : std::nullopt;
  if (number && *number <= most && !lines.next(line)) return *number;
  fail(ExitStatus::bad_input, path, ": expected one line with the number of ", what,
       " of one graph, at most ", most);
}

/// `path`: of the file that says how many edges there are, or "".
void check_num_edges(const std::string& path, std::uint64_t found, const std::string& edges) {
  if (path.empty()) return;
  const std::uint64_t expected = read_count(path, "edges", kMostOgbEdges);
  if (found == expected) return;
  fail(ExitStatus::bad_input, edges, ": has ", format_count(found, "edge"), ", expected ", expected,
       " as ", path, " says");
}

/// `folder`: where the edges are.
void warn_of_edge_features(const std::string& folder) {
  const std::string path = existing(folder + "/edge-feat.csv");
  if (path.empty()) return;
  log_warning(path, ": is not read: graphs of several types keep no features of edges");
}

/// Features of edges, with a row for each line of edge.csv.
Tensor read_edge_file(const std::string& path, const BytesRead& progress) {
  NodeData edges;
  read_features(path, {}, edges, progress);
  return std::move(edges.features);
}

/// The folder of the split with that name, or the only one.
std::string split_folder(const std::string& path, const std::string& name) {
  const std::string parent = path + "/split";
  if (!std::filesystem::is_directory(parent)) return "";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(parent)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  if (name.empty() && names.size() == 1) return parent + "/" + names[0];
  if (std::find(names.begin(), names.end(), name) != names.end()) return parent + "/" + name;
  if (name.empty() && names.empty()) return "";
  fail(ExitStatus::usage, parent, ": has ", joined(names), ", expected --split-name to say which",
       name.empty() ? "" : ", found '" + printable(name) + "'");
}

/// Numbers of nodes, one a line.
void read_part(const std::string& path, Part part, std::vector<std::uint8_t>& split) {
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    const auto node = parse_number<std::uint64_t>(trim(line));
    if (!node || *node >= split.size()) {
      fail(ExitStatus::bad_input, lines.place(), ": found '", printable(line, 40),
           "', expected a node from 0 to ", split.size() - 1);
    }
    put_in_part(*node, part, split, [&] { return lines.place(); });
  }
}

}  // namespace

void read_ogb_split(const std::string& folder, std::uint64_t nodes, NodeData& data) {
  std::vector<std::uint8_t> split(nodes, static_cast<std::uint8_t>(Part::none));
  const std::pair<const char*, Part> parts[] = {
      {"train", Part::train}, {"valid", Part::valid}, {"test", Part::test}};
  for (const auto& [name, part] : parts) {
    const std::string path = existing(folder + "/" + name + ".csv");
    if (path.empty()) fail(ExitStatus::cannot_open, folder, ": no ", name, ".csv.gz");
    read_part(path, part, split);
  }
  data.splits.push_back(std::move(split));
}

void read_ogb_folder(const std::string& path, const GraphReadOptions& options, GraphInput& input) {
  const std::string raw = std::filesystem::is_directory(path + "/raw") ? path + "/raw" : path;
  const std::string edges = existing(raw + "/edge.csv");
  const std::string archive = existing(raw + "/data.npz");
  NodeData& nodes = input.nodes;
  if (!edges.empty()) {
    GraphReadOptions text = options;
    const std::string count = existing(raw + "/num-node-list.csv");
    if (!count.empty()) text.text.num_nodes = read_count(count, "nodes", kMostNodes);
    text.text.header = "no";
    PieceReader reader(edges);
    input.edges = read_edge_text(reader, text.text, options.progress);
    check_num_edges(existing(raw + "/num-edge-list.csv"), input.edges.num_edges(), edges);
    const std::string features = existing(raw + "/node-feat.csv");
    if (!features.empty()) read_features(features, {}, nodes, options.progress);
    const std::string of_edges = existing(raw + "/edge-feat.csv");
    if (!of_edges.empty()) input.edge_features = read_edge_file(of_edges, options.progress);
  } else if (!archive.empty()) {
    read_numpy_graph(archive, options, input);
  } else {
    fail(ExitStatus::cannot_open, raw, ": neither edge.csv.gz nor data.npz in this folder");
  }
  const std::string labels = existing(raw + "/node-label.csv");
  const std::string label_archive = existing(raw + "/node-label.npz");
  if (!labels.empty()) nodes.labels = read_labels(labels, "");
  if (!label_archive.empty()) {
    nodes.labels = labels_of(NpzReader(label_archive).read("node_label"), label_archive);
  }
  const std::string folder = split_folder(path, options.split_name);
  if (!folder.empty()) read_ogb_split(folder, input.edges.num_nodes, nodes);
}

bool is_typed_ogb(const std::string& path) {
  return !existing(path + "/raw/num-node-dict.csv").empty();
}

TypedFiles list_ogb_types(const std::string& path, const std::string& split_name) {
  const std::string raw = path + "/raw";
  const std::string dictionary = existing(raw + "/num-node-dict.csv");
  const std::string triplets = existing(raw + "/triplet-type-list.csv");
  if (triplets.empty()) {
    fail(ExitStatus::cannot_open, raw, ": no triplet-type-list.csv.gz beside num-node-dict.csv.gz");
  }
  LineReader lines(dictionary);
  std::string_view line;
  const std::string types = lines.next(line) ? std::string(line) : "";
  const std::string counts = lines.next(line) ? std::string(line) : "";
  const auto names = split(types, ','), numbers = split(counts, ',');
  const std::string folder = split_folder(path, split_name);
  TypedFiles files;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto count =
        i < numbers.size() ? parse_number<std::uint64_t>(trim(numbers[i])) : std::nullopt;
    if (!count || *count > kMostNodes || numbers.size() != names.size()) {
      fail(ExitStatus::bad_input, dictionary,
           ": expected a line of types and one of their numbers, each at most ", kMostNodes);
    }
    NodeTypeFiles& nodes = files.nodes.emplace_back();
    nodes.type = trim(names[i]);
    nodes.nodes = *count;
    nodes.features = existing(raw + "/node-feat/" + nodes.type + "/node-feat.csv");
    nodes.labels = existing(raw + "/node-label/" + nodes.type + "/node-label.csv");
    const std::string parts = folder + "/" + nodes.type;
    if (!folder.empty() && std::filesystem::is_directory(parts)) nodes.split_folder = parts;
  }
  LineReader triplet_lines(triplets);
  while (triplet_lines.next(line)) {
    const auto parts = split(line, ',');
    if (parts.size() != 3) {
      fail(ExitStatus::bad_input, triplet_lines.place(), ": found '", printable(line),
           "', expected source type,relation,target type");
    }
    EdgeTypeFile& edges = files.edges.emplace_back();
    edges.source = trim(parts[0]);
    edges.relation = trim(parts[1]);
    edges.target = trim(parts[2]);
    const std::string relation =
        raw + "/relations/" + edges.source + "___" + edges.relation + "___" + edges.target;
    edges.path = existing(relation + "/edge.csv");
    if (edges.path.empty()) fail(ExitStatus::cannot_open, relation, ": no edge.csv.gz");
    warn_of_edge_features(relation);
  }
  return files;
}

}  // namespace frugal::gnn
