#include "tools/gnn-sample/serve/predict.h"

#include <algorithm>

#include "libcore/arrays/row_file.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/node_lookup.h"
#include "tools/gnn-sample/serve/known_labels.h"
#include "tools/gnn-sample/serve/prediction_table.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

class Predictions {
 public:
  Predictions(const ModelOnGraph& work, std::size_t nodes, bool probabilities)
      : embeddings_(work.is_of_links()),
        labels_(work.goal().several_labels),
        scale_(work.goal().value_scale) {
    const std::size_t outputs = work.num_outputs();
    if (scale_) {
      document_.tensors.push_back(Tensor::make("values", Dtype::f32, {nodes}));
      return;
    }
    if (embeddings_) {
      document_.tensors.push_back(Tensor::make("embeddings", Dtype::f32, {nodes, outputs}));
      return;
    }
    if (labels_) {
      document_.tensors.push_back(Tensor::make("labels", Dtype::u8, {nodes, outputs}));
    } else {
      document_.tensors.push_back(Tensor::make("classes", Dtype::i32, {nodes}));
    }
    if (!probabilities) return;
    document_.tensors.push_back(Tensor::make("probabilities", Dtype::f32, {nodes, outputs}));
  }

  void add(std::size_t row, std::span<const float> outputs) {
    if (embeddings_) {
      float* to = document_.tensors[0].as<float>().data() + row * outputs.size();
      std::copy(outputs.begin(), outputs.end(), to);
      return;
    }
    if (scale_) {
      document_.tensors[0].as<float>()[row] = static_cast<float>(scale_->value(outputs[0]));
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
  std::optional<ValueScale> scale_;
  Document document_;
};

/// Classes become the numbers that labels have.
void number_classes(const std::string& class_names, Document& document) {
  const std::vector<std::int32_t> numbers = class_numbers(class_names);
  if (numbers.empty() || document.find("classes") == nullptr) return;
  for (std::int32_t& c : document.tensors[0].as<std::int32_t>()) {
    c = numbers[static_cast<std::size_t>(c)];
  }
}

}  // namespace

PredictResult predict_nodes(const PredictOptions& options,
                            const std::function<void(double)>& progress) {
  check_output(options.output);
  const double began = wall_seconds();
  const std::unique_ptr<ModelOnGraph> opened = open_model(options);
  const double read_seconds = wall_seconds() - began;
  ModelOnGraph& work = *opened;
  work.require_type();
  if (options.probabilities && (work.is_of_links() || work.goal().value_scale)) {
    fail(ExitStatus::usage, "--probabilities: ", options.model,
         work.is_of_links() ? " makes embeddings of nodes" : " predicts numbers");
  }
  const std::vector<NodeId> nodes =
      find_seeds(work.graph(), options.nodes, options.split, work.node_type());
  Predictions predictions(work, nodes.size(), options.probabilities);
  work.run(
      nodes, [&](std::size_t place, std::span<const float> row) { predictions.add(place, row); },
      progress);
  Document& document = predictions.document();
  const NodeSet& set = work.node_set();
  const std::string& class_names = work.goal().class_names;
  const auto result = [&] {
    return PredictResult{
        nodes.size(), {}, work.new_nodes(), read_seconds, wall_seconds() - began - read_seconds};
  };
  if (is_table(options.output)) {
    write_table(options.output, set, nodes, document, class_names);
    return result();
  }
  number_classes(class_names, document);
  Tensor numbers = Tensor::make("nodes", Dtype::i64, {nodes.size()});
  std::copy(nodes.begin(), nodes.end(), numbers.as<std::int64_t>().begin());
  document.tensors.push_back(std::move(numbers));
  NodeIdentities(set, "").add(nodes, document);
  document.metadata["frugal.kind"] = "predictions";
  if (!class_names.empty()) document.metadata[kClassNamesKey] = class_names;
  document.metadata["frugal.history"] = "[" + options.history_entry + "]";
  write_arrays(options.output, document);
  return result();
}

EvalResult evaluate_model(const ModelOnGraphOptions& options,
                          const std::function<void(double)>& progress) {
  const double began = wall_seconds();
  const std::unique_ptr<ModelOnGraph> opened = open_model(options);
  ModelOnGraph& work = *opened;
  const KnownLabels labels(work, options.model);
  const double read_seconds = wall_seconds() - began;
  const StoredGraph& graph = work.graph();
  // Fails where there is no such split.
  if (options.split != 0) graph.split(options.split, work.node_type());
  const std::vector<NodeId> nodes =
      find_seeds(graph, options.nodes, options.split, work.node_type());
  const NodeSet& set = labels.set();
  const bool has_split = set.splits.size() > options.split;
  const ValueScale scale = work.goal().value_scale.value_or(ValueScale{});
  const auto commonest =
      has_split ? commonest_class(set, graph.nodes_in(Part::train, options.split, work.node_type()))
                : std::nullopt;
  NodeMetrics all(set, scale, commonest), test(set, scale, commonest),
      validation(set, scale, commonest);
  work.run(
      nodes,
      [&](std::size_t place, std::span<const float> outputs) {
        const NodeId node = nodes[place];
        all.add(node, outputs);
        if (!has_split) return;
        const auto part = static_cast<Part>(set.splits[options.split][node]);
        if (part == Part::test) test.add(node, outputs);
        if (part == Part::valid) validation.add(node, outputs);
      },
      progress);
  if (all.nodes() == 0) {
    fail(ExitStatus::bad_input, graph.path(), ": none of the nodes asked for has a label");
  }
  EvalResult result;
  result.nodes = all.nodes();
  result.new_nodes = work.new_nodes();
  result.read_seconds = read_seconds;
  result.seconds = wall_seconds() - began - result.read_seconds;
  if (test.nodes() != 0) result.test.emplace(std::move(test));
  if (validation.nodes() != 0) result.validation.emplace(std::move(validation));
  result.all.emplace(std::move(all));
  return result;
}

}  // namespace frugal::gnn
