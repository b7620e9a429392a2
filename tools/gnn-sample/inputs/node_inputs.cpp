#include "tools/gnn-sample/inputs/node_inputs.h"

#include <numeric>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/nn/row_store.h"
#include "libcore/system/limits.h"
#include "tools/gnn-sample/data/node_lookup.h"
#include "tools/gnn-sample/inputs/degree_columns.h"
#include "tools/gnn-sample/inputs/projection.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/source_rows.h"

namespace frugal::gnn {
namespace {

MatrixView<float> columns_of(MatrixView<float> rows, std::size_t begin, std::size_t end) {
  return {rows.data + begin, rows.rows, end - begin, rows.stride};
}

/// Sparse rows with the columns of `computed` after theirs, as f32.
SparseRows with_columns(const FeatureView& features, MatrixView<const float> computed) {
  SparseRows all;
  all.dim = features.dim + computed.cols;
  std::vector<std::uint32_t> added(computed.cols);
  std::iota(added.begin(), added.end(), static_cast<std::uint32_t>(features.dim));
  const std::uint64_t size = features.size() + std::uint64_t{computed.rows} * computed.cols;
  check_memory("the input rows", size * (sizeof(std::uint32_t) + sizeof(float)));
  all.columns.reserve(size);
  all.values.resize(size * sizeof(float));
  float* to = all.floats().data();
  std::vector<float> room;
  for (std::size_t v = 0; v < features.rows; ++v) {
    const auto columns = features.row_columns(v);
    const float* const values = features.row_values(v, room);
    all.columns.insert(all.columns.end(), columns.begin(), columns.end());
    for (std::size_t i = 0; i < columns.size(); ++i) *to++ = values == nullptr ? 1 : values[i];
    all.columns.insert(all.columns.end(), added.begin(), added.end());
    to = std::copy_n(computed.row(v), computed.cols, to);
    all.offsets.push_back(all.columns.size());
  }
  return all;
}

}  // namespace

void NodeInputs::make(StoredGraph& graph) {
  check_features(graph);
  if (settings_.parts.only_features()) return;
  if (!loaded_) settings_.by_name = graph.content().node_set().has_names();
  const bool sparse =
      settings_.parts.features && graph.features()->sparse() && !settings_.parts.embedding;
  graph.use_features(sparse ? sparse_rows(graph) : dense_rows(graph));
  graph_ = &graph;
}

void NodeInputs::check_features(const StoredGraph& graph) const {
  if (!settings_.parts.features) return;
  if (!graph.features()) {
    fail(ExitStatus::bad_input, graph.path(),
         ": the graph has no features, and the input of the model is ", settings_.parts.names(),
         "; give import some (--features), or train with --input auto");
  }
  // Training checks features in the file once the loss is not finite.
  if (graph.features_are_mapped() && settings_.parts.only_features()) return;
  check_finite(*graph.features(), graph.path());
}

/// Degrees and projection side by side: [nodes, their columns].
void NodeInputs::write_computed(const StoredGraph& graph, MatrixView<float> out) const {
  std::size_t column = 0;
  if (settings_.parts.degree) {
    write_degrees(graph.csr(), columns_of(out, 0, kDegreeColumns));
    column = kDegreeColumns;
  }
  if (!settings_.parts.projection) return;
  write_projection(graph.csr(), graph.content().node_set(), settings_.seed,
                   columns_of(out, column, column + settings_.size));
}

FeatureStore NodeInputs::sparse_rows(const StoredGraph& graph) const {
  RowStore computed;
  computed.resize(graph.num_nodes(), settings_.num_computed());
  write_computed(graph, computed.view());
  return FeatureStore(with_columns(*graph.features(), std::as_const(computed).view()));
}

FeatureStore NodeInputs::dense_rows(const StoredGraph& graph) {
  const std::size_t own = settings_.parts.features ? graph.features()->dim : 0;
  const std::size_t all = own + settings_.num_computed();
  FeatureStore store(graph.num_nodes(), all, false);
  const MatrixView<float> rows = store.dense();
  if (own != 0) {
    for_each_chunk(rows.rows, [&](std::size_t begin, std::size_t end) {
      copy_features(*graph.features(), begin, end,
                    columns_of(rows.rows_between(begin, end), 0, own));
    });
  }
  const std::size_t trained = all - (settings_.parts.embedding ? settings_.size : 0);
  write_computed(graph, columns_of(rows, own, trained));
  if (!settings_.parts.embedding) return store;
  const MatrixView<float> embedding = columns_of(rows, trained, all);
  if (stored_) {
    const CsrView edges = graph.csr();
    unknown_ = stored_->write(graph.content().node_set(), &edges, embedding);
  } else {
    trained_.emplace(embedding, settings_.seed);
  }
  return store;
}

void NodeInputs::warn_of_new_nodes(const StoredGraph& graph, const std::string& path) const {
  if (unknown_ > graph.num_nodes() / 2) {
    log_warning(graph.path(), ": ", path, " has no trained embedding of ", unknown_, " of ",
                graph.num_nodes(), " nodes, which get the mean of others; expected the nodes that ",
                "it was trained on, named as there");
    return;
  }
  const bool by_name = graph.content().node_set().has_names();
  if (!settings_.parts.projection || by_name == settings_.by_name) return;
  const auto calling = [](bool names) { return names ? "names" : "ids or numbers"; };
  log_warning(graph.path(), ": nodes have ", calling(by_name), ", but ", path, " was trained on ",
              calling(settings_.by_name), ", so that projections have nothing in common; expected ",
              "nodes named as there");
}

void NodeInputs::save(Document& document) const {
  if (!trained_) return;
  trained_->save(document);
  std::vector<NodeId> all(graph_->num_nodes());
  std::iota(all.begin(), all.end(), 0U);
  NodeIdentities(graph_->content().node_set(), kInputPrefix).add(all, document);
}

void NodeInputs::load(const Document& document, const std::string& path) {
  loaded_ = true;
  if (!settings_.parts.embedding) return;
  stored_ = std::make_shared<StoredRows>(document, path, settings_.size);
}

}  // namespace frugal::gnn
