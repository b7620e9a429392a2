#include "tools/gnn-sample/model/typed_model_file.h"

#include <algorithm>
#include <set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"
#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/network/conv_kinds.h"

namespace frugal::gnn {
namespace {

/// Sizes that the data gave, and the types.
struct TypedSizes {
  std::size_t outputs = 0;
  std::string types;
};

/// The metadata gnn.* of a model.
OptionFields described(StoredTypedModel& stored, GnnOptions& network, TypedSizes& sizes) {
  OptionFields f;
  f.add_row_name("model", network.kind, conv_kinds(), "");
  f.add("layers", network.num_layers).range(1, 64);
  describe_network(f, network);
  add_kind_conditions(f, network);
  f.add("types", sizes.types);
  f.add("embedding", stored.embedding).range(1U, 65536U);
  f.add("outputs", sizes.outputs).range(1U, kMaxSize);
  describe_goal(f, stored);
  return f;
}

OptionFields described_typed_weights(GnnOptions& network) {
  OptionFields f;
  describe_edge_weights(f, network);
  return f;
}

/// Fails (bad_input) if the file has weights that the model of its types does not read.
void check_all_are_read(StoredTypedModel& stored, const Document& document,
                        const std::string& path) {
  std::set<std::string> known;
  for (const ParameterTensor& tensor : stored.model->tensors()) known.insert(tensor.name);
  for (const Tensor& tensor : document.tensors) {
    const bool is_weight = tensor.name.starts_with("convs.") || tensor.name.starts_with("norms.");
    if (!is_weight || known.contains(tensor.name)) continue;
    fail(ExitStatus::bad_input, path, ": tensor '", printable(tensor.name), "' is of none of the ",
         "types in metadata ", kTypesKey);
  }
}

/// The metadata of a model that predicts links; other models have none.
constexpr char kRelationKey[] = "gnn.relation";

/// Sets the types whose nodes get outputs, of a model that predicts links.
void load_relation(StoredTypedModel& stored, TypedSchema& schema, const Document& document,
                   const std::string& path) {
  const auto found = document.metadata.find(kRelationKey);
  const bool of_links = stored.task == "links";
  if (of_links == (found == document.metadata.end())) {
    fail(ExitStatus::bad_input, path, ": metadata 'gnn.task' is '", printable(stored.task),
         of_links ? "', expected '" : "', expected 'links' beside '", kRelationKey,
         of_links ? "' beside it" : "'");
  }
  if (!of_links) return;
  stored.relation = found->second;
  const auto ends = split(stored.relation, ':');
  const auto number_of = [&](std::string_view name) {
    const auto at = std::ranges::find(schema.nodes, name, &NodeType::name);
    return static_cast<std::size_t>(at - schema.nodes.begin());
  };
  const std::size_t target = ends.size() == 3 ? number_of(ends[2]) : schema.nodes.size();
  const bool named =
      ends.size() == 3 && !ends[1].empty() && printable(std::string(ends[1])) == ends[1];
  if (!named || target == schema.nodes.size() || number_of(ends[0]) != schema.seeds) {
    fail(ExitStatus::bad_input, path, ": metadata '", kRelationKey, "' is '",
         printable(stored.relation), "', expected SOURCE:RELATION:TARGET with the first type in ",
         kTypesKey, " as source and one of these as target");
  }
  if (target != schema.seeds) schema.second = target;
}

std::string columns_key(const std::string& type) { return typed_key(kFeatureColumnsKey, type); }

}  // namespace

void StoredTypedModel::describe(const StoredGraph& graph) {
  const TypedSchema& schema = model->schema();
  const NodeType& seeds = schema.nodes[schema.seeds];
  if (task == "nodes") {
    several_labels = !graph.content().nodes_of(seeds.name).label_matrix.empty();
    class_names = graph.text_of(typed_key(kClassNamesKey, seeds.name));
  }
  normalized = normalization_of(graph);
  for (const NodeType& type : schema.nodes) {
    feature_columns.push_back(graph.text_of(columns_key(type.name)));
  }
}

bool is_typed_model(const Document& document) { return document.metadata.contains(kTypesKey); }

void save_typed_model(StoredTypedModel& stored, const TypedInputs& inputs, Document& document) {
  const TypedSchema& schema = stored.model->schema();
  GnnOptions network = stored.model->options();
  TypedSizes sizes{stored.model->num_outputs(), schema.text()};
  document.metadata["frugal.kind"] = "model";
  document.metadata["frugal.tool"] = "gnn-sample";
  write_metadata(described(stored, network, sizes), kModelPrefix, document.metadata);
  if (network.edge_weights) {
    write_metadata(described_typed_weights(network), kModelPrefix, document.metadata);
  }
  save_weighted_draws(network, document.metadata);
  save_scale_and_names(stored, document.metadata);
  if (!stored.relation.empty()) document.metadata[kRelationKey] = stored.relation;
  for (std::size_t t = 0; t < schema.nodes.size(); ++t) {
    if (stored.feature_columns[t].empty()) continue;
    document.metadata[columns_key(schema.nodes[t].name)] = stored.feature_columns[t];
  }
  save_tensors(stored.model->tensors(), document);
  inputs.save(document, true);
}

StoredTypedModel load_typed_model(const Document& document, const std::string& path,
                                  Precision precision) {
  check_document(document, path, {"a model of gnn-sample train", {"model"}, "gnn-sample"});
  StoredTypedModel stored;
  GnnOptions network;
  TypedSizes sizes;
  read_metadata(described(stored, network, sizes), kModelPrefix, document.metadata, path);
  if (document.metadata.contains(kWeightsKey)) {
    read_metadata(described_typed_weights(network), kModelPrefix, document.metadata, path);
  }
  StoredTypedModel plain_model;
  GnnOptions plain_network;
  plain_network.kind = network.kind;
  TypedSizes plain_sizes;
  const OptionFields fields = described(stored, network, sizes);
  describe_edge_weights(fields, network);
  const OptionFields plain = described(plain_model, plain_network, plain_sizes);
  describe_edge_weights(plain, plain_network);
  refuse_without_effect(fields, plain, path);
  if (!conv_kind(network.kind).typed) {
    fail(ExitStatus::bad_input, path, ": metadata 'gnn.model' is '", network.kind, "' beside '",
         kTypesKey, "', expected an architecture for several types of nodes");
  }
  network.precision = precision;
  TypedSchema schema = TypedSchema::parse(sizes.types, path + ": metadata " + kTypesKey);
  load_relation(stored, schema, document, path);
  load_weighted_draws(document.metadata, path, schema.relations.size(), network);
  const std::vector<std::size_t> columns = TypedInputs::columns(schema, stored.embedding);
  const std::uint64_t numbers = check_parameters(document, path);
  const std::uint64_t weights = TypedModel::count_weights(network, schema, columns, sizes.outputs);
  if (weights > numbers) {
    fail(ExitStatus::bad_input, path, ": a network of ", network.hidden, " hidden units, ",
         sizes.outputs, " outputs and these types has ", weights, " weights, found ", numbers,
         " numbers in the file");
  }
  load_scale_and_names(stored, document, path, sizes.outputs);
  for (const NodeType& type : schema.nodes) {
    const auto found = document.metadata.find(columns_key(type.name));
    stored.feature_columns.push_back(found == document.metadata.end() ? "" : found->second);
  }
  stored.model = std::make_unique<TypedModel>(network, std::move(schema), columns, sizes.outputs);
  load_tensors(stored.model->tensors(), document, path);
  check_all_are_read(stored, document, path);
  return stored;
}

}  // namespace frugal::gnn
