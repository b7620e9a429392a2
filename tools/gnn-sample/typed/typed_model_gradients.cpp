#include <algorithm>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/typed/typed_model.h"

namespace frugal::gnn {
namespace {

/// Divides the rows of targets from `begin` on by their numbers of neighbours.
void divide_by_degrees(const Block& block, std::size_t begin, MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::uint32_t degree = block.degree(static_cast<std::uint32_t>(begin + r));
    if (degree > 1) kernels().scale(1.0F / static_cast<float>(degree), rows.row(r), rows.cols);
  }
}

}  // namespace

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
      const MatrixView<const float> outputs = view_of(rows.outputs).rows_between(begin, end);
      if (l.norms[type] == nullptr) {
        activate_backward(options_.activation, drop, begin, outputs, gradient);
        return;
      }
      const MatrixView<const float> sums = view_of(rows.sums).rows_between(begin, end);
      activate_backward(options_.activation, drop, begin, outputs, gradient);
      l.norms[type]->backward(group, sums, gradient);
    });
  }
  l.roots[type].backward(rows_of(input, room, layer, type), view_of(rows.gradients), rows.columns);
}

/// Adds to the gradient of a relation's map, and prepares those of its sources.
void TypedModel::backward_relation(TypedRoom& room, std::size_t layer, std::size_t relation) {
  const RelationType& type = schema_.relations[relation];
  Shortcut& map = layers_[layer].relations[relation];
  TypedRoom::Relation& r = room.layers_[layer].relations[relation];
  const Block& block = r.edges.block();
  const MatrixView<const float> outputs = view_of(room.layers_[layer].types[type.target].gradients);
  r.shares.resize(block.targets, outputs.cols);
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = r.shares.view().rows_between(begin, end);
    SourceRows(outputs).gather(std::span(r.edges.targets()).subspan(begin, end - begin), rows);
    if (r.products_first) divide_by_degrees(block, begin, rows);
  });
  const MatrixView<const float> shares = view_of(r.shares);
  if (!r.products_first) {
    map.backward(SourceRows(view_of(r.rows)), shares, r.columns);
    if (!wants_gradient(layer, type.source)) return;
    r.gradients.resize(block.targets, layers_[layer].in[type.source]);
    for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
      const MatrixView<float> rows = r.gradients.view().rows_between(begin, end);
      set_zero(rows);
      map.add_input_gradient(shares.rows_between(begin, end), rows);
      divide_by_degrees(block, begin, rows);
    });
    return;
  }
  r.gradients.resize(block.sources, outputs.cols);
  for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = r.gradients.view().rows_between(begin, end);
    set_zero(rows);
    add_transposed(r.transposed, begin, end, shares, rows);
  });
  map.backward(r.sources, view_of(r.gradients), r.columns);
}

/// The gradient of the rows of a type that a layer reads.
void TypedModel::backward_rows(const TypedInput& input, TypedRoom& room, std::size_t layer,
                               std::size_t type, RowStore& gradients) const {
  const Layer& l = layers_[layer];
  const TypedBlocks& blocks = input.layers[layer];
  const MatrixView<const float> own = view_of(room.layers_[layer].types[type].gradients);
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
      add_source_gradients(room, layer, r, begin, rows);
    }
  });
}

/// Adds what a relation gives to the gradients of source rows from `begin` on.
void TypedModel::add_source_gradients(const TypedRoom& room, std::size_t layer,
                                      std::size_t relation, std::size_t begin,
                                      MatrixView<float> rows) const {
  const TypedRoom::Relation& r = room.layers_[layer].relations[relation];
  const std::vector<std::uint32_t>& sources = r.edges.sources();
  const auto place = [&](std::size_t row) {
    const auto at = std::lower_bound(sources.begin(), sources.end(), row);
    return static_cast<std::size_t>(at - sources.begin());
  };
  const std::size_t first = place(begin), last = place(begin + rows.rows);
  if (first == last) return;
  const MatrixView<float> added = working_rows(last - first, rows.cols);
  const MatrixView<const float> from = view_of(r.gradients);
  set_zero(added);
  if (r.products_first) {
    layers_[layer].relations[relation].add_input_gradient(from.rows_between(first, last), added);
  } else {
    add_transposed(r.transposed, first, last, from, added);
  }
  for (std::size_t i = first; i < last; ++i) {
    kernels().axpy(1, added.row(i - first), rows.row(sources[i] - begin), rows.cols);
  }
}

void TypedModel::backward_relations(TypedRoom& room, std::size_t layer) {
  const std::vector<Shortcut>& maps = layers_[layer].relations;
  parallel_for(maps.size(), 1, [&](std::size_t r) {
    TypedRoom::Relation& relation = room.layers_[layer].relations[r];
    if (maps[r].empty()) return;
    if (relation.products_first || wants_gradient(layer, schema_.relations[r].source)) {
      relation.transposed.assign(relation.edges.block());
    }
  });
  for (std::size_t r = 0; r < maps.size(); ++r) {
    if (!maps[r].empty()) backward_relation(room, layer, r);
  }
}

void TypedModel::backward(const TypedInput& input, const GnnPass& pass, TypedRoom& room) {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      if (layers_[l].writes[t]) backward_type(input, pass, room, l, t);
    }
    backward_relations(room, l);
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      if (!layers_[l].reads[t] || !wants_gradient(l, t)) continue;
      backward_rows(input, room, l, t,
                    l == 0 ? room.input_gradients_[t] : room.layers_[l - 1].types[t].gradients);
    }
  }
}

}  // namespace frugal::gnn
