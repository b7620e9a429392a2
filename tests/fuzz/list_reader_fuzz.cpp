// Feeds bytes to the readers of lists: names of nodes, counts of rows, seeds, links and times. The
// first byte chooses.
#include "libcore/base/error.h"
#include "libcore/graph/node_names.h"
#include "libcore/tensors/tensor_file.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/gnn-sample/batches/seed_source.h"
#include "tools/robe-compress/fit/count_reader.h"

namespace {

using namespace frugal;

constexpr std::uint32_t kNodes = 12;

void check_names(const std::string& path) {
  NodeNames names = read_node_names(path);
  for (NodeId v = 0; v < names.size(); ++v) {
    require(names.find(names.name(v)) == v, "a name is found again");
  }
}

void check_counts(const std::string& path) {
  static const TableSet tables({{"a", 3}, {"b", 2}}, 4);
  const robe::RowWeights weights = robe::read_counts(path, tables);
  for (std::uint64_t v = 0; v < tables.num_rows(); ++v) {
    require(weights[v] >= 0, "a row's weight is no less than 0");
  }
}

/// Each node of a ring, at times of its own.
Document ring() {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors;
  std::vector<double> times;
  for (std::uint32_t v = 0; v < kNodes; ++v) {
    neighbors.push_back((v + 1) % kNodes);
    times.push_back(v);
    offsets.push_back(neighbors.size());
  }
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(kNodes)},
                       {"graph.edges", std::to_string(kNodes)},
                       {"graph.directed", "true"}};
  document.tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {kNodes + 1}, offsets));
  document.tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {kNodes}, neighbors));
  document.tensors.push_back(Tensor::copy_of<double>("times", {kNodes}, times));
  return document;
}

void check_seeds(const gnn::SeedSourceOptions& options, const NamedInput& names) {
  static const gnn::StoredGraph graph = [&] {
    const std::string path = names.name(".graph.safetensors");
    write_document(path, ring());
    return gnn::StoredGraph(path);
  }();
  gnn::SeedSource source(graph, options, {});
  for (gnn::LinkBatch batch; source.next(batch);) {
    source.complete(batch);
    for (const NodeId v : batch.seeds.nodes) require(v < kNodes, "seeds are in range");
    for (const double time : batch.seeds.times) require(time == time, "times are numbers");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const NamedInput file{".csv", ".tsv", ".safetensors", ".npz"};
  const FuzzInput input(data, size, 1);
  gnn::SeedSourceOptions seeds;
  seeds.temporal = (input.choice(0) & 8) != 0;
  reading(ExitStatus::usage, [&] {
    switch (input.choice(0) % 8) {
      case 0: return check_names(input.path());
      case 1: return check_counts(file.name(".csv"));
      case 2: return check_counts(file.name(".tsv"));
      case 3: return check_counts(file.name(".safetensors"));
      case 4: return check_counts(file.name(".npz"));
      case 5: seeds.edges = input.path(); break;
      case 6: seeds.seeds = "all", seeds.times = input.path(), seeds.temporal = true; break;
      default: seeds.seeds = input.path();
    }
    check_seeds(seeds, file);
  });
  return 0;
}
