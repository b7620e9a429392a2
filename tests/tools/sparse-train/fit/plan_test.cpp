#include <doctest/doctest.h>

#include "tests/support/text_file.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/fit/plan_text.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

DataFacts facts(std::size_t examples, std::uint32_t labels, bool single) {
  return {examples, 1000, labels, 50, single ? 1.0 : 3.0, single};
}

TrainSettings shared() {
  TrainSettings settings;
  settings.architecture = "shared";
  return settings;
}

}  // namespace

TEST_CASE("few labels are computed densely, many are sampled, and the reason is given") {
  const Plan few = plan_training({}, facts(10000, 4, true));
  CHECK(few.output == OutputKind::dense);
  CHECK(few.activation == "linear");
  CHECK(few.hidden == 15);
  CHECK(few.reasons[0] ==
        "architecture dense: 4 labels are few enough to compute all for every example");
  const Plan many = plan_training(shared(), facts(100000, 25000, false));
  CHECK(many.architecture == "shared");
  CHECK(many.activation == "relu");
  CHECK(many.hidden == 256);
  CHECK(many.negatives == 1024);
  CHECK(plan_training(shared(), facts(500000, 670000, false)).hidden == 128);
}

TEST_CASE("columns of numbers have units that follow their interactions, more of many rows") {
  DataFacts of_numbers = facts(1000, 4, true);
  of_numbers.of_numbers = true;
  const Plan few = plan_training({}, of_numbers);
  CHECK(few.activation == "relu");
  CHECK(few.hidden == 31);
  of_numbers.examples = 20000;
  CHECK(plan_training({}, of_numbers).hidden == 63);
  TrainSettings linear;
  linear.activation = "linear";
  CHECK(plan_training(linear, of_numbers).hidden == 15);
}

TEST_CASE("several labels an example: all computed by one-vs-all and Adam, some by softmax") {
  const Plan all = plan_training({}, facts(10000, 500, false));
  CHECK(all.loss == "ova");
  CHECK(all.optimizer == "adam");
  CHECK(all.epochs == 20);
  CHECK(plan_training({}, facts(50000, 500, false)).epochs == 5);
  DataFacts some = facts(10000, 5000, false);
  CHECK(plan_training(shared(), some).loss == "softmax");
  CHECK(plan_training(shared(), some).optimizer == "adagrad");
  some.labels_per_example = 10;
  CHECK(plan_training(shared(), some).loss == "ova");
}

TEST_CASE(
    "several labels an example get trees, up to some beside a network, unless vectors are dense") {
  const DataFacts several = facts(10000, 500, false);
  const Plan plan = plan_training({}, several);
  CHECK(plan.architecture == "hybrid");
  CHECK(plan.reasons[0].starts_with("architecture hybrid: 3 labels an example"));
  CHECK(plan.reasons[1].starts_with("tree cost"));
  CHECK(plan.reasons[3].starts_with("its network dense: 500 labels"));
  CHECK(plan_training({}, facts(10000, 5000, true)).architecture == "shared");
  CHECK(plan_training({}, facts(10000, 5000, false)).architecture == "tree");
  TrainSettings of_a_network;
  of_a_network.hidden = 64;
  CHECK(plan_training(of_a_network, facts(10000, 5000, false)).architecture == "shared");
  DataFacts dense = several;
  dense.features_per_example = 900;
  CHECK(plan_training({}, dense).architecture == "dense");
}

TEST_CASE("on a device all of many labels are computed, unless what sampling needs is asked for") {
  TrainSettings settings;
  settings.architecture = "network";
  settings.on_device = true;
  const Plan plan = plan_training(settings, facts(100000, 32000, false));
  CHECK(plan.architecture == "dense");
  CHECK(plan.optimizer == "adam");
  CHECK(plan.loss == "softmax");
  CHECK(plan.reasons[0] ==
        "architecture dense: a device computes all 32000 labels for every example as fast as some "
        "drawn at random, and the model is more accurate");
  CHECK(plan_training(settings, facts(100000, 500, false)).reasons[0] ==
        "architecture dense: 500 labels are few enough to compute all for every example");
  CHECK(plan_training(settings, facts(100000, 2000000, false)).architecture == "shared");
  settings.negatives = 100;
  CHECK(plan_training(settings, facts(100000, 32000, false)).architecture == "shared");
  settings.negatives = 0;
  settings.label_weights = "bf16";
  CHECK(plan_training(settings, facts(100000, 32000, false)).output == OutputKind::shared);
}

TEST_CASE("small data gets more epochs") {
  CHECK(plan_training({}, facts(50000, 4, true)).epochs == 3);
  CHECK(plan_training({}, facts(3200, 4, true)).epochs == 10);
  CHECK(plan_training({}, facts(3, 4, true)).epochs == 50);
  CHECK(plan_training(shared(), facts(10'000'000, 25'000, true)).epochs == 5);
}

TEST_CASE("more classes learn at a higher rate") {
  CHECK(plan_training({}, facts(50000, 4, true)).learning_rate == 0.05);
  CHECK(plan_training({}, facts(50000, 20, true)).learning_rate == doctest::Approx(0.1));
  CHECK(plan_training({}, facts(50000, 1000, true)).learning_rate == 0.2);
  CHECK(plan_training({}, facts(50000, 1000, false)).learning_rate == 0.003);
  CHECK(plan_training(shared(), facts(50000, 24000, false)).learning_rate == doctest::Approx(0.2));
  TrainSettings dense;
  dense.architecture = "dense";
  const Plan all = plan_training(dense, facts(50000, 24000, false));
  CHECK(all.loss == "softmax");
  CHECK(all.optimizer == "adam");
  CHECK(all.batch_size == 256);
  CHECK(all.learning_rate == 0.01);
}

TEST_CASE("what the user sets is kept and needs no reason") {
  TrainSettings settings;
  settings.architecture = "shared";
  settings.loss = "ova";
  settings.activation = "relu";
  settings.hidden = 7;
  settings.epochs = 2;
  settings.batch_size = 9;
  settings.learning_rate = 0.5;
  settings.negatives = 11;
  const Plan plan = plan_training(settings, facts(10000, 4, true));
  CHECK(
      plan_text(plan) ==
      "architecture=shared loss=ova hidden=7 dropout=0 activation=relu label-weights=f32 epochs=2 "
      "batch-size=9 learning-rate=0.5 find-learning-rate=false schedule=linear warm-up=0 "
      "weight-decay=0 optimizer=adagrad negatives=11 correct-sampling=true");
  CHECK(plan.reasons.empty());
}

TEST_CASE("trees and networks are planned alone and together") {
  TrainSettings settings;
  settings.architecture = "tree";
  settings.forest.trees = 2;
  const Plan tree = plan_training(settings, facts(10000, 4, true));
  CHECK(tree.has_trees());
  CHECK_FALSE(tree.has_network());
  CHECK(tree.architecture == "tree");
  CHECK(tree.num_passes() == 2);
  CHECK(tree.forest.nodes.solver.cost == 0.5);
  CHECK(tree.reasons.size() == 2);
  CHECK(plan_text(tree).starts_with("architecture=tree trees=2 tree-arity="));
  settings.architecture = "hybrid";
  settings.forest.nodes.solver.cost = 3;
  settings.epochs = 5;
  const Plan hybrid = plan_training(settings, facts(10000, 4000, false));
  CHECK(hybrid.has_trees());
  CHECK(hybrid.has_network());
  CHECK(hybrid.output == OutputKind::shared);
  CHECK(hybrid.num_passes() == 7);
  CHECK(hybrid.forest.nodes.solver.cost == 3);
  CHECK(plan_text(hybrid).starts_with("architecture=hybrid loss=softmax"));
  CHECK(plan_text(hybrid).find(" trees=2 tree-arity=") != std::string::npos);
}

TEST_CASE("the data decides how many trees there are, and of what shape") {
  TrainSettings settings;
  settings.architecture = "tree";
  const ForestOptions few_each = plan_training(settings, facts(10000, 5000, false)).forest;
  CHECK(few_each.trees == 3);
  CHECK(few_each.clusters.leaf_size == 100);
  CHECK(few_each.second_arity == 2);
  CHECK(few_each.clusters.root_clusters == 64);
  CHECK(plan_training(settings, facts(10000, 1000, false)).forest.clusters.root_clusters == 1);
  DataFacts many_each = facts(10000, 5000, false);
  many_each.labels_per_example = 10;
  const ForestOptions many = plan_training(settings, many_each).forest;
  CHECK(many.trees == 8);
  CHECK(many.clusters.root_clusters == 1);
  CHECK(many.clusters.leaf_size == 200);
  CHECK(many.second_arity == many.clusters.arity);
  many_each.labels = 900;
  const ForestOptions flat = plan_training(settings, many_each).forest;
  CHECK(flat.trees == 1);
  CHECK(flat.clusters.leaf_size >= 900);
  CHECK(plan_training(settings, facts(10000, 400000, false)).forest.trees == 2);
  settings.forest.trees = 7;
  settings.forest.clusters.leaf_size = 50;
  settings.forest.second_arity = 8;
  settings.forest.clusters.root_clusters = 9;
  const Plan set = plan_training(settings, many_each);
  CHECK(set.forest.trees == 7);
  CHECK(set.forest.clusters.leaf_size == 50);
  CHECK(set.forest.second_arity == 8);
  CHECK(set.forest.clusters.root_clusters == 9);
  CHECK(set.reasons.size() == 1);
  settings.forest.clusters.leaf_size = 1;
  CHECK(error_of([&] { plan_training(settings, many_each); }) ==
        "2 --leaf-size is 1, expected 0 or at least 2");
}

TEST_CASE("rows of labels in bf16 are for shared outputs") {
  TrainSettings settings = shared();
  settings.label_weights = "bf16";
  const Plan plan = plan_training(settings, facts(100000, 25000, false));
  CHECK(plan_text(plan).find(" label-weights=bf16") != std::string::npos);
  settings.architecture = "auto";  // asks for a network
  CHECK(plan_training(settings, facts(100000, 25000, false)).architecture == "shared");
  const std::string expected =
      "2 --label-weights bf16 is for --architecture shared without hash tables, found "
      "architecture ";
  for (const char* output : {"dense", "tree", "lsh"}) {
    settings.architecture = output;
    const std::string tables = settings.architecture == "lsh" ? "lsh with hash tables" : output;
    CHECK(error_of([&] { plan_training(settings, facts(100000, 25000, false)); }) ==
          expected + tables);
  }
}

TEST_CASE("options of networks ask for one, those of steps, trees and hash tables do not") {
  const auto asks = [](const auto& change) {
    TrainSettings settings;
    change(settings);
    return asks_for_network(settings);
  };
  CHECK_FALSE(asks([](TrainSettings&) {}));
  CHECK(asks([](TrainSettings& s) { s.epochs = 1; }));
  CHECK(asks([](TrainSettings& s) { s.layers = {3}; }));
  CHECK(asks([](TrainSettings& s) { s.dropout = 0; }));
  CHECK(asks([](TrainSettings& s) { s.optimizer = "adam"; }));
  CHECK(asks([](TrainSettings& s) { s.find_learning_rate = true; }));
  CHECK(asks([](TrainSettings& s) { s.negatives = 3; }));
  CHECK(asks([](TrainSettings& s) { s.label_weights = "bf16"; }));
  CHECK(asks([](TrainSettings& s) { s.label_shards = 2; }));
  CHECK(asks([](TrainSettings& s) { s.lsh.hard = 2; }));
  CHECK_FALSE(asks([](TrainSettings& s) { s.batch_size = 3; }));
  CHECK_FALSE(asks([](TrainSettings& s) { s.schedule = "cosine"; }));
  CHECK_FALSE(asks([](TrainSettings& s) { s.warm_up = 0.1; }));
  CHECK_FALSE(asks([](TrainSettings& s) { s.correct_sampling = false; }));
  CHECK_FALSE(asks([](TrainSettings& s) { s.forest.trees = 2; }));
}

TEST_CASE("unknown names are refused") {
  TrainSettings settings;
  settings.architecture = "magic";
  CHECK(error_of([&] { plan_training(settings, facts(10, 4, true)); }) ==
        "2 unknown architecture 'magic', expected auto, dense, shared, lsh, tree or hybrid");
}

TEST_CASE("facts are counted from the data") {
  const DataFacts one = facts_of(synthetic_data(50, 5, 1)),
                  two = facts_of(synthetic_data(50, 5, 2));
  CHECK(one.single_label);
  CHECK_FALSE(two.single_label);
  CHECK(two.labels_per_example == 2);
  CHECK(one.examples == 50);
}
