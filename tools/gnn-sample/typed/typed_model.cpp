#include "tools/gnn-sample/typed/typed_model.h"

#include <algorithm>
#include <utility>

#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/typed/relation_attention.h"
#include "tools/gnn-sample/typed/relation_mean.h"

namespace frugal::gnn {
namespace {

/// First streams of random numbers for the maps of a node's own row, for those of relations, and
/// for transformers.
constexpr std::uint64_t kRootStream = std::uint64_t{1} << 34;
constexpr std::uint64_t kRelationStream = std::uint64_t{1} << 35;
constexpr std::uint64_t kTransformerStream = std::uint64_t{1} << 36;
/// Streams of a layer.
constexpr std::uint64_t kStreamsOfLayer = 2 * RelationLayer::kMoreStreams;

bool attends(const GnnOptions& options) { return options.kind == "rgat"; }

std::size_t heads_of(const GnnOptions& options, bool last) {
  return last ? options.output_heads : options.heads;
}
}  // namespace

TypedModel::TypedModel(const GnnOptions& options, TypedSchema schema,
                       std::vector<std::size_t> features, std::size_t num_outputs)
    : options_(options),
      schema_(std::move(schema)),
      num_outputs_(num_outputs),
      layers_(plan(options_, schema_, std::move(features), num_outputs)) {
  for (Layer& layer : layers_) add_weights(layer);
}

/// The layers without weights.
std::vector<TypedModel::Layer> TypedModel::plan(const GnnOptions& options,
                                                const TypedSchema& schema,
                                                std::vector<std::size_t> features,
                                                std::size_t num_outputs) {
  const std::size_t maps = is_transformer(options) ? 1 : 0;  // before the layers and after them
  std::vector<Layer> layers(options.num_layers + 2 * maps);
  // From the last layer backwards: what must be computed for the next.
  std::vector<bool> wanted(schema.nodes.size(), false);
  for (std::size_t t = 0; t < wanted.size(); ++t) wanted[t] = schema.has_outputs(t);
  for (std::size_t l = layers.size(); l-- > 0;) {
    layers[l].writes = wanted;
    layers[l].reads_edges = l >= maps && l < layers.size() - maps;
    layers[l].hop = std::min(std::max(l, maps) - maps, options.num_layers);
    for (const RelationType& r : schema.relations) {
      if (layers[l].reads_edges && layers[l].writes[r.target]) wanted[r.source] = true;
    }
    layers[l].reads = wanted;
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    Layer& layer = layers[l];
    layer.last = l + 1 == layers.size();
    layer.out = layer.last ? num_outputs : options.hidden * options.heads;
    layer.in = features;
    std::fill(features.begin(), features.end(), layer.out);
  }
  return layers;
}

std::uint64_t TypedModel::count_weights(const GnnOptions& options, const TypedSchema& schema,
                                        const std::vector<std::size_t>& features,
                                        std::size_t num_outputs) {
  std::uint64_t sum = 0;
  for (const Layer& layer : plan(options, schema, features, num_outputs)) {
    if (layer.reads_edges && is_transformer(options)) {
      sum += TransformerLayer::count_weights(schema, layer.writes, options.heads, options.hidden);
      continue;
    }
    for (std::size_t t = 0; t < schema.nodes.size(); ++t) {
      if (!layer.writes[t] || keeps_rows(schema, layer, t)) continue;
      sum += std::uint64_t{layer.in[t]} * layer.out;
    }
    for (const RelationType& r : schema.relations) {
      if (!layer.reads_edges || !layer.writes[r.target]) continue;
      const std::uint64_t width = layer.out * (layer.last ? options.output_heads : 1);
      sum += layer.in[r.source] * width;
      if (attends(options)) sum += width + layer.in[r.target] * heads_of(options, layer.last);
    }
  }
  return sum;
}

std::unique_ptr<RelationLayer> TypedModel::make_relation(const Layer& layer,
                                                         const RelationType& type) const {
  const std::size_t in = layer.in[type.source];
  if (!attends(options_)) return std::make_unique<RelationMean>(in, layer.out, options_.precision);
  const std::size_t heads = heads_of(options_, layer.last);
  return std::make_unique<RelationAttention>(
      AttentionShape{.in = in,
                     .target_in = layer.in[type.target],
                     .out = layer.last ? layer.out : layer.out / heads,
                     .heads = heads,
                     .concatenate = !layer.last,
                     .dropout = options_.attention_dropout,
                     .precision = options_.precision});
}

void TypedModel::add_weights(Layer& layer) const {
  const bool transforms = is_transformer(options_) && layer.reads_edges;
  const bool has_norm = options_.norm == NormKind::layer && !layer.last && layer.reads_edges;
  if (transforms) {
    layer.transformer =
        std::make_unique<TransformerLayer>(schema_, layer.writes,
                                           TransformerShape{.heads = options_.heads,
                                                            .out = options_.hidden,
                                                            .bias = options_.bias,
                                                            .dropout = options_.attention_dropout,
                                                            .precision = options_.precision});
  }
  for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
    layer.roots.emplace_back();
    layer.norms.emplace_back();
    if (!layer.writes[t]) continue;
    if (!transforms && !keeps_rows(schema_, layer, t)) {
      layer.roots.back() = Shortcut(layer.in[t], layer.out, options_.bias, options_.precision);
    }
    if (has_norm) layer.norms.back() = std::make_unique<LayerNorm>(layer.out);
  }
  for (const RelationType& r : schema_.relations) {
    layer.relations.emplace_back();
    if (!layer.reads_edges || transforms || !layer.writes[r.target]) continue;
    layer.relations.back() = make_relation(layer, r);
  }
}

void TypedModel::randomize(std::uint64_t seed) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    std::vector<Shortcut>& roots = layers_[l].roots;
    for (std::size_t t = 0; t < roots.size(); ++t) {
      if (!roots[t].empty()) roots[t].randomize(seed, kRootStream + l * kStreamsOfLayer + 2 * t);
    }
    const auto& relations = layers_[l].relations;
    for (std::size_t r = 0; r < relations.size(); ++r) {
      if (relations[r] == nullptr) continue;
      relations[r]->randomize(seed, kRelationStream + l * kStreamsOfLayer + 2 * r);
    }
    if (layers_[l].transformer == nullptr) continue;
    layers_[l].transformer->randomize(seed, kTransformerStream + l * kStreamsOfLayer);
  }
}

std::vector<ParameterTensor> TypedModel::tensors() {
  std::vector<ParameterTensor> all;
  const auto add = [&](std::vector<ParameterTensor> tensors) {
    for (ParameterTensor& tensor : tensors) all.push_back(std::move(tensor));
  };
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::string number = std::to_string(l), conv = "convs." + number + ".";
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      const std::string& name = schema_.nodes[t].name;
      Shortcut& root = layers_[l].roots[t];
      if (!root.empty()) add(root.tensors(conv + "root." + name));
      LayerNorm* const norm = layers_[l].norms[t].get();
      if (norm == nullptr) continue;
      const std::string norm_name = "norms." + number + "." + name;
      all.push_back({norm_name + ".weight", &norm->gamma(), {norm->dim()}});
      all.push_back({norm_name + ".bias", &norm->beta(), {norm->dim()}});
    }
    for (std::size_t r = 0; r < schema_.relations.size(); ++r) {
      if (layers_[l].relations[r] == nullptr) continue;
      add(layers_[l].relations[r]->tensors(conv, schema_.relations[r].name));
    }
    if (layers_[l].transformer != nullptr) add(layers_[l].transformer->tensors(conv));
  }
  return all;
}

void TypedModel::prepare_training(const OptimizerOptions& optimizer) {
  for (const NamedWeights& w : weights()) {
    const bool decays = !options_.decay_first_only || w.name.starts_with("convs.0.");
    w.weights->prepare_training(optimizer, decays ? options_.weight_decay : 0);
  }
}

std::unique_ptr<TypedRoom> TypedModel::make_room() const {
  auto room = std::make_unique<TypedRoom>();
  for (const Layer& layer : layers_) {
    TypedRoom::Layer& of_layer = room->layers_.emplace_back();
    for (const auto& relation : layer.relations) {
      of_layer.relations.emplace_back().room = relation ? relation->make_room() : nullptr;
    }
    of_layer.types = std::vector<TypedRoom::TypeRows>(layer.roots.size());
    if (layer.transformer != nullptr) of_layer.transformer = layer.transformer->make_room();
  }
  room->input_gradients_ = std::vector<RowStore>(schema_.nodes.size());
  return room;
}

SourceRows TypedModel::rows_of(const TypedInput& input, const TypedRoom& room, std::size_t layer,
                               std::size_t type) const {
  if (layer == 0) return input.rows[type];
  return SourceRows(view_of(room.layers_[layer - 1].types[type].outputs));
}

Dropout TypedModel::dropout(const GnnPass& pass, std::size_t layer, std::size_t type) const {
  const bool drops = !layers_[layer].last && layers_[layer].reads_edges;
  return {drops ? options_.dropout : 0, pass, layer * schema_.nodes.size() + type};
}

/// The maps of the targets' own rows.
void TypedModel::forward_roots(const TypedInput& input, TypedRoom& room, std::size_t layer,
                               std::size_t type) const {
  const std::size_t targets = num_targets(input, layer, type);
  const SourceRows own = rows_of(input, room, layer, type);
  room.layers_[layer].types[type].outputs.resize(targets, layers_[layer].out);
  RowStore& sums = sums_of(room, layer, type);
  sums.resize(targets, layers_[layer].out);
  for_each_chunk(targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> out = sums.view().rows_between(begin, end);
    if (keeps_rows(schema_, layers_[layer], type)) return own.copy(begin, end, out);
    layers_[layer].roots[type].forward(own, begin, out, 0);
  });
}

/// Sets what a relation reads.
void TypedModel::take_edges(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                            std::size_t layer, std::size_t relation) const {
  const RelationType& type = schema_.relations[relation];
  TypedRoom::Relation& r = room.layers_[layer].relations[relation];
  r.edges.assign(input.layers[layers_[layer].hop].relations[relation]);
  r.input = {.edges = &r.edges,
             .sources = rows_of(input, room, layer, type.source).at(r.edges.sources(), r.sources),
             .targets = {},
             .wants_source_gradient = wants_gradient(layer, type.source),
             .number = layer * schema_.relations.size() + relation,
             .pass = pass};
  if (!layers_[layer].relations[relation]->reads_targets()) return;
  r.input.targets = rows_of(input, room, layer, type.target).at(r.edges.targets(), r.targets);
}

/// Norm, activation and dropout.
void TypedModel::finish_outputs(const GnnPass& pass, TypedRoom& room, std::size_t layer,
                                std::size_t type) const {
  const Layer& l = layers_[layer];
  if (l.last) return;
  const MatrixView<float> outputs = room.layers_[layer].types[type].outputs.view();
  const Dropout drop = dropout(pass, layer, type);
  for_each_chunk(outputs.rows, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> out = outputs.rows_between(begin, end);
    if (l.norms[type] != nullptr) {
      l.norms[type]->normalize(view_of(sums_of(room, layer, type)).rows_between(begin, end), out);
    }
    if (l.transformer == nullptr) return activate(options_.activation, drop, begin, out);
    for (std::size_t r = 0; r < out.rows; ++r) drop.apply(begin + r, out.row_span(r));
  });
}

/// The maps of nodes' own rows, and what relations add.
void TypedModel::forward_relations(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                                   std::size_t layer) const {
  const std::size_t relations = schema_.relations.size();
  for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
    if (layers_[layer].writes[t]) forward_roots(input, room, layer, t);
  }
  parallel_for(relations, 1, [&](std::size_t r) {
    if (layers_[layer].relations[r] != nullptr) take_edges(input, pass, room, layer, r);
  });
  for (std::size_t r = 0; r < relations; ++r) {
    if (layers_[layer].relations[r] == nullptr) continue;
    TypedRoom::Relation& relation = room.layers_[layer].relations[r];
    layers_[layer].relations[r]->forward(relation.input, *relation.room,
                                         sums_of(room, layer, schema_.relations[r].target).view());
  }
}

void TypedModel::forward_transformer(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                                     std::size_t layer) const {
  const Layer& l = layers_[layer];
  TypedRoom::Layer& of_layer = room.layers_[layer];
  const TypedBlocks& blocks = input.layers[l.hop];
  std::vector<RowStore*> sums;
  of_layer.input = {.blocks = blocks.relations,
                    .rows = {},
                    .targets = blocks.targets,
                    .sources = blocks.sources,
                    .number = layer,
                    .pass = pass};
  for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
    of_layer.input.rows.push_back(view_of(room.layers_[layer - 1].types[t].outputs));
    sums.push_back(&sums_of(room, layer, t));
  }
  l.transformer->forward(of_layer.input, of_layer.transformer, sums);
  for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
    if (l.norms[t] != nullptr) of_layer.types[t].outputs.resize(blocks.targets[t], l.out);
  }
}

MatrixView<const float> TypedModel::forward(const TypedInput& input, const GnnPass& pass,
                                            TypedRoom& room) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (layers_[l].transformer != nullptr) {
      forward_transformer(input, pass, room, l);
    } else {
      forward_relations(input, pass, room, l);
    }
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      if (layers_[l].writes[t]) finish_outputs(pass, room, l, t);
    }
  }
  return outputs(room, schema_.seeds);
}

}  // namespace frugal::gnn
