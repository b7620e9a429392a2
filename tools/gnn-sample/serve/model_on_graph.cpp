#include "tools/gnn-sample/serve/model_on_graph.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/inputs/hop_features.h"
#include "tools/gnn-sample/model/model_file.h"
#include "tools/gnn-sample/model/typed_model_file.h"
#include "tools/gnn-sample/settings/sampling_options.h"
#include "tools/gnn-sample/tasks/typed_inference.h"

namespace frugal::gnn {
namespace {

FeatureColumns columns_in(const std::string& text, const std::string& path) {
  return text.empty() ? FeatureColumns() : FeatureColumns::parse(text, path);
}

/// How the features that a model was trained on were made.
struct TrainedFeatures {
  const ModelGoal& goal;
  const std::string& columns;  ///< FeatureColumns::text(), or ""
  const std::string& path;     ///< of the model
};

/// Fails (bad_input) if features were normalized in another way than those of the model.
void check_normalization(const StoredGraph& graph, const TrainedFeatures& trained) {
  const std::string& expected = trained.goal.normalized;
  const std::string own = normalization_of(graph);
  if (expected.empty() || own == expected) return;
  // Features with names are standardized by the scales of their columns, others by their own.
  const bool named =
      !trained.columns.empty() && !columns_in(trained.columns, trained.path).are_raw();
  const std::string way_out =
      named ? "; import --features-like " + trained.path + " makes these"
      : expected == "none"
          ? "; import without --normalize-features keeps them as they are"
          : "; import with --normalize-features " + printable(expected) + " makes these" +
                (expected == "standardize" ? " of a file without a header" : "");
  fail(ExitStatus::bad_input, graph.path(), ": features are of --normalize-features ",
       printable(own), ", expected those of --normalize-features ", printable(expected), ", as in ",
       trained.path, way_out);
}

/// Fails (bad_input) with the first column that has another name or another place.
void check_names(const FeatureColumns& own, const FeatureColumns& expected,
                 const std::string& graph, const std::string& path) {
  for (std::size_t c = 0; c < std::min(own.columns.size(), expected.columns.size()); ++c) {
    const std::string &name = own.columns[c].name, &wanted = expected.columns[c].name;
    if (name == wanted) continue;
    fail(ExitStatus::bad_input, graph, ": feature column ", c + 1, " is '", printable(name),
         "', expected '", printable(wanted), "', as in ", path, "; import --features-like ", path,
         " finds columns by their names");
  }
}

/// Fails (bad_input) if features of a type were made in another way than those of the model. Models
/// and graphs without names of columns go with all whose numbers are not scaled.
void check_features(const StoredGraph& graph, const std::string& type,
                    const TrainedFeatures& trained) {
  check_normalization(graph, trained);
  const std::string columns = graph.text_of(typed_key(kFeatureColumnsKey, type));
  if (columns == trained.columns) return;
  const FeatureColumns own = columns_in(columns, graph.path());
  const FeatureColumns expected = columns_in(trained.columns, trained.path);
  if (own == expected) return;
  if (columns.empty() || trained.columns.empty()) {
    if (own.are_raw() || expected.are_raw() || trained.goal.normalized.empty()) return;
    fail(ExitStatus::bad_input, graph.path(), ": features are ",
         columns.empty() ? "numbers as they were" : "of " + joined(own.summaries()) + ", scaled",
         ", expected ",
         columns.empty() ? "those of " + joined(expected.summaries()) + ", scaled as in "
                         : "numbers as they are, those of ",
         trained.path,
         columns.empty()
             ? "; import --features-like makes them"
             : "; import without types in --columns and --normalize-features keeps them");
  }
  check_names(own, expected, graph.path(), trained.path);
  fail(ExitStatus::bad_input, graph.path(), ": features are of ", joined(own.summaries()),
       own.are_raw() ? ", numbers as they were"
                     : ", with numbers scaled and categories listed by this graph",
       ", expected those of ", trained.path, "; import --features-like makes them");
}

/// Fails (bad_input) unless the edges have the weights and features that the model of `path` reads.
void check_edges(const StoredGraph& graph, const GnnOptions& network, const std::string& path) {
  if (network.edge_weights || !network.weighted_fanouts.empty()) graph.require_weights(path);
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
  if (settings.parts.features) {
    check_features(graph, "", {stored, stored.feature_columns, path});
  }
  stored.inputs.make(graph);
  stored.inputs.warn_of_new_nodes(graph, path);
}

namespace {

/// A model for graphs of one type.
class PlainModelOnGraph final : public ModelOnGraph {
 public:
  PlainModelOnGraph(const ModelOnGraphOptions& options, const Document& document)
      : ModelOnGraph(options),
        stored_(load_model(document, options.model, options.precision)),
        inference_(graph_, options.inference) {
    if (!options.seed_type.empty()) {
      fail(ExitStatus::usage, "--seed-type is for graphs of several types of nodes; ",
           options.model, " is a model for one");
    }
    graph_.require_homogeneous();
    check_edges(graph_, stored_.model->options(), options.model);
    make_inputs(stored_, graph_, options.model);
    if (conv_kind(stored_.model->options().kind).reads_hops) {
      HopScaling scaling = stored_.model->hop_scaling();
      replace_by_hops(graph_, stored_.model->options(), options.residence, scaling);
    }
    inference_.check_fits(*stored_.model);
    warn_of_equal_neighbors(stored_.model->options(), options.inference.fanouts, "--fanouts",
                            options.graph);
  }

  const ModelGoal& goal() const override { return stored_; }
  std::size_t num_outputs() const override { return stored_.model->num_outputs(); }
  std::size_t node_type() const override { return 0; }
  std::optional<std::uint64_t> new_nodes() const override {
    if (!stored_.inputs.settings().parts.embedding) return std::nullopt;
    return stored_.inputs.unknown_nodes();
  }

 private:
  void compute(std::span<const NodeId> nodes, const OutputRows& rows) override {
    inference_.run(*stored_.model, nodes, rows);
  }

  StoredModel stored_;
  Inference inference_;
};

/// A model for graphs of several types.
class TypedModelOnGraph final : public ModelOnGraph {
 public:
  TypedModelOnGraph(const ModelOnGraphOptions& options, const Document& document)
      : ModelOnGraph(options),
        stored_(load_typed_model(document, options.model, options.precision)),
        places_(TypePlaces::find(stored_.model->schema(), graph_, options.model)) {
    const TypedSchema& schema = stored_.model->schema();
    model_ = options.model;
    type_ = type_of_nodes(options.seed_type);
    chooses_ = !options.seed_type.empty();
    for (std::size_t t = 0; t < schema.nodes.size(); ++t) {
      check_features(graph_, schema.nodes[t].name,
                     {stored_, stored_.feature_columns[t], options.model});
    }
    const GnnOptions& network = stored_.model->options();
    if (network.edge_weights || !network.weighted_fanouts.empty()) {
      places_.require_weights(graph_, options.model);
    }
    const StoredEmbeddings embeddings{document, options.model};
    inputs_ = TypedInputs(*stored_.model, graph_, places_, {stored_.embedding, 0}, &embeddings);
    inference_.emplace(graph_, places_, inputs_, options.inference);
    inference_->check_fits(*stored_.model);
    warn_of_equal_neighbors(network, options.inference.fanouts, "--fanouts", options.graph);
  }

  const ModelGoal& goal() const override { return stored_; }
  std::size_t num_outputs() const override { return stored_.model->num_outputs(); }
  std::size_t node_type() const override { return places_.nodes[type_]; }
  std::optional<std::uint64_t> new_nodes() const override {
    if (!inputs_.has_embedding()) return std::nullopt;
    return inputs_.unknown_nodes();
  }
  void require_type() const override;
  void choose_sources() override { type_ = stored_.model->schema().seeds; }
  void choose_targets() override {
    type_ = stored_.model->schema().second.value_or(stored_.model->schema().seeds);
  }

 private:
  void compute(std::span<const NodeId> nodes, const OutputRows& rows) override {
    const OutputRequest request = {type_, nodes, rows};
    inference_->run(*stored_.model, {&request, 1});
  }
  std::size_t type_of_nodes(const std::string& name) const;

  StoredTypedModel stored_;
  TypePlaces places_;
  std::size_t type_ = 0;  ///< number, in the schema, of the type that outputs are for
  std::string model_;     ///< path
  bool chooses_ = false;  ///< the type was given
  TypedInputs inputs_;
  std::optional<TypedInference> inference_;
};

/// The seeds' type, unless another is named.
std::size_t TypedModelOnGraph::type_of_nodes(const std::string& name) const {
  const TypedSchema& schema = stored_.model->schema();
  if (name.empty()) return schema.seeds;
  Names known;
  for (std::size_t t = 0; t < schema.nodes.size(); ++t) {
    if (!schema.has_outputs(t)) continue;
    if (schema.nodes[t].name == name) return t;
    known.emplace_back(schema.nodes[t].name);
  }
  fail(ExitStatus::usage, "--seed-type is '", printable(name), "', but ", model_,
       " has outputs for nodes of ", joined(known, "and"));
}

void TypedModelOnGraph::require_type() const {
  const TypedSchema& schema = stored_.model->schema();
  if (chooses_ || !schema.second) return;
  fail(ExitStatus::usage, model_, " has outputs for nodes of ",
       printable(schema.nodes[schema.seeds].name), " and ",
       printable(schema.nodes[*schema.second].name), ", expected --seed-type with one of them");
}

}  // namespace

ModelOnGraph::ModelOnGraph(const ModelOnGraphOptions& options)
    : graph_(options.graph, options.residence) {}

void ModelOnGraph::run(std::span<const NodeId> nodes, const NodeOutputs& outputs,
                       const std::function<void(double)>& progress) {
  compute(nodes, [&](std::size_t first, MatrixView<const float> rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) outputs(first + r, rows.row_span(r));
    progress(static_cast<double>(first + rows.rows) / static_cast<double>(nodes.size()));
  });
}

std::unique_ptr<ModelOnGraph> open_model(const ModelOnGraphOptions& options) {
  const Document document = read_document(options.model);
  if (is_typed_model(document)) return std::make_unique<TypedModelOnGraph>(options, document);
  return std::make_unique<PlainModelOnGraph>(options, document);
}

}  // namespace frugal::gnn
