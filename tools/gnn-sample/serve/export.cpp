#include "tools/gnn-sample/serve/export.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/tensors/document_keys.h"
#include "tools/gnn-sample/batches/row_slicer.h"
#include "tools/gnn-sample/batches/sampler_factory.h"
#include "tools/gnn-sample/batches/seed_batches.h"
#include "tools/gnn-sample/layers/source_rows.h"
#include "tools/gnn-sample/model/model_file.h"
#include "tools/gnn-sample/serve/model_on_graph.h"
#include "tools/gnn-sample/tasks/draws_of_training.h"

namespace frugal::gnn {
namespace {

/// Axes of mini-batches; behind them the edges of each layer.
enum Axis : std::size_t { axis_nodes, axis_seeds, axis_edges };

/// Why graphcore/examples has no modules for the model; "" where it has.
std::string_view foreign_part(const GnnOptions& o) {
  if (o.kind != "sage") return o.kind;
  if (o.aggregate != SageAggregate::mean) return "the largest of neighbours";
  if (o.activation != ActivationKind::relu) return "its activation function";
  if (o.norm != NormKind::none)
    return o.norm == NormKind::batch ? "its batch norm" : "its layer norm";
  if (o.residual) return "its residual connections";
  if (o.edge_weights) return "the weights of edges";
  return o.head_layers != 0 ? "its dense layers" : "";
}

StoredModel read_exportable(const std::string& path) {
  StoredModel stored = load_model(read_document(path), path);
  if (const std::string_view part = foreign_part(stored.model->options()); !part.empty()) {
    fail(ExitStatus::unavailable, path, ": graphcore/examples has no module for ", part,
         ", expected a model of train --architecture sage");
  }
  return stored;
}

std::vector<SeedBatches::Seeds> seeds_of_batches(const ExportOptions& options,
                                                 const StoredGraph& graph) {
  SeedBatchOptions batches;
  batches.batch_size = options.batch_size;
  batches.shuffle = options.shuffle;
  batches.epochs = options.epochs;
  batches.seed = options.seed;
  SeedBatches all(find_seeds(graph, options.nodes, options.split), batches);
  std::vector<SeedBatches::Seeds> seeds(1);
  while ((options.max_batches == 0 || seeds.size() <= options.max_batches) &&
         all.next(seeds.back())) {
    seeds.emplace_back();
  }
  seeds.pop_back();
  return seeds;
}

class BatchExport {
 public:
  explicit BatchExport(const ExportOptions& options);

  ExportResult run(const std::function<void(double)>& progress);

 private:
  using Rows = std::function<const void*()>;  ///< of the mini-batch in work

  void measure(const std::function<void(double)>& progress);
  void sample(std::size_t batch);
  Block block_of(std::size_t layer) const { return batch_.block(layers_ - 1 - layer); }
  void describe_batches();
  void add_array(BatchArray array, Rows rows);
  void add_mask(const std::string& name, std::size_t axis);
  void add_labels();
  const void* feature_rows();
  const void* edges(std::size_t layer);
  Document document() const;

  const ExportOptions& options_;
  StoredModel stored_;
  StoredGraph graph_;
  SamplingOptions sampling_;
  std::size_t layers_;
  FeatureView features_;
  std::vector<SeedBatches::Seeds> seeds_;  ///< of the mini-batches
  std::unique_ptr<NeighborSampler> sampler_;
  MiniBatch batch_;                                                ///< the present mini-batch
  std::size_t sampled_ = std::numeric_limits<std::size_t>::max();  ///< its number
  StaticBatches batches_;
  std::vector<Rows> rows_;  ///< of each array

  // Buffers of the present mini-batch.
  Array<std::byte> slices_;
  std::vector<float> x_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::int32_t> labels_;
  std::vector<float> values_;
  std::vector<std::uint8_t> label_rows_;
};

BatchExport::BatchExport(const ExportOptions& options)
    : options_(options),
      stored_(read_exportable(options.model)),
      graph_(options.graph, options.residence),
      layers_(stored_.model->options().num_layers) {
  graph_.require_homogeneous();
  make_inputs(stored_, graph_, options.model);
  features_ = *graph_.features();
  InferenceOptions drawn;
  drawn.fanouts = options.fanouts.empty() ? stored_.fanouts : options.fanouts;
  sampling_ = drawn_as_trained(stored_.model->options(), drawn.fanouts);
  Inference(graph_, drawn).check_fits(*stored_.model);
  if (graph_.num_nodes() > std::numeric_limits<std::int32_t>::max()) {
    fail(ExitStatus::unavailable, graph_.path(), ": ", graph_.num_nodes(),
         " nodes, expected numbers of 32 bits");
  }
  seeds_ = seeds_of_batches(options, graph_);
  const SamplerFactory factory(graph_, sampling_,
                               sampler_options(sampling_, options.batch_size, options.seed));
  sampler_ = factory.make();
}

/// A mini-batch is drawn again for each of its arrays, and never kept: all of them would not fit
/// into memory.
void BatchExport::sample(std::size_t batch) {
  if (sampled_ == batch) return;
  batch_.epoch = seeds_[batch].epoch;
  batch_.number = seeds_[batch].number;
  sampler_->sample(seeds_[batch].nodes, batch_);
  sampled_ = batch;
}

void BatchExport::measure(const std::function<void(double)>& progress) {
  for (std::size_t b = 0; b < seeds_.size(); ++b) {
    sample(b);
    BatchShape counts{batch_.num_nodes(), seeds_[b].nodes.size()};
    for (std::size_t l = 0; l < layers_; ++l) counts.push_back(block_of(l).num_edges());
    batches_.counts.push_back(std::move(counts));
    progress(static_cast<double>(b + 1) / static_cast<double>(seeds_.size()));
  }
}

void BatchExport::add_array(BatchArray array, Rows rows) {
  batches_.arrays.push_back(std::move(array));
  rows_.push_back(std::move(rows));
}

void BatchExport::add_mask(const std::string& name, std::size_t axis) {
  add_array({.name = name, .role = ArrayRole::mask, .axis = axis, .dtype = Dtype::boolean},
            [] { return nullptr; });
}

const void* BatchExport::feature_rows() {
  const std::size_t n = batch_.num_nodes(), dim = features_.dim;
  SourceRows rows;
  if (features_.array == nullptr) {
    rows = SourceRows(features_, batch_.nodes());
  } else {
    const RowSlicer slicer(features_);
    rows = SourceRows(slicer.make_room(n, slices_), {});
    slicer.slice(batch_.nodes(), slices_.data());
  }
  x_.resize(n * dim);
  rows.copy(0, n, {x_.data(), n, dim});
  return x_.data();
}

/// [2, edges]: source, target.
const void* BatchExport::edges(std::size_t layer) {
  const Block block = block_of(layer);
  ids_.assign(block.neighbors + block.offsets[0],
              block.neighbors + block.offsets[0] + block.num_edges());
  for (std::uint32_t t = 0; t < block.targets; ++t) ids_.insert(ids_.end(), block.degree(t), t);
  return ids_.data();
}

/// Adds the labels of the given seeds; none for a model of links.
void BatchExport::add_labels() {
  const auto for_each_seed = [this](const auto& take) {
    for (const NodeId node : seeds_[sampled_].nodes) take(node);
  };
  if (stored_.task == "links") return;
  if (const auto values = graph_.content().node_set().values; !values.empty()) {
    add_array({.name = "y", .axis = axis_seeds}, [this, for_each_seed, values]() -> const void* {
      values_.clear();
      for_each_seed([&](NodeId node) { values_.push_back(values[node]); });
      return values_.data();
    });
    return;
  }
  if (graph_.num_classes() == 0) return;
  const std::span<const std::uint8_t> matrix = graph_.label_matrix();
  if (matrix.empty()) {
    add_array({.name = "y", .axis = axis_seeds, .dtype = Dtype::i32},
              [this, for_each_seed]() -> const void* {
                labels_.clear();
                for_each_seed([this](NodeId node) { labels_.push_back(graph_.labels()[node]); });
                return labels_.data();
              });
    return;
  }
  const std::size_t classes = graph_.num_classes();
  add_array({.name = "y", .axis = axis_seeds, .dtype = Dtype::u8, .columns = classes},
            [this, for_each_seed, matrix, classes]() -> const void* {
              label_rows_.clear();
              for_each_seed([&](NodeId node) {
                const std::span<const std::uint8_t> row = matrix.subspan(node * classes, classes);
                label_rows_.insert(label_rows_.end(), row.begin(), row.end());
              });
              return label_rows_.data();
            });
}

void BatchExport::describe_batches() {
  batches_.axes = {{"nodes", true}, {"seeds", false, options_.batch_size}};
  add_array({.name = "x", .axis = axis_nodes, .columns = features_.dim},
            [this] { return feature_rows(); });
  add_array({.name = "n_id", .axis = axis_nodes, .dtype = Dtype::i32},
            [this]() -> const void* { return batch_.nodes().data(); });
  add_mask("nodes_mask", axis_nodes);
  for (std::size_t l = 0; l < layers_; ++l) {
    const std::string number = std::to_string(l);
    batches_.axes.push_back({"edges of layer " + number});
    add_array({"adjs." + number + ".edge_index", ArrayRole::ids, axis_edges + l, axis_nodes,
               Dtype::i32, 2},
              [this, l] { return edges(l); });
    add_mask("adjs." + number + ".edges_mask", axis_edges + l);
  }
  add_array({"seeds", ArrayRole::ids, axis_seeds, axis_nodes, Dtype::i32}, [this]() -> const void* {
    ids_.clear();
    for (std::uint32_t i = 0; i < seeds_[sampled_].nodes.size(); ++i) {
      ids_.push_back(batch_.seed_place(i));
    }
    return ids_.data();
  });
  add_mask("batch_mask", axis_seeds);
  add_labels();
  batches_.rows = [this](std::size_t batch, std::size_t array) {
    sample(batch);
    return rows_[array]();
  };
  // The first layer has most edges.
  batches_.shapes =
      BatchShapes::choose(batches_.axes, batches_.counts, axis_edges, options_.shapes);
}

Document BatchExport::document() const {
  Document document;
  stored_.model->save(document);
  document.metadata = {{kKindKey, "static-batches"},
                       {kToolKey, "gnn-sample"},
                       {"format", "pt"},
                       {kHistoryKey, "[" + options_.history_entry + "]"},
                       {"static.modules", "torch_geometric.nn.SAGEConv, graphcore/examples gnn"},
                       {"static.fanouts", sampling_.fanouts},
                       {"static.batch_size", std::to_string(options_.batch_size)},
                       {"static.batches", std::to_string(seeds_.size())},
                       {"static.shapes", std::to_string(batches_.shapes.shapes.size())},
                       {"static.layers", std::to_string(layers_)}};
  return document;
}

ExportResult BatchExport::run(const std::function<void(double)>& progress) {
  const double began = wall_seconds();
  measure(progress);
  describe_batches();
  ExportResult result;
  result.batches = seeds_.size();
  result.layers = layers_;
  result.shapes = batches_.shapes.shapes;
  for (const SeedBatches::Seeds& seeds : seeds_) result.seeds += seeds.nodes.size();
  result.real_share = batches_.real_share(axis_edges);
  Document document = this->document();
  RowFillers fillers;
  batches_.add_to(document, fillers);
  write_rows(options_.output, document, fillers);
  result.seconds = wall_seconds() - began;
  return result;
}

}  // namespace

ExportResult export_batches(const ExportOptions& options,
                            const std::function<void(double)>& progress) {
  check_output(options.output);
  return BatchExport(options).run(progress);
}

}  // namespace frugal::gnn
