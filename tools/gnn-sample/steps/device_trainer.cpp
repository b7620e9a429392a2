#include "tools/gnn-sample/steps/device_trainer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding_engine.h"
#include "tools/gnn-sample/data/engine_array.h"
#include "tools/gnn-sample/layers/activation.h"
#include "tools/gnn-sample/layers/source_rows.h"
#include "tools/gnn-sample/network/conv_kinds.h"
#include "tools/gnn-sample/steps/engine_weights.h"

namespace frugal::gnn {
namespace {

/// Steps after which a device is asked for its losses.
constexpr std::uint64_t kReportEvery = 50;

std::string sizes_text(const std::vector<std::uint64_t>& sizes) {
  std::string text;
  for (const std::uint64_t size : sizes) text += (text.empty() ? "" : "-") + std::to_string(size);
  return text;
}

const char* type_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return "f16";
    case Dtype::bf16: return "bf16";
    case Dtype::i8: return "i8";
    default: return "f32";
  }
}

/// Type of the feature rows in batches, as RowSlicer and SourceRows make them.
Dtype row_type_of(const FeatureView& features) {
  const bool made = features.sparse() || features.array != nullptr || features.dtype == Dtype::i8;
  return made ? Dtype::f32 : features.dtype;
}

EngineSettings feature_settings(const FeatureView& f, DeviceFeatures place,
                                const EngineEmbedding* array) {
  if (array != nullptr) {
    EngineSettings settings = array->settings();
    settings.insert(settings.end(),
                    {{"feature_place", "array"}, {"feature_type", "f32"}, {"row_bytes", "0"}});
    return settings;
  }
  if (place == DeviceFeatures::batches) {
    const Dtype type = row_type_of(f);
    return {{"feature_place", "batch"},
            {"feature_type", type_name(type)},
            {"row_bytes", std::to_string(f.dim * item_size(type))}};
  }
  return {{"feature_place", place == DeviceFeatures::pinned ? "pinned" : "device"},
          {"feature_type", type_name(f.dtype)},
          {"feature_rows", std::to_string(f.rows)},
          {"feature_entries", std::to_string(f.size())},
          {"feature_sparse", f.sparse() ? "1" : "0"},
          {"feature_values", f.data == nullptr ? "0" : "1"},
          {"row_bytes", "0"}};
}

void bring_features(DeviceEngine& engine, const FeatureView& f) {
  std::vector<EngineArray> arrays;
  if (f.data != nullptr) {
    const frugal_type type = f.dtype == Dtype::f16    ? FRUGAL_U8
                             : f.dtype == Dtype::bf16 ? FRUGAL_BF16
                             : f.dtype == Dtype::i8   ? FRUGAL_I8
                                                      : FRUGAL_F32;
    arrays.push_back({"features",
                      type,
                      {type == FRUGAL_U8 ? f.data_bytes() : f.size()},
                      const_cast<std::byte*>(f.data)});
  }
  if (f.dtype == Dtype::i8) {
    arrays.push_back(array_in("features.scales", FRUGAL_F32, f.scales));
  }
  if (f.sparse()) {
    arrays.push_back(array_in("features.offsets", FRUGAL_U64, std::span(f.offsets, f.rows + 1)));
    arrays.push_back(array_in("features.columns", FRUGAL_U32, std::span(f.columns, f.size())));
  }
  engine.set(arrays);
}

class DeviceTrainer final : public BatchTrainer {
 public:
  DeviceTrainer(std::unique_ptr<DeviceEngine> engine, GnnModel& model,
                const DeviceTraining& training, const EngineEmbedding* array, bool with_rows)
      : engine_(std::move(engine)),
        model_(model),
        weights_(model, training.optimizer),
        features_(training.features),
        with_rows_(with_rows) {
    if (array != nullptr) {
      array->set(*engine_);
    } else if (!with_rows_) {
      bring_features(*engine_, features_);
    }
  }

  double train(const GnnBatch& batch, const BatchTargets& targets, const GnnPass& pass,
               float rate) override {
    weights_.bring(*engine_);
    arrays_.clear();
    add_blocks(batch);
    add_nodes(batch);
    add_targets(targets);
    add_keys(pass);
    const AdamScale scale = weights_.count_step(rate);
    engine_->submit(std::array{static_cast<double>(scale.rate), static_cast<double>(scale.epsilon)},
                    arrays_);
    if (++steps_without_loss_ < kReportEvery) return 0;
    return told(false);
  }

  double collect() override { return told(true); }
  double busy_seconds() const override { return busy_seconds_; }
  bool is_on_device() const override { return true; }
  bool wants_rows() const override { return with_rows_; }
  void bring_back() override { weights_.bring_back(*engine_); }
  void take_anew() override { weights_.changed(); }

 private:
  double told(bool wait) {
    steps_without_loss_ = 0;
    const EngineSums sums = engine_->collect(wait);
    busy_seconds_ += sums.busy_seconds;
    return sums.loss;
  }
  void add_blocks(const GnnBatch& batch) {
    sources_.clear();
    for (std::size_t k = 0; k < batch.blocks.size(); ++k) {
      const Block& b = batch.blocks[k];
      const std::string number = "." + std::to_string(k);
      sources_.push_back(b.sources);
      arrays_.push_back(array_in("offsets" + number, FRUGAL_U32,
                                 std::span(b.offsets, std::size_t{b.targets} + 1)));
      arrays_.push_back(
          array_in("neighbors" + number, FRUGAL_U32,
                   std::span(b.neighbors + b.offsets[0], std::size_t{b.num_edges()})));
    }
    arrays_.push_back(array_in("sources", FRUGAL_U32, std::span<const std::uint32_t>(sources_)));
  }

  void add_nodes(const GnnBatch& batch) {
    const std::size_t sources = batch.blocks.front().sources;
    if (!batch.degrees.empty()) {
      arrays_.push_back(array_in("degrees", FRUGAL_U32, batch.degrees.first(sources)));
    }
    if (!with_rows_) {
      arrays_.push_back(array_in("nodes", FRUGAL_U32, batch.nodes.first(sources)));
      return;
    }
    const std::size_t bytes = sources * batch.features.dim * item_size(row_type_of(features_));
    const std::byte* rows = batch.features.data;
    if (batch.features.sparse() || !batch.nodes.empty()) rows = sliced_rows(batch, bytes);
    arrays_.push_back({"rows", FRUGAL_U8, {bytes}, const_cast<std::byte*>(rows)});
  }

  /// The rows of the batch's nodes, side by side.
  const std::byte* sliced_rows(const GnnBatch& batch, std::size_t bytes) {
    const std::size_t sources = batch.blocks.front().sources;
    rows_.resize(std::max(rows_.size(), bytes));
    if (row_type_of(features_) == Dtype::f32) {
      SourceRows(batch.features, batch.nodes)
          .copy(0, sources, {reinterpret_cast<float*>(rows_.data()), sources, batch.features.dim});
    } else {
      const std::size_t row = batch.features.row_bytes();
      for (std::size_t s = 0; s < sources; ++s) {
        std::copy_n(batch.features.row(batch.nodes[s]), row, rows_.data() + s * row);
      }
    }
    return rows_.data();
  }

  void add_targets(const BatchTargets& targets) {
    if (!targets.pairs.sources.empty()) {
      const LinkPairs& p = targets.pairs;
      pairs_.assign(p.sources.begin(), p.sources.end());
      pairs_.insert(pairs_.end(), p.targets.begin(), p.targets.end());
      links_ = static_cast<std::uint32_t>(p.links);
      arrays_.push_back(array_in("pairs", FRUGAL_U32, std::span<const std::uint32_t>(pairs_)));
      arrays_.push_back(array_in("links", FRUGAL_U32, std::span<const std::uint32_t>(&links_, 1)));
    } else if (!targets.label_rows.empty()) {
      arrays_.push_back(array_in("label_rows", FRUGAL_U8, targets.label_rows));
    } else {
      arrays_.push_back(array_in("labels", FRUGAL_I32, targets.labels));
    }
  }

  void add_keys(const GnnPass& pass) {
    const std::size_t layers = model_.num_layers();
    keys_.clear();
    for (std::size_t l = 0; l <= layers; ++l) keys_.push_back(Dropout::key_of(pass, l));
    for (std::size_t l = 0; l < layers; ++l) {
      keys_.push_back(Dropout::key_of(pass, kAttentionStream + l));
    }
    arrays_.push_back(array_in("keys", FRUGAL_U64, std::span<const std::uint64_t>(keys_)));
  }

  std::unique_ptr<DeviceEngine> engine_;
  GnnModel& model_;
  EngineWeights weights_;
  FeatureView features_;
  bool with_rows_;
  std::uint64_t steps_without_loss_ = 0;  ///< submitted since losses were read
  double busy_seconds_ = 0;
  std::vector<EngineArray> arrays_;
  std::vector<std::uint32_t> sources_, pairs_;
  std::uint32_t links_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::byte> rows_;
};

std::unique_ptr<BatchTrainer> open_trainer(GnnModel& model, const DeviceTraining& training,
                                           DeviceFeatures place) {
  EngineRequest request{training.device, training.command, "gnn.train",
                        EngineWeights(model, training.optimizer).settings(), training.batch_size};
  const BlockSizes& expected = training.expected;
  const EngineSettings batches{{"loss", training.loss},
                               {"batch_size", std::to_string(training.batch_size)},
                               {"targets", sizes_text(expected.targets)},
                               {"sources", sizes_text(expected.sources)},
                               {"edges", sizes_text(expected.edges)}};
  const FeatureView& f = training.features;
  std::optional<EngineEmbedding> array;
  if (f.array != nullptr && place == DeviceFeatures::device) {
    // Where nothing is trained it is only read.
    array.emplace(const_cast<Embedding&>(*f.array), false);
  }
  const EngineEmbedding* const expands = array ? &*array : nullptr;
  for (const EngineSettings& more : {feature_settings(f, place, expands), batches}) {
    request.settings.insert(request.settings.end(), more.begin(), more.end());
  }
  auto engine = open_engine(request);
  if (engine == nullptr) return nullptr;
  return std::make_unique<DeviceTrainer>(std::move(engine), model, training, expands,
                                         place == DeviceFeatures::batches);
}

/// Where features may lie, the best place first.
std::vector<DeviceFeatures> places_of(const DeviceTraining& training) {
  const FeatureView& f = training.features;
  if (training.place != DeviceFeatures::automatic) return {training.place};
  if (training.mapped) return {DeviceFeatures::batches};
  if (f.sparse() || f.array != nullptr) return {DeviceFeatures::device, DeviceFeatures::batches};
  return {DeviceFeatures::device, DeviceFeatures::pinned};
}

/// The part of a network that no device engine has, as an option; "" if there is none.
std::string part_of_cpu(const GnnOptions& o) {
  if (conv_kind(o.kind).reads_hops || o.kind == "gine" || o.kind == "gatv2")
    return "--architecture " + o.kind;
  if (o.norm == NormKind::layer) return "--norm layer";
  if (o.residual) return "--residual";
  if (o.edge_weights) return "--edge-weights";
  return o.jumping != Jumping::none ? "--jumping" : "";
}

}  // namespace

BlockSizes BlockSizes::of(std::uint64_t seeds, const Fanouts& fanouts, std::uint64_t nodes,
                          std::uint64_t edges) {
  BlockSizes sizes;
  edges = std::min<std::uint64_t>(edges, kAllNeighbors);
  std::uint64_t known = std::min(seeds, nodes);
  for (const std::uint64_t fanout : fanouts) {
    const std::uint64_t drawn = std::min(edges, known * fanout);
    sizes.targets.insert(sizes.targets.begin(), known);
    sizes.edges.insert(sizes.edges.begin(), drawn);
    known = std::min(nodes, known + drawn);
    sizes.sources.insert(sizes.sources.begin(), known);
  }
  return sizes;
}

std::unique_ptr<BatchTrainer> make_device_trainer(GnnModel& model, const DeviceTraining& training) {
  if (training.device == "cpu") return nullptr;
  if (const std::string part = part_of_cpu(model.options()); !part.empty()) {
    if (training.device == "auto") return nullptr;
    fail(ExitStatus::unavailable, "--device ", training.device, " trains no network with ", part,
         "; expected --device cpu");
  }
  if (training.features.array != nullptr && training.place == DeviceFeatures::pinned) {
    fail(ExitStatus::unavailable,
         "--device-features pinned takes rows, not an array of robe-compress; expected device");
  }
  const std::vector<DeviceFeatures> places = places_of(training);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool last = i + 1 == places.size();
    try {
      auto trainer = open_trainer(model, training, places[i]);
      if (trainer != nullptr || last) return trainer;
    } catch (const Error& error) {
      if (error.status() != ExitStatus::unavailable) throw;
      if (last && training.device != "auto") throw;
    }
  }
  return nullptr;
}

}  // namespace frugal::gnn
