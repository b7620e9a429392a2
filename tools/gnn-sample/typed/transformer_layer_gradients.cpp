#include <algorithm>
#include <cmath>
#include <span>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/typed/transformer_layer.h"

namespace frugal::gnn {

/// The gradients of Q, of the weights of edges and of a type's own parameters.
void TransformerLayer::backward_target(const TransformerInput& input, TransformerRoom& room,
                                       std::size_t type, MatrixView<const float> gradient) {
  TransformerRoom::Type& t = room.types_[type];
  const std::size_t targets = input.targets[type], width = shape_.width();
  for (RowStore* rows : {&t.dmapped, &t.dmixed, &t.dqueries}) rows->resize(targets, width);
  const float g = gate(type);
  for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    float slope = 0;
    for (std::size_t v = begin; v < end; ++v) {
      const float* const dy = gradient.row(v);
      slope += kernels().dot(dy, t.mapped.view().row(v), width) -
               kernels().dot(dy, input.rows[type].row(v), width);
      float* const dmapped = t.dmapped.view().row(v);
      std::copy_n(dy, width, dmapped);
      kernels().scale(g, dmapped, width);
    }
    types_[type].skip.gradient(group)(0, 0) += g * (1 - g) * slope;
  });
  types_[type].output.backward(SourceRows(view_of(t.active)), view_of(t.dmapped), t.columns);
  for_each_chunk(targets, [&](std::size_t begin, std::size_t end) {
    const auto part = [&](RowStore& rows) { return rows.view().rows_between(begin, end); };
    set_zero(part(t.dmixed));
    types_[type].output.add_input_gradient(part(t.dmapped), part(t.dmixed));
    for (std::size_t v = begin; v < end; ++v) {
      kernels().gelu_backward(t.mixed.view().row(v), t.dmixed.view().row(v), width);
      t.attention.weight_gradients(view_of(t.messages), view_of(t.dmixed), v);
      t.attention.logit_gradients(v);
    }
    t.attention.target_logit_sums(view_of(t.source_keys), begin, end, part(t.dqueries));
  });
}

/// The gradients of a relation's matrices, and what it adds to those of K and V.
void TransformerLayer::backward_relation(TransformerRoom& room, std::size_t relation) {
  Relation& r = relations_[relation];
  const TransformerRoom::Relation& used = room.relations_[relation];
  TransformerRoom::Type& source = room.types_[schema_.relations[relation].source];
  const TransformerRoom::Type& target = room.types_[schema_.relations[relation].target];
  const std::vector<float> factors = factors_of(r), ones(shape_.heads, 1);
  const float scale = 1 / std::sqrt(static_cast<float>(shape_.out));
  const std::span<const std::uint32_t> numbers = used.edges.sources();
  const std::size_t width = shape_.width(), columns = shape_.out;
  for_each_grouped_chunk(
      numbers.size(), [&](std::size_t group, std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin, first = used.first + begin;
        // Products read a panel after a column of the first rows, which the others make room for.
        const MatrixView<float> rows = working_rows(n, 3 * width, kRowsSlot);
        const MatrixView<float> above(rows.data, n, width, rows.stride);
        const MatrixView<float> below(rows.data + width, n, width, rows.stride);
        const MatrixView<float> inputs(rows.data + 2 * width, n, width, rows.stride);
        const std::span<const std::uint32_t> chunk = numbers.subspan(begin, n);
        SourceRows(view_of(source.values)).gather(chunk, inputs);
        target.attention.source_sums(view_of(target.dmixed), first, first + n, above);
        r.message.add_gradient(group, inputs, ones, above);
        r.message.multiply_transposed(above, below);
        for (std::size_t i = 0; i < n; ++i) {
          kernels().axpy(1, below.row(i), source.dvalues.view().row(chunk[i]), width);
        }
        SourceRows(view_of(source.keys)).gather(chunk, inputs);
        target.attention.source_logit_sums(view_of(target.queries), first, first + n, above);
        r.attention.add_gradient(group, inputs, factors, above);
        r.attention.multiply_transposed(above, below);
        const std::span<float> dprior = r.prior.gradient(group).row_span(0);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t k = 0; k < shape_.heads; ++k) {
            const float* const of_head = below.row(i) + k * columns;
            dprior[k] += scale * kernels().dot(of_head, inputs.row(i) + k * columns, columns);
            kernels().axpy(factors[k], of_head, source.dkeys.view().row(chunk[i]) + k * columns,
                           columns);
          }
        }
      });
}

/// The gradients of the maps that make K, V and Q.
void TransformerLayer::backward_maps(const TransformerInput& input, TransformerRoom& room,
                                     std::size_t type) {
  Type& t = types_[type];
  TransformerRoom::Type& rows = room.types_[type];
  const SourceRows own(input.rows[type]);
  if (t.is_source) {
    t.key.backward(own, view_of(rows.dkeys), rows.columns);
    t.value.backward(own, view_of(rows.dvalues), rows.columns);
  }
  if (t.is_target) t.query.backward(own, view_of(rows.dqueries), rows.columns);
}

void TransformerLayer::backward(const TransformerInput& input, TransformerRoom& room,
                                const std::vector<MatrixView<const float>>& gradients) {
  const std::size_t types = types_.size();
  for (std::size_t t = 0; t < types; ++t) {
    if (!types_[t].is_source) continue;
    for (RowStore* rows : {&room.types_[t].dkeys, &room.types_[t].dvalues}) {
      rows->resize(input.sources[t], shape_.width());
      for_each_chunk(input.sources[t], [&](std::size_t begin, std::size_t end) {
        set_zero(rows->view().rows_between(begin, end));
      });
    }
  }
  parallel_for(types, 1, [&](std::size_t t) {
    if (types_[t].is_target) room.types_[t].attention.prepare_backward(true);
  });
  for (std::size_t t = 0; t < types; ++t) {
    if (types_[t].is_target) backward_target(input, room, t, gradients[t]);
  }
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    if (relations_[r].read) backward_relation(room, r);
  }
  for (std::size_t t = 0; t < types; ++t) backward_maps(input, room, t);
}

void TransformerLayer::add_input_gradient(const TransformerRoom& room, std::size_t type,
                                          std::size_t begin, MatrixView<const float> gradient,
                                          MatrixView<float> rows) const {
  const Type& t = types_[type];
  const TransformerRoom::Type& of_type = room.types_[type];
  if (t.is_source) {
    const auto part = [&](const RowStore& from) {
      return view_of(from).rows_between(begin, begin + rows.rows);
    };
    t.key.add_input_gradient(part(of_type.dkeys), rows);
    t.value.add_input_gradient(part(of_type.dvalues), rows);
  }
  const std::size_t end = std::min(begin + rows.rows, gradient.rows);
  if (!t.written || begin >= end) return;
  if (t.is_target) {
    t.query.add_input_gradient(view_of(of_type.dqueries).rows_between(begin, end),
                               rows.rows_between(0, end - begin));
  }
  const float share = t.is_target ? 1 - gate(type) : 1;
  for (std::size_t v = begin; v < end; ++v) {
    kernels().axpy(share, gradient.row(v), rows.row(v - begin), rows.cols);
  }
}

}  // namespace frugal::gnn
