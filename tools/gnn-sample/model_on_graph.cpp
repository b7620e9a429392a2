#include "tools/gnn-sample/model_on_graph.h"

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "tools/gnn-sample/data/finite_features.h"

namespace frugal::gnn {
namespace {

void check_fits(const GnnModel& model, const StoredGraph& graph, const std::string& path) {
  const std::optional<FeatureView> features = graph.features();
  const std::size_t dim = features ? features->dim : 0;
  if (dim != model.num_features()) {
    fail(ExitStatus::bad_input, graph.path(), ": a node has ", dim, " features, expected ",
         model.num_features(), ", those of ", path);
  }
  if (!graph.features_are_mapped()) check_finite(*features, graph.path());
}

}  // namespace

ModelOnGraph::ModelOnGraph(const ModelOnGraphOptions& options)
    : began_(wall_seconds()),
      stored_(load_model(read_document(options.model), options.model, options.precision)),
      graph_(options.graph, options.residence),
      inference_(graph_, options.inference) {
  graph_.require_homogeneous();
  check_fits(*stored_.model, graph_, options.model);
  inference_.check_fits(*stored_.model);
  read_seconds_ = wall_seconds() - began_;
}

void ModelOnGraph::run(std::span<const NodeId> nodes, const NodeOutputs& outputs,
                       const std::function<void(double)>& progress) {
  inference_.run(*stored_.model, nodes, [&](std::size_t first, MatrixView<const float> rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) outputs(first + r, rows.row_span(r));
    progress(static_cast<double>(first + rows.rows) / static_cast<double>(nodes.size()));
  });
}

}  // namespace frugal::gnn
