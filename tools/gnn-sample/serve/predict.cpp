#include "tools/gnn-sample/serve/predict.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/node_lookup.h"
#include "tools/gnn-sample/serve/prediction_table.h"

namespace frugal::gnn {

namespace {

std::string summary_of(const std::string& columns, const std::string& path) {
  return joined(FeatureColumns::parse(columns, path).summaries());
}

/// Fails (bad_input) unless the edges have the weights and features that the model of `path` reads.
void check_edges(const StoredGraph& graph, const GnnOptions& network, const std::string& path) {
  if (network.edge_weights) graph.require_weights(path);
  if (!wants_edge_features(network)) return;
  graph.require_edge_features(path);
  if (graph.edge_features().dim == network.edge_dim) return;
  fail(ExitStatus::bad_input, graph.path(), ": an edge has ", graph.edge_features().dim,
       " features, expected ", network.edge_dim, ", those of ", path);
}

}  // namespace

void make_inputs(StoredModel& stored, StoredGraph& graph, const std::string& path) {
  const InputSettings& settings = stored.inputs.settings();
  const std::optional<FeatureView> features = graph.features();
  const std::size_t dim = features ? features->dim : 0;
  const std::size_t expected = stored.model->num_features() - settings.num_computed();
  if (settings.parts.features && dim != expected) {
    fail(ExitStatus::bad_input, graph.path(), ": a node has ", dim, " features, expected ",
         expected, ", those of ", path);
  }
  const std::string columns = graph.text_of(kFeatureColumnsKey);
  if (settings.parts.features && !columns.empty() && !stored.feature_columns.empty() &&
      columns != stored.feature_columns) {
    fail(ExitStatus::bad_input, graph.path(), ": features are of ",
         summary_of(columns, graph.path()),
         ", with numbers scaled and categories listed by this graph, expected those of ", path,
         "; import --features-like makes them");
  }
  stored.inputs.make(graph);
  stored.inputs.warn_of_new_nodes(graph, path);
}

ModelOnGraph::ModelOnGraph(const ModelOnGraphOptions& options)
    : began_(wall_seconds()),
      stored_(load_model(read_document(options.model), options.model, options.precision)),
      graph_(options.graph, options.residence),
      inference_(graph_, options.inference) {
  graph_.require_homogeneous();
  check_edges(graph_, stored_.model->options(), options.model);
  make_inputs(stored_, graph_, options.model);
  if (conv_kind(stored_.model->options().kind).reads_hops) {
    HopScaling scaling = stored_.model->hop_scaling();
    replace_by_hops(graph_, stored_.model->options(), options.residence, scaling);
  }
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

namespace {

/// The numbers that names of classes are, a line each, if all are as numbers are written.
std::vector<std::int32_t> class_numbers(const std::string& names) {
  std::vector<std::int32_t> numbers;
  for (const std::string_view name : split(names, '\n')) {
    const auto number = parse_number<int>(name);
    if (!number || std::to_string(*number) != name) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

class Predictions {
 public:
  Predictions(const StoredModel& stored, std::size_t nodes, bool probabilities)
      : embeddings_(stored.task == "links"),
        labels_(stored.several_labels),
        scale_(stored.value_scale) {
    const GnnModel& model = *stored.model;
    if (scale_) {
      document_.tensors.push_back(Tensor::make("values", Dtype::f32, {nodes}));
      return;
    }
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
  ModelOnGraph work(options);
  if (options.probabilities && (work.is_of_links() || work.stored().value_scale)) {
    fail(ExitStatus::usage, "--probabilities: ", options.model,
         work.is_of_links() ? " makes embeddings of nodes" : " predicts numbers");
  }
  const std::vector<NodeId> nodes = find_seeds(work.graph(), options.nodes, options.split);
  Predictions predictions(work.stored(), nodes.size(), options.probabilities);
  work.run(
      nodes, [&](std::size_t place, std::span<const float> row) { predictions.add(place, row); },
      progress);
  Document& document = predictions.document();
  const NodeSet& set = work.graph().content().node_set();
  const std::string& class_names = work.stored().class_names;
  const auto result = [&] {
    return PredictResult{nodes.size(), work.new_nodes(), work.read_seconds(),
                         wall_seconds() - began - work.read_seconds()};
  };
  if (is_table(options.output)) {
    write_table(options.output, set, nodes, document, class_names, options.if_changed);
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
  TensorWriteOptions write;
  write.if_changed = options.if_changed;
  write_document(options.output, document, write);
  return result();
}

namespace {

std::string labels_text(std::size_t count, bool several) {
  return std::to_string(count) + (several ? " labels, several a node" : " classes");
}

/// Names that are a line each, in a line.
std::string names_text(const std::string& lines) {
  std::vector<std::string> names;
  for (const std::string_view name : split(lines, '\n')) names.emplace_back(name);
  return joined(names);
}

void check_labels(const ModelOnGraph& work, const std::string& path) {
  const StoredGraph& graph = work.graph();
  if (work.is_of_links()) {
    fail(ExitStatus::usage, path,
         " makes embeddings of nodes and knows no labels; train tests "
         "such a model with the edges that it holds out");
  }
  const NodeSet& set = graph.content().node_set();
  if (!set.has_labels()) {
    fail(ExitStatus::bad_input, graph.path(),
         ": the graph has no labels; give import some (--labels)");
  }
  const StoredModel& stored = work.stored();
  if (set.values.empty() == stored.value_scale.has_value()) {
    const auto kind = [](bool numbers) { return numbers ? "numbers to predict" : "classes"; };
    fail(ExitStatus::bad_input, graph.path(), ": labels are ", kind(!set.values.empty()),
         ", expected ", kind(stored.value_scale.has_value()), ", those of ", path,
         " (import --label-type)");
  }
  if (stored.value_scale) return;
  const bool several = !graph.label_matrix().empty();
  if (graph.num_classes() != stored.model->num_outputs() || several != stored.several_labels) {
    fail(ExitStatus::bad_input, graph.path(), " has ", labels_text(graph.num_classes(), several),
         ", expected ", labels_text(stored.model->num_outputs(), stored.several_labels),
         ", those of ", path);
  }
  const std::string names = graph.text_of(kClassNamesKey);
  if (names.empty() || stored.class_names.empty() || names == stored.class_names) return;
  fail(ExitStatus::bad_input, graph.path(), " has the classes ", names_text(names), ", expected ",
       names_text(stored.class_names), ", those of ", path);
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
  const ValueScale scale = work.stored().value_scale.value_or(ValueScale{});
  NodeMetrics all(graph, scale), test(graph, scale), validation(graph, scale);
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
  result.new_nodes = work.new_nodes();
  result.read_seconds = work.read_seconds();
  result.seconds = wall_seconds() - began - result.read_seconds;
  if (test.nodes() != 0) result.test.emplace(std::move(test));
  if (validation.nodes() != 0) result.validation.emplace(std::move(validation));
  result.all.emplace(std::move(all));
  return result;
}

}  // namespace frugal::gnn
