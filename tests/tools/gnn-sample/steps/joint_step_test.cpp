// Steps of several mini-batches against steps of one, and as ranks that share them.
#include "tools/gnn-sample/steps/joint_step.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "libcore/threading/parallel.h"
#include "tests/libcore/parallel/test_ranks.h"
#include "tests/tools/gnn-sample/network/random_batch.h"
#include "tools/gnn-sample/steps/batch_trainer.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kDim = 8, kClasses = 3;

GnnOptions normalised_network() {
  GnnOptions options;
  options.kind = "sage";
  options.num_layers = 2;
  options.hidden = 16;
  options.norm = NormKind::batch;
  options.dropout = 0.2F;
  return options;
}

/// Mini-batch number i, with its labels.
struct LabelledBatch {
  explicit LabelledBatch(std::uint64_t i) : batch({40, 20, 10}, kDim, 7 * i + 1) {
    for (std::size_t s = 0; s < batch.num_seeds(); ++s) {
      labels.push_back(static_cast<std::int32_t>((s + i) % kClasses));
    }
  }
  BatchTargets targets() const { return {labels, {}, {}}; }
  RandomBatch batch;
  std::vector<std::int32_t> labels;
};

std::unique_ptr<GnnModel> model_to_train() {
  auto model = std::make_unique<GnnModel>(normalised_network(), kDim, kClasses);
  model->randomize(3);
  model->prepare_training({.kind = OptimizerKind::adam});
  return model;
}

std::vector<float> parameters_of(GnnModel& model) {
  Document document;
  model.save(document);
  std::vector<float> all;
  for (const Tensor& tensor : document.tensors) {
    const auto values = tensor.as<float>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// Two steps of `size` mini-batches, of which the last has one fewer where `uneven`.
std::vector<float> after_steps(Communicator& rank, int size, bool uneven) {
  const auto model = model_to_train();
  JointStep joint(*model, rank);
  const int begin = size * rank.rank() / rank.size();
  const int end = size * (rank.rank() + 1) / rank.size();
  for (int step = 0; step < 2; ++step) {
    const int batches = step == 1 && uneven ? size - 1 : size;
    for (int b = begin; b < std::min(end, batches); ++b) {
      const std::uint64_t number =
          static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(size) +
          static_cast<std::uint64_t>(b);
      const LabelledBatch labelled(number);
      joint.add(labelled.batch.view(), labelled.targets(), {true, 5, number}, {0, 10, 2, 1});
    }
    const JointStep::Figures figures = joint.take(static_cast<std::uint64_t>(batches), 0.01F);
    CHECK(figures.seeds == 10.0 * batches);
    CHECK(figures.edges == 2.0 * batches);
    CHECK(figures.loss_sum > 0);
  }
  return parameters_of(*model);
}

}  // namespace

TEST_CASE("a joint step of one mini-batch is the step of it") {
  const auto alone = single_process();
  const auto model = model_to_train(), other = model_to_train();
  const auto trainer = make_cpu_trainer(*model);
  JointStep joint(*other, *alone);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const LabelledBatch labelled(i);
    const double loss =
        trainer->train(labelled.batch.view(), labelled.targets(), {true, 5, i}, 0.01F);
    joint.add(labelled.batch.view(), labelled.targets(), {true, 5, i}, {});
    CHECK(joint.take(1, 0.01F).loss_sum == loss);
  }
  CHECK(parameters_of(*model) == parameters_of(*other));
}

TEST_CASE("ranks that share a step's mini-batches get the bits of one that has them all") {
  set_num_threads(1);
  const auto alone = single_process();
  for (const bool uneven : {false, true}) {
    const std::vector<float> one = after_steps(*alone, 4, uneven);
    CHECK(one != parameters_of(*model_to_train()));
    for (const int ranks : {2, 4}) {
      ThreadRanks(ranks).run(
          [&](Communicator& rank) { CHECK(after_steps(rank, 4, uneven) == one); });
    }
  }
  set_num_threads(0);
}

TEST_CASE("running moments move by the mean of what each mini-batch moves them") {
  const auto alone = single_process();
  std::vector<std::vector<float>> moved;
  const auto moments = [](GnnModel& model) {
    std::vector<float> all;
    model.visit_norms([&](const std::string&, BatchNorm& norm) {
      all.insert(all.end(), norm.running_mean().begin(), norm.running_mean().end());
    });
    return all;
  };
  for (const std::vector<std::uint64_t>& numbers : {std::vector<std::uint64_t>{0}, {1}, {0, 1}}) {
    const auto model = model_to_train();
    JointStep joint(*model, *alone);
    for (const std::uint64_t i : numbers) {
      const LabelledBatch labelled(i);
      joint.add(labelled.batch.view(), labelled.targets(), {true, 5, i}, {});
    }
    joint.take(numbers.size(), 0.01F);
    moved.push_back(moments(*model));
  }
  REQUIRE(!moved[0].empty());
  CHECK(moved[0] != moved[1]);
  for (std::size_t i = 0; i < moved[0].size(); ++i) {
    CHECK(std::abs(moved[2][i] - (moved[0][i] + moved[1][i]) / 2) < 1e-7);
  }
}
