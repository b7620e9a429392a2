#include "tools/gnn-sample/serve/device_ladder.h"

#include <array>
#include <functional>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"
#include "libcore/threading/prepared_queue.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {
namespace {

struct LadderStep {
  std::string_view name;
  DeviceFeatures place;
  bool ahead;    ///< batches are prepared while the device works
  bool overlap;  ///< nobody waits for a step: the next batch is copied meanwhile
  bool sampled;  ///< by the device
};

constexpr std::array<LadderStep, 6> kSteps = {{
    {"trains on the device, one thing after the other", DeviceFeatures::batches, false, false,
     false},
    {"+ batches prepared ahead", DeviceFeatures::batches, true, false, false},
    {"+ copies while steps are computed", DeviceFeatures::batches, true, true, false},
    {"+ features pinned, read by the device", DeviceFeatures::pinned, true, true, false},
    {"+ features in the device's memory", DeviceFeatures::device, true, true, false},
    {"+ sampled on the device", DeviceFeatures::device, true, true, true},
}};

GnnOptions network_of(const LadderTraining& training, std::size_t hops) {
  GnnOptions network;
  network.num_layers = hops;
  network.hidden = training.hidden;
  network.precision = Precision::automatic;
  return network;
}

/// Gives the seeds of one mini-batch after the other.
std::function<bool(LinkBatch&)> in_turn(std::span<const LinkBatch> batches) {
  return [batches, given = std::size_t{0}](LinkBatch& seeds) mutable {
    if (given == batches.size()) return false;
    seeds = batches[given++];
    return true;
  };
}

BatchMaker::Setup setup_of(const LadderTraining& training) {
  BatchMaker::Setup setup;
  setup.sampling = training.sampling;
  setup.max_seeds = training.max_seeds;
  setup.seed = training.seed;
  return setup;
}

}  // namespace

LadderRound sample_all(DeviceSampler& sampler, bool hides, std::span<const LinkBatch> batches) {
  SampledAhead sampled(sampler, hides, in_turn(batches));
  LadderRound round;
  const double busy = sampler.busy_seconds();
  LinkBatch seeds;
  MiniBatch batch;
  while (sampled.next(seeds, batch)) {
    round.edges += batch.num_edges();
    round.nodes += batch.total_nodes();
  }
  round.busy_seconds = sampler.busy_seconds() - busy;
  return round;
}

/// A model whose features lie in one place, for all steps that have them there.
struct DeviceLadder::Place {
  Place(const StoredGraph& graph, const LadderTraining& training, DeviceFeatures where)
      : features(where),
        maker(graph, setup_of(training)),
        model(network_of(training, maker.num_hops()), graph.features()->dim, graph.num_classes()) {}

  DeviceFeatures features;
  BatchMaker maker;
  GnnModel model;
  std::unique_ptr<BatchTrainer> trainer;
  std::string left_out;
};

DeviceLadder::DeviceLadder(const StoredGraph& graph, const LadderTraining& training,
                           DeviceSampler& sampler)
    : graph_(graph),
      sampler_(sampler),
      seed_(training.seed),
      hides_(training.sampling.hide_seed_edges) {
  if (!graph.features() || graph.num_classes() == 0) {
    fail(ExitStatus::bad_input, graph.path(),
         ": has no features or no labels, which --ladder trains on; take --device cpu");
  }
  for (const DeviceFeatures where :
       {DeviceFeatures::batches, DeviceFeatures::pinned, DeviceFeatures::device}) {
    open(*places_.emplace_back(std::make_unique<Place>(graph, training, where)), training);
  }
}

DeviceLadder::~DeviceLadder() = default;

void DeviceLadder::open(Place& place, const LadderTraining& training) {
  OptimizerOptions optimizer;
  optimizer.kind = OptimizerKind::adam;
  place.model.randomize(seed_);
  place.model.prepare_training(optimizer);
  DeviceTraining t;
  t.device = training.device;
  t.command = training.command;
  t.features = *graph_.features();
  t.mapped = graph_.features_are_mapped();
  t.place = place.features;
  t.optimizer = optimizer;
  t.loss = graph_.label_matrix().empty() ? "classes" : "labels";
  t.batch_size = training.max_seeds;
  t.expected = BlockSizes::of(training.max_seeds, place.maker.fanouts(), graph_.num_nodes(),
                              graph_.num_edges());
  try {
    place.trainer = make_device_trainer(place.model, t);
    if (place.trainer == nullptr) place.left_out = "auto leaves the device alone";
  } catch (const Error& error) {
    if (error.status() != ExitStatus::unavailable) throw;
    place.left_out = error.what();
  }
  if (place.trainer != nullptr && !place.trainer->wants_rows()) place.maker.leave_rows_out();
}

std::size_t DeviceLadder::size() const { return kSteps.size(); }

std::string DeviceLadder::name(std::size_t step) const { return std::string(kSteps[step].name); }

DeviceLadder::Place& DeviceLadder::place_of(std::size_t step) const {
  std::size_t p = 0;
  while (places_[p]->features != kSteps[step].place) ++p;
  return *places_[p];
}

LadderRound DeviceLadder::round(std::size_t step, std::span<const LinkBatch> batches) {
  Place& place = place_of(step);
  LadderRound round;
  if (place.left_out.empty()) {
    try {
      train_all(step, place, batches, round);
    } catch (const Error& error) {  // room for a step is taken by the first one
      if (error.status() != ExitStatus::unavailable) throw;
      place.left_out = error.what();
      place.trainer.reset();
    }
  }
  round.left_out = place.left_out;
  return round;
}

void DeviceLadder::train_all(std::size_t step, Place& place, std::span<const LinkBatch> batches,
                             LadderRound& round) {
  const double busy = place.trainer->busy_seconds();
  if (kSteps[step].ahead) {
    train_ahead(step, place, batches, round);
  } else {
    train_in_turn(place, batches, round);
  }
  round.loss += place.trainer->collect();
  round.busy_seconds = place.trainer->busy_seconds() - busy;
}

void DeviceLadder::train(Place& place, const TrainBatch& batch, std::uint64_t number,
                         LadderRound& round) const {
  const BatchTargets targets{batch.labels.classes, batch.labels.rows, {}};
  round.loss += place.trainer->train(batch.model, targets, GnnPass{true, seed_, number}, 0);
  round.edges += batch.sample.num_edges();
  round.nodes += batch.sample.num_nodes();
}

void DeviceLadder::train_in_turn(Place& place, std::span<const LinkBatch> batches,
                                 LadderRound& round) {
  TrainBatch batch;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    batch.links = batches[i];
    place.maker.make(batch);
    train(place, batch, i, round);
    round.loss += place.trainer->collect();
  }
}

void DeviceLadder::train_ahead(std::size_t step, Place& place, std::span<const LinkBatch> batches,
                               LadderRound& round) {
  std::uint64_t trained = 0;
  const auto next_seeds = in_turn(batches);
  std::optional<SampledAhead> sampled;
  if (kSteps[step].sampled) sampled.emplace(sampler_, hides_, next_seeds);
  PreparedQueue<TrainBatch> queue(static_cast<std::size_t>(num_threads()) + 1);
  queue.produce = [&](TrainBatch& batch) {
    return sampled ? sampled->next(batch.links, batch.sample) : next_seeds(batch.links);
  };
  queue.prepare = [&](TrainBatch& batch) {
    if (sampled) {
      place.maker.fill(batch);
    } else {
      place.maker.make(batch);
    }
  };
  while (const TrainBatch* batch = queue.next()) {
    train(place, *batch, trained++, round);
    if (!kSteps[step].overlap) round.loss += place.trainer->collect();
  }
}

}  // namespace frugal::gnn
