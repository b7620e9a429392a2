#include "tools/gnn-sample/typed/transformer_layer.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Streams of the maps of a type and of a relation.
constexpr std::uint64_t kTypeStreams = 8;
constexpr std::uint64_t kRelationStreams = std::uint64_t{1} << 23;

void set_all(Weights& row, float value) {
  for (float& x : row.values().row_span(0)) x = value;
  row.changed();
}

}  // namespace

TransformerLayer::TransformerLayer(const TypedSchema& schema, std::vector<bool> writes,
                                   const TransformerShape& shape)
    : schema_(schema), shape_(shape), types_(writes.size()), relations_(schema.relations.size()) {
  const std::size_t width = shape.width();
  for (std::size_t t = 0; t < writes.size(); ++t) types_[t].written = writes[t];
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    const RelationType& ends = schema.relations[r];
    if (!writes[ends.target]) continue;
    relations_[r] = {HeadMaps(shape.heads, shape.out), HeadMaps(shape.heads, shape.out),
                     Weights(1, shape.heads), true};
    set_all(relations_[r].prior, 1);
    types_[ends.source].is_source = true;
    types_[ends.target].is_target = true;
  }
  const auto map = [&] { return Shortcut(width, width, shape.bias, shape.precision); };
  for (Type& type : types_) {
    if (type.is_source) {
      type.key = map();
      type.value = map();
    }
    if (!type.is_target) continue;
    type.query = map();
    type.output = map();
    type.skip = Weights(1, 1);
    set_all(type.skip, 1);
  }
}

std::uint64_t TransformerLayer::count_weights(const TypedSchema& schema,
                                              const std::vector<bool>& writes, std::uint64_t heads,
                                              std::uint64_t columns) {
  std::vector<bool> is_source(writes.size(), false), is_target(writes.size(), false);
  std::uint64_t sum = 0;
  for (const RelationType& ends : schema.relations) {
    if (!writes[ends.target]) continue;
    is_source[ends.source] = true;
    is_target[ends.target] = true;
    sum += 2 * heads * columns * columns + heads;
  }
  const std::uint64_t square = heads * columns * heads * columns;
  for (std::size_t t = 0; t < writes.size(); ++t) {
    if (is_source[t]) sum += 2 * square;
    if (is_target[t]) sum += 2 * square + 1;
  }
  return sum;
}

TransformerRoom TransformerLayer::make_room() const {
  TransformerRoom room;
  room.relations_ = std::vector<TransformerRoom::Relation>(relations_.size());
  room.types_ = std::vector<TransformerRoom::Type>(types_.size());
  return room;
}

void TransformerLayer::randomize(std::uint64_t seed, std::uint64_t stream) {
  for (std::size_t t = 0; t < types_.size(); ++t) {
    std::uint64_t next = stream + kTypeStreams * t;
    for (Shortcut* map : {&types_[t].key, &types_[t].value, &types_[t].query, &types_[t].output}) {
      if (!map->empty()) map->randomize(seed, next);
      next += 2;
    }
    if (types_[t].is_target) set_all(types_[t].skip, 1);
  }
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    if (!relations_[r].read) continue;
    relations_[r].attention.randomize(seed, stream + kRelationStreams + 2 * r);
    relations_[r].message.randomize(seed, stream + kRelationStreams + 2 * r + 1);
    set_all(relations_[r].prior, 1);
  }
}

float TransformerLayer::gate(std::size_t type) const {
  return 1 / (1 + std::exp(-types_[type].skip.values()(0, 0)));
}

/// mu / sqrt(d) of each head.
std::vector<float> TransformerLayer::factors_of(const Relation& relation) const {
  const std::span<const float> prior = relation.prior.values().row_span(0);
  std::vector<float> factors(prior.begin(), prior.end());
  for (float& x : factors) x /= std::sqrt(static_cast<float>(shape_.out));
  return factors;
}

/// K and V of the sources, Q of the targets.
void TransformerLayer::project(const TransformerInput& input, TransformerRoom& room,
                               std::size_t type) const {
  const Type& t = types_[type];
  const SourceRows rows(input.rows[type]);
  const auto fill = [&](const Shortcut& map, std::size_t count, RowStore& to) {
    to.resize(count, shape_.width());
    for_each_chunk(count, [&](std::size_t begin, std::size_t end) {
      map.forward(rows, begin, to.view().rows_between(begin, end), 0);
    });
  };
  TransformerRoom::Type& store = room.types_[type];
  if (t.is_source) {
    fill(t.key, input.sources[type], store.keys);
    fill(t.value, input.sources[type], store.values);
  }
  if (t.is_target) fill(t.query, input.targets[type], store.queries);
}

/// Joins the edges of the relations that lead to the type.
void TransformerLayer::merge(const TransformerInput& input, TransformerRoom& room,
                             std::size_t type) const {
  TransformerRoom::Type& t = room.types_[type];
  std::vector<const UsedEdges*> parts;
  std::size_t sources = 0;
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    if (!relations_[r].read || schema_.relations[r].target != type) continue;
    room.relations_[r].first = sources;
    sources += room.relations_[r].edges.sources().size();
    parts.push_back(&room.relations_[r].edges);
  }
  t.edges.assign(input.targets[type], parts);
  t.attention.assign(
      t.edges.block(), shape_.heads,
      Dropout(shape_.dropout, input.pass, kAttentionStream + input.number * types_.size() + type));
  t.source_keys.resize(sources, shape_.width());
  t.messages.resize(sources, shape_.width());
}

/// Multiplies K and V of a relation's sources by its matrices. Keys have the factor mu / sqrt(d).
void TransformerLayer::fill_tables(TransformerRoom& room, std::size_t relation) const {
  const Relation& r = relations_[relation];
  const TransformerRoom::Relation& used = room.relations_[relation];
  const TransformerRoom::Type& source = room.types_[schema_.relations[relation].source];
  TransformerRoom::Type& target = room.types_[schema_.relations[relation].target];
  const std::vector<float> factors = factors_of(r), ones(shape_.heads, 1);
  const std::span<const std::uint32_t> numbers = used.edges.sources();
  for_each_chunk(numbers.size(), [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = working_rows(end - begin, shape_.width(), kRowsSlot);
    const auto fill = [&](const RowStore& from, const HeadMaps& maps, std::span<const float> scales,
                          RowStore& to) {
      SourceRows(view_of(from)).gather(numbers.subspan(begin, end - begin), rows);
      maps.forward(rows, scales, to.view().rows_between(used.first + begin, used.first + end));
    };
    fill(source.keys, r.attention, factors, target.source_keys);
    fill(source.values, r.message, ones, target.messages);
  });
}

/// Mixes the messages of a type's targets, and computes their rows.
void TransformerLayer::attend(const TransformerInput& input, TransformerRoom& room,
                              std::size_t type, RowStore& sums) const {
  TransformerRoom::Type& t = room.types_[type];
  const std::size_t targets = input.targets[type], width = shape_.width();
  for (RowStore* rows : {&t.mixed, &t.active, &t.mapped}) rows->resize(targets, width);
  const Block& block = t.edges.block();
  const MatrixView<const float> keys = view_of(t.source_keys);
  const float g = gate(type);
  for_each_chunk(targets, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const float* const query = t.queries.view().row(v);
      for (std::size_t e = block.offsets[v]; e < block.offsets[v + 1]; ++e) {
        const float* const key = keys.row(block.neighbors[e]);
        for (std::size_t k = 0; k < shape_.heads; ++k) {
          t.attention.edge_logit(e)[k] =
              kernels().dot(query + k * shape_.out, key + k * shape_.out, shape_.out);
        }
      }
      t.attention.attend_by_logits(v);
    }
    const auto part = [&](RowStore& rows) { return rows.view().rows_between(begin, end); };
    t.attention.combine(view_of(t.messages), begin, end, part(t.mixed));
    for (std::size_t v = begin; v < end; ++v) {
      kernels().gelu(t.mixed.view().row(v), t.active.view().row(v), width);
    }
    types_[type].output.forward(SourceRows(view_of(t.active)), begin, part(t.mapped), 0);
    for (std::size_t v = begin; v < end; ++v) {
      float* const y = sums.view().row(v);
      std::copy_n(t.mapped.view().row(v), width, y);
      kernels().scale(g, y, width);
      kernels().axpy(1 - g, input.rows[type].row(v), y, width);
    }
  });
}

void TransformerLayer::forward(const TransformerInput& input, TransformerRoom& room,
                               const std::vector<RowStore*>& sums) const {
  const std::size_t types = types_.size();
  for (std::size_t t = 0; t < types; ++t) project(input, room, t);
  parallel_for(relations_.size(), 1, [&](std::size_t r) {
    if (relations_[r].read) room.relations_[r].edges.assign(input.blocks[r]);
  });
  parallel_for(types, 1, [&](std::size_t t) {
    if (types_[t].is_target) merge(input, room, t);
  });
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    if (relations_[r].read) fill_tables(room, r);
  }
  for (std::size_t t = 0; t < types; ++t) {
    if (!types_[t].written) continue;
    sums[t]->resize(input.targets[t], shape_.width());
    if (types_[t].is_target) {
      attend(input, room, t, *sums[t]);
    } else {
      copy_rows_or_zero(input.rows[t], 0, input.targets[t], sums[t]->view());
    }
  }
}

std::vector<ParameterTensor> TransformerLayer::tensors(const std::string& layer) {
  std::vector<ParameterTensor> all;
  const auto add = [&](Shortcut& map, const std::string& name) {
    if (map.empty()) return;
    for (ParameterTensor& tensor : map.tensors(layer + name)) all.push_back(std::move(tensor));
  };
  for (std::size_t t = 0; t < types_.size(); ++t) {
    const std::string& name = schema_.nodes[t].name;
    add(types_[t].key, "key." + name);
    add(types_[t].value, "value." + name);
    add(types_[t].query, "query." + name);
    add(types_[t].output, "output." + name);
    if (types_[t].is_target) all.push_back({layer + "skip." + name, &types_[t].skip, {1}});
  }
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    if (!relations_[r].read) continue;
    const std::string& name = schema_.relations[r].name;
    all.push_back(relations_[r].attention.tensor(layer + "attention." + name + ".weight"));
    all.push_back(relations_[r].message.tensor(layer + "message." + name + ".weight"));
    all.push_back({layer + "prior." + name, &relations_[r].prior, {shape_.heads}});
  }
  return all;
}

}  // namespace frugal::gnn
