#include "tools/gnn-sample/typed/relation_attention.h"

#include <utility>

#include "libcore/nn/init.h"
#include "libcore/nn/row_store.h"
#include "tools/gnn-sample/layers/edge_attention.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Working rows for the messages of a chunk; attention and Shortcut use others.
constexpr std::size_t kMessagesSlot = 1;

}  // namespace

struct RelationAttention::Room : RelationRoom {
  EdgeAttention attention;
  RowStore h;                            ///< [sources, heads * out] W x
  RowStore dsums;                        ///< [targets, heads * out]
  RowStore dh;                           ///< [sources, heads * out]
  SparseColumns columns, query_columns;  ///< for sparse input
};

RelationAttention::RelationAttention(const AttentionShape& shape)
    : shape_(shape),
      map_(shape.in, shape.heads * shape.out, false, shape.precision),
      attention_(1, shape.heads * shape.out),
      query_(shape.target_in, shape.heads, false, shape.precision) {}

std::unique_ptr<RelationRoom> RelationAttention::make_room() const {
  return std::make_unique<Room>();
}

void RelationAttention::randomize(std::uint64_t seed, std::uint64_t stream) {
  map_.randomize(glorot_bound(shape_.in, width()), seed, stream);
  attention_.randomize(glorot_bound(shape_.heads, shape_.out), seed, stream + kMoreStreams);
  query_.randomize(seed, stream + kMoreStreams + 1);
}

void RelationAttention::forward(const RelationInput& input, RelationRoom& room,
                                MatrixView<float> sums) const {
  auto& r = static_cast<Room&>(room);
  const Block& block = input.edges->block();
  r.attention.assign(block, shape_.heads,
                     Dropout(shape_.dropout, input.pass, kAttentionStream + input.number));
  r.h.resize(block.sources, width());
  for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
    map_.forward(input.sources, begin, r.h.view().rows_between(begin, end), 0);
    for (std::size_t s = begin; s < end; ++s) {
      multiply_heads(attention_.values(), r.h.view().row(s), r.attention.source(s));
    }
  });
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    query_.forward(input.targets, begin, r.attention.target().rows_between(begin, end), 0);
    r.attention.attend(begin, end);
    const MatrixView<float> messages =
        working_rows(end - begin, shape_.concatenate ? width() : shape_.out, kMessagesSlot);
    r.attention.combine(r.h.view(), begin, end, messages);
    add_rows(*input.edges, begin, messages, sums);
  });
}

void RelationAttention::prepare_backward(const RelationInput&, RelationRoom& room) const {
  static_cast<Room&>(room).attention.prepare_backward(true);
}

void RelationAttention::backward(const RelationInput& input, RelationRoom& room,
                                 MatrixView<const float> gradient) {
  auto& r = static_cast<Room&>(room);
  const Block& block = input.edges->block();
  r.dsums.resize(block.targets, width());
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = working_rows(end - begin, gradient.cols, kMessagesSlot);
    take_rows(*input.edges, begin, gradient, rows);
    r.attention.spread(rows, r.dsums.view().rows_between(begin, end));
    r.attention.backward(r.h.view(), r.dsums.view(), begin, end);
  });
  r.dh.resize(block.sources, width());
  for_each_grouped_chunk(block.sources, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dh = r.dh.view().rows_between(begin, end);
    const MatrixView<float> dattention = attention_.gradient(group);
    std::vector<float> by_source(shape_.heads);
    r.attention.source_sums(r.dsums.view(), begin, end, dh);
    for (std::size_t s = begin; s < end; ++s) {
      r.attention.source_gradient(s, by_source);
      add_head_gradients(std::as_const(attention_).values(), by_source, r.h.view().row(s),
                         dh.row(s - begin), dattention);
    }
  });
  map_.backward(input.sources, r.dh.view(), r.columns);
  query_.backward(input.targets, r.attention.target_gradient(), r.query_columns);
}

void RelationAttention::add_source_gradient(const RelationRoom& room, std::size_t begin,
                                            std::size_t end, MatrixView<float> rows) const {
  map_.add_input_gradient(static_cast<const Room&>(room).dh.view().rows_between(begin, end), rows);
}

void RelationAttention::add_target_gradient(const RelationRoom& room, std::size_t begin,
                                            std::size_t end, MatrixView<float> rows) const {
  const EdgeAttention& attention = static_cast<const Room&>(room).attention;
  query_.add_input_gradient(attention.target_gradient().rows_between(begin, end), rows);
}

std::vector<ParameterTensor> RelationAttention::tensors(const std::string& layer,
                                                        const std::string& relation) {
  std::vector<ParameterTensor> all = map_.tensors(layer + "relation." + relation);
  all.push_back(
      {layer + "attention." + relation + ".weight", &attention_, {shape_.heads, shape_.out}});
  for (ParameterTensor& tensor : query_.tensors(layer + "query." + relation)) {
    all.push_back(std::move(tensor));
  }
  return all;
}

}  // namespace frugal::gnn
