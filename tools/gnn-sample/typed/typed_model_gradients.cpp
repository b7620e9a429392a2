#include <algorithm>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/typed/typed_model.h"

namespace frugal::gnn {

/// Turns the gradient of a type's outputs into that of the sums, and adds to its own map's.
void TypedModel::backward_type(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                               std::size_t layer, std::size_t type) {
  Layer& l = layers_[layer];
  TypedRoom::TypeRows& rows = room.layers_[layer].types[type];
  const std::size_t targets = num_targets(input, layer, type);
  const Dropout drop = dropout(pass, layer, type);
  if (!l.last) {
    for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
      const MatrixView<float> gradient = rows.gradients.view().rows_between(begin, end);
      const MatrixView<const float> outputs = view_of(rows.outputs).rows_between(begin, end);
      if (l.transformer == nullptr) {
        activate_backward(options_.activation, drop, begin, outputs, gradient);
      } else {
        for (std::size_t r = 0; r < gradient.rows; ++r) drop.apply(begin + r, gradient.row_span(r));
      }
      if (l.norms[type] == nullptr) return;
      const MatrixView<const float> sums = view_of(rows.sums).rows_between(begin, end);
      l.norms[type]->backward(group, sums, gradient);
    });
  }
  if (l.transformer != nullptr || keeps_rows(schema_, l, type)) return;
  l.roots[type].backward(rows_of(input, room, layer, type), view_of(rows.gradients), rows.columns);
}

/// The gradient of the rows of a type that a layer reads.
void TypedModel::backward_rows(const TypedInput& input, TypedRoom& room, std::size_t layer,
                               std::size_t type, RowStore& gradients) const {
  const Layer& l = layers_[layer];
  const std::size_t sources = num_sources(input, layer, type);
  const std::size_t targets = l.writes[type] ? num_targets(input, layer, type) : 0;
  const MatrixView<const float> own = view_of(room.layers_[layer].types[type].gradients);
  gradients.resize(sources, l.in[type]);
  for_each_chunk(sources, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = gradients.view().rows_between(begin, end);
    set_zero(rows);
    if (l.transformer != nullptr) {
      l.transformer->add_input_gradient(room.layers_[layer].transformer, type, begin, own, rows);
      return;
    }
    if (keeps_rows(schema_, l, type)) return copy_rows_or_zero(own, begin, end, rows);
    const std::size_t own_end = std::min(end, targets);
    if (begin < own_end) {
      l.roots[type].add_input_gradient(own.rows_between(begin, own_end),
                                       rows.rows_between(0, own_end - begin));
    }
    for (std::size_t r = 0; r < l.relations.size(); ++r) {
      if (l.relations[r] != nullptr) add_relation_gradients(room, layer, r, type, begin, rows);
    }
  });
}

/// Adds what a relation gives to the gradients of a type's rows from `begin` on.
void TypedModel::add_relation_gradients(const TypedRoom& room, std::size_t layer,
                                        std::size_t relation, std::size_t type, std::size_t begin,
                                        MatrixView<float> rows) const {
  const RelationType& ends = schema_.relations[relation];
  const RelationLayer& of_relation = *layers_[layer].relations[relation];
  const TypedRoom::Relation& r = room.layers_[layer].relations[relation];
  const auto add_used = [&](const std::vector<std::uint32_t>& used, const auto& add) {
    const auto place = [&](std::size_t row) {
      const auto at = std::lower_bound(used.begin(), used.end(), row);
      return static_cast<std::size_t>(at - used.begin());
    };
    const std::size_t first = place(begin), last = place(begin + rows.rows);
    if (first == last) return;
    const MatrixView<float> added = working_rows(last - first, rows.cols);
    set_zero(added);
    add(first, last, added);
    for (std::size_t i = first; i < last; ++i) {
      kernels().axpy(1, added.row(i - first), rows.row(used[i] - begin), rows.cols);
    }
  };
  if (ends.source == type) {
    add_used(r.edges.sources(), [&](std::size_t first, std::size_t last, MatrixView<float> added) {
      of_relation.add_source_gradient(*r.room, first, last, added);
    });
  }
  if (ends.target == type && of_relation.reads_targets()) {
    add_used(r.edges.targets(), [&](std::size_t first, std::size_t last, MatrixView<float> added) {
      of_relation.add_target_gradient(*r.room, first, last, added);
    });
  }
}

void TypedModel::backward_relations(TypedRoom& room, std::size_t layer) {
  const auto& relations = layers_[layer].relations;
  parallel_for(relations.size(), 1, [&](std::size_t r) {
    TypedRoom::Relation& relation = room.layers_[layer].relations[r];
    if (relations[r] != nullptr) relations[r]->prepare_backward(relation.input, *relation.room);
  });
  for (std::size_t r = 0; r < relations.size(); ++r) {
    if (relations[r] == nullptr) continue;
    TypedRoom::Relation& relation = room.layers_[layer].relations[r];
    const std::size_t target = schema_.relations[r].target;
    relations[r]->backward(relation.input, *relation.room,
                           view_of(room.layers_[layer].types[target].gradients));
  }
}

void TypedModel::backward_transformer(TypedRoom& room, std::size_t layer) {
  TypedRoom::Layer& l = room.layers_[layer];
  std::vector<MatrixView<const float>> gradients;
  for (const TypedRoom::TypeRows& rows : l.types) gradients.push_back(view_of(rows.gradients));
  layers_[layer].transformer->backward(l.input, l.transformer, gradients);
}

void TypedModel::backward(const TypedInput& input, const GnnPass& pass, TypedRoom& room) {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      if (layers_[l].writes[t]) backward_type(input, pass, room, l, t);
    }
    if (layers_[l].transformer != nullptr) {
      backward_transformer(room, l);
    } else {
      backward_relations(room, l);
    }
    for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
      if (!layers_[l].reads[t] || !wants_gradient(l, t)) continue;
      backward_rows(input, room, l, t,
                    l == 0 ? room.input_gradients_[t] : room.layers_[l - 1].types[t].gradients);
    }
  }
}

}  // namespace frugal::gnn
