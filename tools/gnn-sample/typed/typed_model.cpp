#include "tools/gnn-sample/typed/typed_model.h"

#include <algorithm>
#include <utility>

namespace frugal::gnn {
namespace {

/// First streams of random numbers for the maps of a node's own row, and for those of relations.
constexpr std::uint64_t kRootStream = std::uint64_t{1} << 34;
constexpr std::uint64_t kRelationStream = std::uint64_t{1} << 35;
/// Streams of a layer.
constexpr std::uint64_t kStreamsOfLayer = std::uint64_t{1} << 24;
/// Working rows for the means of a chunk; Shortcut uses others.
constexpr std::size_t kMeansSlot = 1;
/// Multiplications that take as long as reading a number of another row.
constexpr double kProductsPerRead = 8;

/// True if the product of all sources' rows with the weights, before the means, is less work than
/// the product of the means.
bool multiplies_first(const SourceRows& rows, const Block& block, std::size_t out) {
  if (rows.sparse()) return gains_by_products_first(rows, block, out);
  const double products = static_cast<double>(rows.dim() * out) / kProductsPerRead;
  const double edges = block.num_edges();
  return block.sources * products + edges * static_cast<double>(out) <
         block.targets * products + edges * static_cast<double>(rows.dim());
}

/// Divides the rows of targets from `begin` on by their numbers of neighbours.
void divide_by_degrees(const Block& block, std::size_t begin, MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::uint32_t degree = block.degree(static_cast<std::uint32_t>(begin + r));
    if (degree > 1) kernels().scale(1.0F / static_cast<float>(degree), rows.row(r), rows.cols);
  }
}

MatrixView<const float> as_const(const RowStore& rows) { return rows.view(); }

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
  std::vector<Layer> layers(options.num_layers);
  // From the last layer backwards: what must be computed for the next.
  std::vector<bool> wanted(schema.nodes.size(), false);
  wanted[schema.seeds] = true;
  for (std::size_t l = layers.size(); l-- > 0;) {
    layers[l].writes = wanted;
    for (const RelationType& r : schema.relations) {
      if (layers[l].writes[r.target]) wanted[r.source] = true;
    }
    layers[l].reads = wanted;
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    Layer& layer = layers[l];
    layer.last = l + 1 == layers.size();
    layer.out = layer.last ? num_outputs : options.hidden;
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
    for (std::size_t t = 0; t < schema.nodes.size(); ++t) {
      if (layer.writes[t]) sum += std::uint64_t{layer.in[t]} * layer.out;
    }
    for (const RelationType& r : schema.relations) {
      if (layer.writes[r.target]) sum += std::uint64_t{layer.in[r.source]} * layer.out;
    }
  }
  return sum;
}

void TypedModel::add_weights(Layer& layer) const {
  const bool has_norm = options_.norm == NormKind::layer && !layer.last;
  for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
    layer.roots.emplace_back();
    layer.norms.emplace_back();
    if (!layer.writes[t]) continue;
    layer.roots.back() = Shortcut(layer.in[t], layer.out, options_.bias, options_.precision);
    if (has_norm) layer.norms.back() = std::make_unique<LayerNorm>(layer.out);
  }
  for (const RelationType& r : schema_.relations) {
    layer.relations.emplace_back();
    if (!layer.writes[r.target]) continue;
    layer.relations.back() = Shortcut(layer.in[r.source], layer.out, false, options_.precision);
  }
}

void TypedModel::randomize(std::uint64_t seed) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const auto draw = [&](std::vector<Shortcut>& maps, std::uint64_t stream) {
      for (std::size_t i = 0; i < maps.size(); ++i) {
        if (!maps[i].empty()) maps[i].randomize(seed, stream + l * kStreamsOfLayer + 2 * i);
      }
    };
    draw(layers_[l].roots, kRootStream);
    draw(layers_[l].relations, kRelationStream);
  }
}

std::vector<ParameterTensor> TypedModel::tensors() {
  std::vector<ParameterTensor> all;
  const auto add = [&](std::vector<ParameterTensor> tensors) {
    for (ParameterTensor& tensor : tensors) all.push_back(std::move(tensor));
  };
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::string number = std::to_string(l);
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      const std::string& name = schema_.nodes[t].name;
      Shortcut& root = layers_[l].roots[t];
      if (!root.empty()) add(root.tensors("convs." + number + ".root." + name));
      LayerNorm* const norm = layers_[l].norms[t].get();
      if (norm == nullptr) continue;
      const std::string norm_name = "norms." + number + "." + name;
      all.push_back({norm_name + ".weight", &norm->gamma(), {norm->dim()}});
      all.push_back({norm_name + ".bias", &norm->beta(), {norm->dim()}});
    }
    for (std::size_t r = 0; r < schema_.relations.size(); ++r) {
      Shortcut& map = layers_[l].relations[r];
      if (map.empty()) continue;
      add(map.tensors("convs." + number + ".relation." + schema_.relations[r].name));
    }
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
    of_layer.relations = std::vector<TypedRoom::Relation>(layer.relations.size());
    of_layer.types = std::vector<TypedRoom::TypeRows>(layer.roots.size());
  }
  room->input_gradients_ = std::vector<RowStore>(schema_.nodes.size());
  return room;
}

SourceRows TypedModel::rows_of(const TypedInput& input, const TypedRoom& room, std::size_t layer,
                               std::size_t type) const {
  if (layer == 0) return input.rows[type];
  return SourceRows(as_const(room.layers_[layer - 1].types[type].outputs));
}

Dropout TypedModel::dropout(const GnnPass& pass, std::size_t layer, std::size_t type) const {
  return {layers_[layer].last ? 0 : options_.dropout, pass, layer * schema_.nodes.size() + type};
}

/// Makes room for the means of a relation, or computes the products of its sources.
void TypedModel::prepare_relation(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                                  std::size_t layer, std::size_t relation) const {
  const Shortcut& map = layers_[layer].relations[relation];
  const Block& block = input.layers[layer].relations[relation];
  TypedRoom::Relation& r = room.layers_[layer].relations[relation];
  const SourceRows rows = rows_of(input, room, layer, schema_.relations[relation].source);
  r.products_first = multiplies_first(rows, block, layers_[layer].out);
  if (!r.products_first) {
    if (pass.training) r.rows.resize(block.targets, rows.dim());
    return;
  }
  r.rows.resize(block.sources, layers_[layer].out);
  for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
    map.forward(rows, begin, r.rows.view().rows_between(begin, end), 0);
  });
}

/// Adds what a relation gives targets from `begin` on.
void TypedModel::add_messages(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                              std::size_t layer, std::size_t relation, std::size_t begin,
                              MatrixView<float> out) const {
  const Block& block = input.layers[layer].relations[relation];
  TypedRoom::Relation& r = room.layers_[layer].relations[relation];
  const std::size_t end = begin + out.rows;
  if (r.products_first) {
    SourceRows(as_const(r.rows)).aggregate(block, begin, end, {.mean = true, .add = true}, out);
    return;
  }
  const SourceRows rows = rows_of(input, room, layer, schema_.relations[relation].source);
  const MatrixView<float> means = pass.training ? r.rows.view().rows_between(begin, end)
                                                : working_rows(out.rows, rows.dim(), kMeansSlot);
  rows.aggregate(block, begin, end, {.mean = true}, means);
  layers_[layer].relations[relation].forward(SourceRows(means), 0, out, 1);
}

void TypedModel::forward_type(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                              std::size_t layer, std::size_t type) const {
  const Layer& l = layers_[layer];
  TypedRoom::TypeRows& rows = room.layers_[layer].types[type];
  const std::size_t targets = input.layers[layer].targets[type];
  const LayerNorm* const norm = l.norms[type].get();
  rows.outputs.resize(targets, l.out);
  if (norm != nullptr) rows.sums.resize(targets, l.out);
  const SourceRows own = rows_of(input, room, layer, type);
  const Dropout drop = dropout(pass, layer, type);
  for_each_chunk(targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> out = rows.outputs.view().rows_between(begin, end);
    const MatrixView<float> sums =
        norm == nullptr ? out : rows.sums.view().rows_between(begin, end);
    l.roots[type].forward(own, begin, sums, 0);
    for (std::size_t r = 0; r < l.relations.size(); ++r) {
      if (schema_.relations[r].target != type) continue;
      add_messages(input, pass, room, layer, r, begin, sums);
    }
    if (norm != nullptr) norm->normalize(sums, out);
    if (!l.last) activate(options_.activation, drop, begin, out);
  });
}

MatrixView<const float> TypedModel::forward(const TypedInput& input, const GnnPass& pass,
                                            TypedRoom& room) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    for (std::size_t r = 0; r < schema_.relations.size(); ++r) {
      if (!layers_[l].relations[r].empty()) prepare_relation(input, pass, room, l, r);
    }
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      if (layers_[l].writes[t]) forward_type(input, pass, room, l, t);
    }
  }
  return as_const(room.layers_.back().types[schema_.seeds].outputs);
}

RowStore& TypedModel::output_gradient(TypedRoom& room) const {
  return room.layers_.back().types[schema_.seeds].gradients;
}

/// Turns the gradient of a type's outputs into that of the sums, and adds to its own map's.
void TypedModel::backward_type(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                               std::size_t layer, std::size_t type) {
  Layer& l = layers_[layer];
  TypedRoom::TypeRows& rows = room.layers_[layer].types[type];
  const std::size_t targets = input.layers[layer].targets[type];
  const Dropout drop = dropout(pass, layer, type);
  if (!l.last) {
    for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
      const MatrixView<float> gradient = rows.gradients.view().rows_between(begin, end);
      const MatrixView<const float> outputs = as_const(rows.outputs).rows_between(begin, end);
      if (l.norms[type] == nullptr) {
        activate_backward(options_.activation, drop, begin, outputs, gradient);
        return;
      }
      const MatrixView<const float> sums = as_const(rows.sums).rows_between(begin, end);
      activate_backward(options_.activation, drop, begin, outputs, gradient);
      l.norms[type]->backward(group, sums, gradient);
    });
  }
  l.roots[type].backward(rows_of(input, room, layer, type), as_const(rows.gradients), rows.columns);
}

/// Adds to the gradient of a relation's map, and prepares those of its sources.
void TypedModel::backward_relation(const TypedInput& input, TypedRoom& room, std::size_t layer,
                                   std::size_t relation) {
  const auto [name, source, target] = schema_.relations[relation];
  Shortcut& map = layers_[layer].relations[relation];
  const Block& block = input.layers[layer].relations[relation];
  TypedRoom::Relation& r = room.layers_[layer].relations[relation];
  const MatrixView<const float> gradient = as_const(room.layers_[layer].types[target].gradients);
  if (r.products_first || wants_gradient(layer, source)) r.transposed.assign(block);
  if (!r.products_first) {
    map.backward(SourceRows(as_const(r.rows)), gradient, r.columns);
    if (!wants_gradient(layer, source)) return;
    r.gradients.resize(block.targets, layers_[layer].in[source]);
    for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
      const MatrixView<float> rows = r.gradients.view().rows_between(begin, end);
      set_zero(rows);
      map.add_input_gradient(gradient.rows_between(begin, end), rows);
      divide_by_degrees(block, begin, rows);
    });
    return;
  }
  r.shares.resize(block.targets, gradient.cols);
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = r.shares.view().rows_between(begin, end);
    copy_rows_or_zero(gradient, begin, end, rows);
    divide_by_degrees(block, begin, rows);
  });
  r.gradients.resize(block.sources, gradient.cols);
  for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = r.gradients.view().rows_between(begin, end);
    set_zero(rows);
    add_transposed(r.transposed, begin, end, as_const(r.shares), rows);
  });
  map.backward(rows_of(input, room, layer, source), as_const(r.gradients), r.columns);
}

/// The gradient of the rows of a type that a layer reads.
void TypedModel::backward_rows(const TypedInput& input, TypedRoom& room, std::size_t layer,
                               std::size_t type, RowStore& gradients) const {
  const Layer& l = layers_[layer];
  const TypedBlocks& blocks = input.layers[layer];
  const TypedRoom::Layer& of_layer = room.layers_[layer];
  const MatrixView<const float> own = as_const(of_layer.types[type].gradients);
  gradients.resize(blocks.sources[type], l.in[type]);
  for_each_chunk(blocks.sources[type], [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = gradients.view().rows_between(begin, end);
    set_zero(rows);
    const std::size_t own_end =
        l.writes[type] ? std::min<std::size_t>(end, blocks.targets[type]) : 0;
    if (begin < own_end) {
      l.roots[type].add_input_gradient(own.rows_between(begin, own_end),
                                       rows.rows_between(0, own_end - begin));
    }
    for (std::size_t r = 0; r < l.relations.size(); ++r) {
      if (l.relations[r].empty() || schema_.relations[r].source != type) continue;
      const TypedRoom::Relation& relation = of_layer.relations[r];
      const MatrixView<const float> from = as_const(relation.gradients);
      if (relation.products_first) {
        l.relations[r].add_input_gradient(from.rows_between(begin, end), rows);
      } else {
        add_transposed(relation.transposed, begin, end, from, rows);
      }
    }
  });
}

void TypedModel::backward(const TypedInput& input, const GnnPass& pass, TypedRoom& room) {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      if (layers_[l].writes[t]) backward_type(input, pass, room, l, t);
    }
    for (std::size_t r = 0; r < schema_.relations.size(); ++r) {
      if (!layers_[l].relations[r].empty()) backward_relation(input, room, l, r);
    }
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      if (!layers_[l].reads[t] || !wants_gradient(l, t)) continue;
      backward_rows(input, room, l, t,
                    l == 0 ? room.input_gradients_[t] : room.layers_[l - 1].types[t].gradients);
    }
  }
}

}  // namespace frugal::gnn
