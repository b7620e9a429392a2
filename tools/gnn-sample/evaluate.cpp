#include "tools/gnn-sample/evaluate.h"

#include "libcore/base/error.h"
#include "libcore/system/clock.h"

namespace frugal::gnn {
namespace {

std::string labels_text(std::size_t count, bool several) {
  return std::to_string(count) + (several ? " labels, several a node" : " classes");
}

void check_labels(const ModelOnGraph& work, const std::string& path) {
  const StoredGraph& graph = work.graph();
  if (work.is_of_links()) {
    fail(ExitStatus::usage, path,
         " makes embeddings of nodes and knows no labels; train tests "
         "such a model with the edges that it holds out");
  }
  if (graph.num_classes() == 0) {
    fail(ExitStatus::bad_input, graph.path(),
         ": the graph has no labels; give import some (--labels)");
  }
  const StoredModel& stored = work.stored();
  const bool several = !graph.label_matrix().empty();
  if (graph.num_classes() != stored.model->num_outputs() || several != stored.several_labels) {
    fail(ExitStatus::bad_input, graph.path(), " has ", labels_text(graph.num_classes(), several),
         ", expected ", labels_text(stored.model->num_outputs(), stored.several_labels),
         ", those of ", path);
  }
}

}  // namespace

EvalResult evaluate_model(const ModelOnGraphOptions& options,
                          const std::function<void(double)>& progress) {
  const double began = wall_seconds();
  ModelOnGraph work(options);
  check_labels(work, options.model);
  const StoredGraph& graph = work.graph();
  // Fails where there is no such split.
  if (options.split != 0) graph.split(options.split);
  const std::vector<NodeId> nodes = find_seeds(graph, options.nodes, options.split);
  const bool has_split = graph.num_splits() > options.split;
  NodeMetrics all(graph), test(graph), validation(graph);
  work.run(
      nodes,
      [&](std::size_t place, std::span<const float> outputs) {
        const NodeId node = nodes[place];
        all.add(node, outputs);
        if (!has_split) return;
        const auto part = static_cast<Part>(graph.split(options.split)[node]);
        if (part == Part::test) test.add(node, outputs);
        if (part == Part::valid) validation.add(node, outputs);
      },
      progress);
  if (all.nodes() == 0) {
    fail(ExitStatus::bad_input, graph.path(), ": none of the nodes asked for has a label");
  }
  EvalResult result;
  result.nodes = all.nodes();
  result.read_seconds = work.read_seconds();
  result.seconds = wall_seconds() - began - result.read_seconds;
  if (test.nodes() != 0) result.test.emplace(std::move(test));
  if (validation.nodes() != 0) result.validation.emplace(std::move(validation));
  result.all.emplace(std::move(all));
  return result;
}

}  // namespace frugal::gnn
