#include "tools/gnn-sample/model/model_file.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"
#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/network/conv_kinds.h"

namespace frugal::gnn {
namespace {

/// Sizes that the data gave.
struct DataSizes {
  std::size_t features = 0, outputs = 0;
};

/// The metadata gnn.* of a model.
OptionFields described(StoredModel& stored, GnnOptions& network, DataSizes& sizes) {
  OptionFields f;
  f.add_row_name("model", network.kind, conv_kinds(), "");
  f.add("layers", network.num_layers).range(1, 64);
  describe_network(f, network);
  add_kind_conditions(f, network);
  f.add("features", sizes.features).range(1U, kMaxSize);
  f.add("outputs", sizes.outputs).range(1U, kMaxSize);
  describe_goal(f, stored);
  return f;
}

OptionFields described_weights(GnnOptions& network) {
  OptionFields f;
  describe_edge_weights(f, network);
  return f;
}

/// The metadata of a model that reads features of edges; other models have none.
OptionFields described_edges(GnnOptions& network) {
  OptionFields f;
  f.add("edge-features", network.edge_dim).range(1U, kMaxSize);
  return f;
}

/// The metadata of input rows; models that read the features of the graph alone have none.
constexpr char kInputKey[] = "gnn.input";

OptionFields described_inputs(std::string& names, InputSettings& settings) {
  OptionFields f;
  f.add("input", names).checked("parts of input rows", [](const std::string& text) {
    return InputParts::parse(text).has_value();
  });
  f.add("input-size", settings.size).range(1U, 65536U);
  f.add("input-seed", settings.seed);
  f.add("input-by-name", settings.by_name);
  return f;
}

NodeInputs load_inputs(const Document& document, const std::string& path, std::size_t features) {
  if (!document.metadata.contains(kInputKey)) return NodeInputs();
  InputSettings settings;
  std::string names;
  read_metadata(described_inputs(names, settings), kModelPrefix, document.metadata, path);
  settings.parts = *InputParts::parse(names);
  const std::size_t computed = settings.num_computed();
  if (computed > features || (computed == features) == settings.parts.features) {
    fail(ExitStatus::bad_input, path, ": metadata 'gnn.features' is '", features, "', expected ",
         settings.parts.features ? "more than " : "", computed, ", the columns of ", kInputKey,
         " '", printable(names), "'");
  }
  NodeInputs inputs(settings);
  inputs.load(document, path);
  return inputs;
}

/// The metadata with the keys that earlier versions did not write. They wrote heads of a last layer
/// to models that have dense layers after it.
std::map<std::string, std::string> complete_metadata(std::map<std::string, std::string> metadata) {
  const auto batch = metadata.find("gnn.batch_norm");
  const bool has_batch_norm = batch != metadata.end() && batch->second == "true";
  metadata.try_emplace("gnn.norm", has_batch_norm ? "batch" : "none");
  metadata.try_emplace("gnn.residual", "false");
  metadata.try_emplace("gnn.jumping", "none");
  metadata.try_emplace("gnn.hops", std::to_string(GnnOptions{}.hops));
  metadata.try_emplace("gnn.propagation", "row");
  const auto head = metadata.find("gnn.head_layers");
  if (head != metadata.end() && head->second != "0") metadata["gnn.output_heads"] = "1";
  return metadata;
}

/// Options of the network must go together as on the command line: no model is made for others.
void check_conditions(StoredModel& stored, GnnOptions& network, DataSizes& sizes,
                      const std::string& path) {
  const OptionFields fields = described(stored, network, sizes);
  describe_edge_weights(fields, network);
  StoredModel plain_model;
  GnnOptions plain_network;
  DataSizes plain_sizes;
  const OptionFields plain = described(plain_model, plain_network, plain_sizes);
  describe_edge_weights(plain, plain_network);
  refuse_without_effect(fields, plain, path);
  if (conv_kind(network.kind).typed) {
    fail(ExitStatus::bad_input, path, ": metadata 'gnn.model' is '", network.kind,
         "', expected 'gnn.types' beside it");
  }
  if (conv_kind(network.kind).reads_hops && network.num_layers != 1) {
    fail(ExitStatus::bad_input, path, ": metadata 'gnn.layers' is '", network.num_layers,
         "', expected '1' with ", network.kind);
  }
  if (conv_kind(network.kind).activates_hops && network.head_layers == 0) {
    fail(ExitStatus::bad_input, path,
         ": metadata 'gnn.head_layers' is '0', expected at least '1' with ", network.kind);
  }
}

/// Before a network is made that damaged numbers would make larger than memory.
void check_size(const GnnOptions& o, const DataSizes& sizes, std::uint64_t parameters,
                const std::string& path) {
  const auto [features, outputs] = sizes;
  const ConvKind& kind = conv_kind(o.kind);
  const std::uint64_t width = o.hidden * o.heads, last = outputs * o.output_heads;
  const std::uint64_t inputs = features * (kind.reads_hops ? o.hops + 1 : 1);
  const bool one = o.num_layers == 1 && o.head_layers == 0 && !kind.joins_blocks && !kind.has_mlp;
  // The matrices of hoga: one for the features of all hops, and four of its width.
  const std::uint64_t first = o.kind == "hoga" ? std::max(features, 4 * width) : inputs;
  const std::uint64_t least =
      one ? inputs * last
          : std::max({first * width, inputs, o.hidden * last, features * o.edge_dim,
                      o.num_layers > 2 ? o.hidden * width : 0});
  if (least <= parameters) return;
  fail(ExitStatus::bad_input, path, ": a network of ", features, " features, ", o.hidden,
       " hidden units and ", outputs, " outputs has more than the ", parameters,
       " numbers that are in the file");
}

/// Text of the FeatureColumns, or "".
std::string feature_columns_of(const Document& document, const std::string& path,
                               std::size_t features) {
  const auto found = document.metadata.find(kFeatureColumnsKey);
  if (found == document.metadata.end()) return "";
  const auto place = path + ": metadata " + kFeatureColumnsKey;
  const std::size_t made = FeatureColumns::parse(found->second, place).num_features();
  if (made <= features) return found->second;
  fail(ExitStatus::bad_input, place, " makes ", made, " features, expected at most ", features);
}

}  // namespace

void save_model(StoredModel& stored, Document& document) {
  GnnOptions network = stored.model->options();
  DataSizes sizes{stored.model->num_features(), stored.model->num_outputs()};
  document.metadata["frugal.kind"] = "model";
  document.metadata["frugal.tool"] = "gnn-sample";
  write_metadata(described(stored, network, sizes), kModelPrefix, document.metadata);
  if (network.edge_weights) {
    write_metadata(described_weights(network), kModelPrefix, document.metadata);
  }
  save_weighted_draws(network, document.metadata);
  if (wants_edge_features(network)) {
    write_metadata(described_edges(network), kModelPrefix, document.metadata);
  }
  InputSettings inputs = stored.inputs.settings();
  if (!inputs.parts.only_features()) {
    std::string names = inputs.parts.names();
    write_metadata(described_inputs(names, inputs), kModelPrefix, document.metadata);
  }
  stored.inputs.save(document);
  save_scale_and_names(stored, document.metadata);
  if (!stored.feature_columns.empty()) {
    document.metadata[kFeatureColumnsKey] = stored.feature_columns;
  }
  stored.model->save(document);
}

StoredModel load_model(const Document& document, const std::string& path, Precision precision) {
  check_document(document, path, {"a model of gnn-sample train", {"model"}, "gnn-sample"});
  if (document.metadata.contains(kTypesKey)) {
    fail(ExitStatus::bad_input, path,
         ": is a model for graphs of several types of nodes, expected one for graphs of one type");
  }
  StoredModel stored;
  GnnOptions network;
  DataSizes sizes;
  read_metadata(described(stored, network, sizes), kModelPrefix,
                complete_metadata(document.metadata), path);
  if (document.metadata.contains(kWeightsKey)) {
    read_metadata(described_weights(network), kModelPrefix, document.metadata, path);
  }
  if (wants_edge_features(network)) {
    read_metadata(described_edges(network), kModelPrefix, document.metadata, path);
  }
  check_conditions(stored, network, sizes, path);
  load_weighted_draws(document.metadata, path, 1, network);
  network.precision = precision;
  load_scale_and_names(stored, document, path, sizes.outputs);
  stored.feature_columns = feature_columns_of(document, path, sizes.features);
  check_size(network, sizes, check_parameters(document, path), path);
  stored.model = std::make_unique<GnnModel>(network, sizes.features, sizes.outputs);
  stored.model->load(document, path);
  stored.inputs = load_inputs(document, path, sizes.features);
  return stored;
}

}  // namespace frugal::gnn
