#include "tools/gnn-sample/infer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "tools/gnn-sample/data/finite_features.h"
#include "tools/gnn-sample/model_file.h"

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

class Predictions {
 public:
  Predictions(const StoredModel& stored, std::size_t nodes, bool probabilities)
      : embeddings_(stored.task == "links"), labels_(stored.several_labels) {
    const GnnModel& model = *stored.model;
    if (embeddings_) {
      document_.tensors.push_back(
          Tensor::make("embeddings", Dtype::f32, {nodes, model.num_outputs()}));
      return;
    }
    if (labels_) {
      document_.tensors.push_back(Tensor::make("labels", Dtype::u8, {nodes, model.num_outputs()}));
    } else {
      document_.tensors.push_back(Tensor::make("classes", Dtype::i32, {nodes}));
    }
    if (!probabilities) return;
    document_.tensors.push_back(
        Tensor::make("probabilities", Dtype::f32, {nodes, model.num_outputs()}));
  }

  void add(std::size_t row, std::span<const float> outputs) {
    if (embeddings_) {
      float* to = document_.tensors[0].as<float>().data() + row * outputs.size();
      std::copy(outputs.begin(), outputs.end(), to);
      return;
    }
    if (labels_) {
      std::uint8_t* to = document_.tensors[0].as<std::uint8_t>().data() + row * outputs.size();
      for (const float x : outputs) *to++ = x > 0 ? 1 : 0;
    } else {
      const auto best = std::max_element(outputs.begin(), outputs.end());
      document_.tensors[0].as<std::int32_t>()[row] =
          static_cast<std::int32_t>(best - outputs.begin());
    }
    if (document_.tensors.size() < 2) return;
    float* to = document_.tensors[1].as<float>().data() + row * outputs.size();
    std::copy(outputs.begin(), outputs.end(), to);
    if (labels_) {
      kernels().sigmoid(to, outputs.size());
    } else {
      kernels().softmax(to, outputs.size());
    }
  }

  Document& document() { return document_; }

 private:
  bool embeddings_, labels_;  ///< labels: several a node
  Document document_;
};

/// The nodes' numbers in the input, of I64, which older readers know, where they fit.
Tensor input_ids(std::span<const std::uint64_t> ids, const std::vector<NodeId>& nodes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool fit =
      std::all_of(ids.begin(), ids.end(), [](std::uint64_t id) { return id <= kMost; });
  Tensor tensor = Tensor::make("ids", fit ? Dtype::i64 : Dtype::u64, {nodes.size()});
  // The bits of a number that fits are the same in both.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::memcpy(tensor.bytes.data() + i * sizeof(std::uint64_t), &ids[nodes[i]],
                sizeof(std::uint64_t));
  }
  return tensor;
}

}  // namespace

InferResult infer(const InferOptions& options, const std::function<void(double)>& progress) {
  if (!options.output.empty()) check_output(options.output);
  InferResult result;
  const double began = wall_seconds();
  const StoredModel stored =
      load_model(read_document(options.model), options.model, options.precision);
  const StoredGraph graph(options.graph, options.residence);
  graph.require_homogeneous();
  check_fits(*stored.model, graph, options.model);
  Inference inference(graph, options.inference);
  inference.check_fits(*stored.model);
  const std::vector<NodeId> nodes = find_seeds(graph, options.nodes, options.split);
  const bool links = stored.task == "links";
  const bool has_labels = !links && graph.num_classes() == stored.model->num_outputs() &&
                          stored.several_labels == !graph.label_matrix().empty();
  if (!links && !has_labels && graph.num_classes() != 0) {
    const auto kind = [](bool several) { return several ? " labels, several a node" : " classes"; };
    log_warning(graph.path(), " has ", graph.num_classes(), kind(!graph.label_matrix().empty()),
                ", ", options.model, " ", stored.model->num_outputs(), kind(stored.several_labels),
                ": cannot say how often it is right");
  }
  if (links && options.probabilities) {
    fail(ExitStatus::usage, "--probabilities: ", options.model, " makes embeddings of nodes");
  }
  // Fails where there is no such split.
  if (options.split != 0) graph.split(options.split);
  const bool has_split = has_labels && graph.num_splits() > options.split;
  result.read_seconds = wall_seconds() - began;
  if (has_labels) result.all.emplace(graph);
  if (has_split) result.test.emplace(graph);

  Predictions predictions(stored, nodes.size(), options.probabilities);
  inference.run(*stored.model, nodes, [&](std::size_t first, MatrixView<const float> rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const NodeId node = nodes[first + r];
      predictions.add(first + r, rows.row_span(r));
      if (has_labels) result.all->add(node, rows.row_span(r));
      if (has_split && graph.split(options.split)[node] == static_cast<std::uint8_t>(Part::test)) {
        result.test->add(node, rows.row_span(r));
      }
    }
    progress(static_cast<double>(first + rows.rows) / static_cast<double>(nodes.size()));
  });
  result.nodes = nodes.size();
  result.seconds = wall_seconds() - began - result.read_seconds;
  if (result.all && result.all->nodes() == 0) result.all.reset();
  if (result.test && result.test->nodes() == 0) result.test.reset();
  if (options.output.empty()) return result;
  Document& document = predictions.document();
  Tensor numbers = Tensor::make("nodes", Dtype::i64, {nodes.size()});
  std::copy(nodes.begin(), nodes.end(), numbers.as<std::int64_t>().begin());
  document.tensors.push_back(std::move(numbers));
  if (!graph.ids().empty()) document.tensors.push_back(input_ids(graph.ids(), nodes));
  document.metadata["frugal.kind"] = "predictions";
  document.metadata["frugal.history"] = "[" + options.history_entry + "]";
  TensorWriteOptions write;
  write.if_changed = options.if_changed;
  write_document(options.output, document, write);
  return result;
}

}  // namespace frugal::gnn
