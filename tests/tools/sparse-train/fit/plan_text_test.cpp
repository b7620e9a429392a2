#include "tools/sparse-train/fit/plan_text.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

const DataFacts kFacts = {10000, 1000, 4000, 50, 3, false};

TrainSettings given(const std::string& architecture) {
  TrainSettings settings;
  settings.architecture = architecture;
  settings.epochs = 2;
  return settings;
}

std::string refusal(const Plan& plan, const Metadata& metadata) {
  return error_of([&] { check_stored_plan(plan, metadata, "x"); });
}

}  // namespace

TEST_CASE("a plan's text has the settings that have an effect, all of them decided") {
  const std::string dense = plan_text(plan_training(given("dense"), kFacts));
  CHECK(dense.starts_with("architecture=dense loss=softmax hidden=256 dropout=0.3 "));
  CHECK(dense.find("negatives") == std::string::npos);
  CHECK(dense.find("lsh") == std::string::npos);
  CHECK(dense.find("tree-") == std::string::npos);
  TrainSettings settings = given("lsh");
  settings.lsh.random = 0.5;
  const std::string lsh = plan_text(plan_training(settings, kFacts));
  CHECK(lsh.find(" lsh-active=310 lsh-min-active=310 lsh-hard=0 lsh-random=0.5 ") !=
        std::string::npos);
  CHECK(lsh.find(" lsh-hash=simhash ") != std::string::npos);
  CHECK(lsh.find("lsh-tables") == std::string::npos);
  CHECK(plan_text(plan_training(given("shared"), kFacts)).find("lsh") == std::string::npos);
  settings.architecture = "shared";
  settings.lsh.hard = 3;
  CHECK(plan_text(plan_training(settings, kFacts)).find(" lsh-hard=3 ") != std::string::npos);
  for (const char* architecture : {"auto", "dense", "shared", "lsh", "tree", "hybrid"}) {
    const std::string text = plan_text(plan_training(given(architecture), kFacts));
    CAPTURE(text);
    CHECK(text.find("=auto") == std::string::npos);
  }
}

TEST_CASE("a plan's text has the factors of a continued training") {
  Plan plan = plan_training(given("tree"), kFacts);
  CHECK(plan_text(plan).ends_with(" tree-prune=0.1 tree-bias=1"));
  plan.forest.nodes.new_share = 0.5;
  plan.forest.nodes.known_cost = 0.25;
  plan.forest.nodes.fresh_cost = 0.75;
  CHECK(plan_text(plan).ends_with(" tree-bias=1 new-share=0.5 known-cost=0.25 fresh-cost=0.75"));
}

TEST_CASE("a checkpoint is of one plan") {
  const Plan plan = plan_training(given("hybrid"), kFacts);
  Metadata metadata;
  store_plan(plan, metadata);
  CHECK(refusal(plan, metadata) == "no error");
  Plan other = plan;
  other.negatives = 0;  // the network of a hybrid is dense
  CHECK(refusal(other, metadata).starts_with("2 x: cannot resume: the plan differs (checkpoint: "));
  other = plan;
  other.learning_rate += 1e-12;
  CHECK(refusal(other, metadata) != "no error");
  CHECK(refusal(plan, {}).starts_with("2 x: cannot resume: the plan differs (checkpoint: ;"));
}

TEST_CASE("checkpoints of earlier versions name the plan otherwise") {
  Metadata metadata;
  std::string& stored = metadata["checkpoint.run.plan"];
  const Plan shared = plan_training(given("shared"), kFacts);
  stored =
      "architecture=shared loss=softmax activation=relu hidden=256 layers=none dropout=0.3 "
      "optimizer=adagrad schedule=linear learning-rate=0.08164965809277261 warm-up=0 epochs=2 "
      "batch-size=256 negatives=1024 correct-sampling=true";
  CHECK(refusal(shared, metadata) == "no error");
  CHECK(refusal(plan_training(given("dense"), kFacts), metadata) != "no error");
  Plan other = shared;
  other.learning_rate = 0.08;
  CHECK(refusal(other, metadata) != "no error");
  stored =
      "architecture=lsh loss=softmax activation=relu hidden=256 layers=none dropout=0.3 "
      "optimizer=adam schedule=linear learning-rate=0.01 warm-up=0 epochs=2 batch-size=256 "
      "negatives=0 correct-sampling=true lsh-hash=simhash lsh-k=10 lsh-tables=50 lsh-range=18 "
      "lsh-bucket=128 lsh-bucket-policy=fifo lsh-mode=agreement lsh-active=78 lsh-center=true "
      "lsh-bits=320 lsh-least-drawn=117 lsh-share-random=true lsh-threshold=2 lsh-min-active=310 "
      "lsh-correct-sampling=true lsh-rebuild=50 lsh-rebuild-growth=1.1 lsh-rebuild-steps=1 "
      "lsh-new-hashes=20 lsh-freeze-after=0 lsh-hard=0";
  CHECK(refusal(plan_training(given("lsh"), kFacts), metadata) == "no error");
  stored =
      "architecture=tree trees=3 tree-arity=16 tree-second-arity=2 tree-root-clusters=64 "
      "leaf-size=100 tree-depth=0 beam=10 tree-cost=0.5 tree-tolerance=0.1 tree-sweeps=20 "
      "tree-prune=0.1 tree-bias=1";
  Plan trees = plan_training(given("tree"), kFacts);
  CHECK(refusal(trees, metadata) == "no error");
  trees.forest.nodes.solver.cost = 1;
  CHECK(refusal(trees, metadata) != "no error");
}
