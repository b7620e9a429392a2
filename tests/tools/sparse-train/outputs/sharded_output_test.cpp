#include "tools/sparse-train/outputs/sharded_output.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/threading/parallel.h"
#include "tests/libcore/parallel/test_ranks.h"
#include "tests/tools/sparse-train/same_bits.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/network/network_file.h"
#include "tools/sparse-train/outputs/output_layers.h"
#include "tools/sparse-train/steps/trainer.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

struct ShardCase {
  LossKind loss = LossKind::softmax;
  bool shared = false;
  bool half_labels = false;
  std::uint32_t shards = 4;
  std::vector<std::uint32_t> layers = {};
};

struct TrainedRank {
  Network network;
  double loss = 0;
  std::uint64_t bytes = 0;  ///< that the rank has sent in the steps
};

constexpr std::uint32_t kShardBatch = 32;
constexpr std::uint64_t kShardSteps = 20;

NetworkShape sharded_shape(const ShardCase& c, const Dataset& data) {
  return {data.num_features, data.num_labels, 15, Activation::relu, c.loss,
          c.layers,          c.half_labels};
}

OutputOptions shard_options() {
  OutputOptions output;
  output.batch_size = kShardBatch;
  output.negatives = 60;
  return output;
}

void train_steps(TrainedRank& t, OutputLayer& output, const Dataset& data) {
  TrainerSetup setup;
  setup.batch_size = kShardBatch;
  setup.schedule.peak = 0.1;
  setup.schedule.total_steps = kShardSteps;
  Trainer trainer(t.network, output, data, setup);
  CHECK(trainer.run(0, kShardSteps, [] { return false; }) == kShardSteps);
  t.loss = trainer.take_progress().loss;
}

/// What each rank has; the first has the rows of all labels.
std::vector<TrainedRank> trained_on(int ranks, const ShardCase& c, const Dataset& data) {
  std::vector<TrainedRank> all(static_cast<std::size_t>(ranks));
  ThreadRanks(ranks).run([&](Communicator& rank) {
    TrainedRank& mine = all[static_cast<std::size_t>(rank.rank())];
    const LabelShards shards{c.shards, c.shared};
    const LabelRange own = shards.labels_of_rank(rank.rank(), ranks, data.num_labels);
    mine.network = Network(sharded_shape(c, data), OptimizerKind::adagrad,
                           rank.rank() == 0 ? LabelRange{0, data.num_labels} : own);
    mine.network.initialize(1);
    const auto output = make_sharded_output(mine.network, data, shard_options(), shards, rank);
    train_steps(mine, *output, data);
    mine.bytes = rank.bytes_sent();
    bring_labels_to_first(rank, shards, mine.network);
  });
  return all;
}

TrainedRank trained_alone(const ShardCase& c, const Dataset& data) {
  TrainedRank t{Network(sharded_shape(c, data), OptimizerKind::adagrad)};
  t.network.initialize(1);
  const auto output = c.shared ? make_shared_output(t.network, data, shard_options())
                               : make_dense_output(t.network, data, shard_options());
  train_steps(t, *output, data);
  return t;
}

double worst_of(const RowTable& a, const RowTable& b) {
  std::vector<float> x(a.dim()), y(a.dim());
  double worst = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    a.read(r, x.data());
    b.read(r, y.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(x[i] - y[i])));
  }
  return worst;
}

}  // namespace

TEST_CASE("label shards train the same network to the bit on 1, 2 and 4 ranks") {
  const Dataset data =
      synthetic_data(kShardBatch * kShardSteps - 5, 601, 2);  // the last batch is smaller
  for (const ShardCase& c :
       {ShardCase{}, ShardCase{LossKind::one_vs_all}, ShardCase{LossKind::softmax, true},
        ShardCase{LossKind::one_vs_all, true}, ShardCase{LossKind::softmax, true, true},
        ShardCase{LossKind::softmax, false, false, 8, {12}}}) {
    const std::vector<TrainedRank> one = trained_on(1, c, data);
    for (const int ranks : {2, 4}) {
      const std::vector<TrainedRank> several = trained_on(ranks, c, data);
      CHECK(same_bits(one[0].network, several[0].network));
      for (const TrainedRank& rank : several) {
        CHECK(rank.loss == one[0].loss);
        CHECK(same_bits(rank.network.features, one[0].network.features));
      }
      const std::size_t held = several[1].network.labels.rows();
      CHECK(held <= data.num_labels / static_cast<std::size_t>(ranks) + 1);
    }
  }
}

TEST_CASE("shards learn what an undivided layer does, but for the order of sums") {
  const Dataset data = synthetic_data(kShardBatch * kShardSteps, 601, 2);
  for (const LossKind loss : {LossKind::softmax, LossKind::one_vs_all}) {
    for (const bool shared : {false, true}) {
      for (const std::uint32_t shards : {1U, 4U}) {
        const ShardCase c{loss, shared, false, shards};
        const TrainedRank alone = trained_alone(c, data);
        const std::vector<TrainedRank> ranks = trained_on(1, c, data);
        const TrainedRank& sharded = ranks[0];
        CHECK(sharded.loss == doctest::Approx(alone.loss).epsilon(1e-5));
        CHECK(worst_of(sharded.network.labels, alone.network.labels) < 1e-3);
        CHECK(worst_of(sharded.network.features, alone.network.features) < 1e-3);
      }
    }
  }
}

TEST_CASE("shards without labels, or without a batch's outputs, add nothing") {
  const Dataset data = synthetic_data(kShardBatch * kShardSteps, 5, 1);
  for (const bool shared : {false, true}) {
    for (const LossKind loss : {LossKind::softmax, LossKind::one_vs_all}) {
      const ShardCase c{loss, shared, false, 8};
      CHECK(same_bits(trained_on(1, c, data)[0].network, trained_on(4, c, data)[0].network));
    }
  }
}

TEST_CASE("shards do not depend on threads") {
  const Dataset data = synthetic_data(kShardBatch * kShardSteps, 601, 2);
  const int threads = num_threads();
  set_num_threads(1);
  const std::vector<TrainedRank> one = trained_on(1, {}, data);
  set_num_threads(3);
  CHECK(same_bits(one[0].network, trained_on(2, {}, data)[0].network));
  set_num_threads(threads);
}

TEST_CASE("a step sends three numbers an example and shard, and the gradient of the hidden units") {
  const Dataset data = synthetic_data(kShardBatch * kShardSteps, 601, 2);
  const std::uint64_t gradient = kShardBatch * 16 * sizeof(float);
  for (const std::uint64_t ranks : {2U, 4U}) {
    const std::uint64_t parts = 3 * sizeof(double) * kShardBatch * (4 / ranks) * (ranks - 1);
    const std::uint64_t sent = gradient * (ranks / 2);  // whole, as it is small
    for (const TrainedRank& rank : trained_on(static_cast<int>(ranks), {}, data)) {
      CHECK(rank.bytes == kShardSteps * (parts + sent));
    }
  }
}

TEST_CASE("a rank takes its rows of a checkpoint of all labels, and of one of its own") {
  const Dataset data = synthetic_data(kShardBatch * kShardSteps, 601, 2);
  const std::vector<TrainedRank> ranks = trained_on(2, {}, data);
  const RowTable& own = ranks[1].network.labels;
  for (const TrainedRank& from : ranks) {
    Document state;
    save_training_state(from.network, state);
    Network to(sharded_shape({}, data), OptimizerKind::adagrad, {300, 601});
    restore_training_state(state, "c", to);
    CHECK(same_bits(to.labels, own));
  }
  Document state;
  save_training_state(ranks[1].network, state);
  Network other(sharded_shape({}, data), OptimizerKind::adagrad, {0, 300});
  CHECK_THROWS_WITH_AS(restore_training_state(state, "c", other),
                       "c: tensor 'labels.rows' is [301, 32], expected [601, 32]", Error);
}
