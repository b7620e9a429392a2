#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/streams/input_stream.h"
#include "tests/support/text_file.h"
#include "tools/tgn-train/affinity/training.h"
#include "tools/tgn-train/making/import.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

/// An events file of lines source,destination,time[,weight], of two kinds of nodes.
class AffinityEvents {
 public:
  explicit AffinityEvents(const std::string& lines, bool weights = false) {
    const TextFile csv(
        std::string("source,destination,time") + (weights ? ",weight" : "") + '\n' + lines, ".csv");
    ImportOptions options;
    options.events = csv.path();
    options.output = file_.path();
    options.bipartite = "yes";
    import_events(options, [](const std::string&, std::uint64_t) {});
  }
  const std::string& path() const { return file_.path(); }
  LabelVectors vectors(double every, const std::string& weight = "auto") const {
    return {EventStream(path()), {every, weight}};
  }

 private:
  TextFile file_{"", ".safetensors"};
};

std::vector<float> averaged(const AverageHistory& history, const std::string& name, NodeId node,
                            std::size_t classes) {
  std::vector<float> scores(classes);
  history.add(average_named(name, ""), node, 1, scores);
  return scores;
}

bool has_values(const std::vector<float>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::abs(a[i] - b[i]) > 1e-6) return false;
  }
  return a.size() == b.size();
}

/// 40 nodes that mostly return to three classes of their own of 15, and to a common one that
/// changes every 10 periods.
std::string returning_events(std::uint64_t seed) {
  Rng rng(seed);
  std::string lines;
  for (std::uint64_t time = 0; time < 600; ++time) {
    for (std::uint64_t n = 0; n < 40; ++n) {
      if (rng.below(3) == 0) continue;
      const std::uint64_t kind = rng.below(10);
      const std::uint64_t c = kind < 6   ? (n * 2 + rng.below(3)) % 14
                              : kind < 9 ? time / 100 * 4 % 15
                                         : rng.below(15);
      lines += std::to_string(n) + ',' + std::to_string(c) + ',' + std::to_string(time) + '\n';
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("events of a source in a period are one vector, by class") {
  const AffinityEvents events("0,1,0\n0,1,4\n1,0,4\n0,2,9\n0,0,10\n1,2,31\n");
  const LabelVectors vectors = events.vectors(10);
  CHECK(vectors.size() == 4);
  CHECK(vectors.num_classes() == 3);
  CHECK(vectors.num_periods() == 3);
  CHECK(std::vector(vectors.classes(0).begin(), vectors.classes(0).end()) ==
        std::vector<std::uint32_t>{1, 2});
  CHECK(std::vector(vectors.weights(0).begin(), vectors.weights(0).end()) ==
        std::vector<float>{2, 1});
  CHECK(vectors.total(0) == 3);
  CHECK(vectors.node(1) == 1);
  CHECK(vectors.period(3) == 2);
  CHECK(vectors.when(2) == 3);
  CHECK(vectors.time(2) == 30);
  CHECK(vectors.first_from(30) == 2);
  CHECK(vectors.first_from(31) == 3);
  CHECK(events.vectors(0).num_periods() == 5);
}

TEST_CASE("weights are a feature of the events, or 1") {
  const AffinityEvents events("0,0,0,2.5\n0,1,0,0\n1,1,0,0\n0,0,1,4\n", true);
  const LabelVectors vectors = events.vectors(0);
  CHECK(vectors.size() == 2);
  CHECK(vectors.weights(0)[0] == 2.5F);
  CHECK(vectors.weights(0).size() == 1);
  CHECK(events.vectors(0, "none").size() == 3);
  CHECK(events.vectors(0, "1").total(1) == 4);
  CHECK_THROWS_WITH_AS(events.vectors(0, "2"), doctest::Contains("has 1 feature: weight"), Error);
  CHECK_THROWS_WITH_AS(AffinityEvents("0,0,0,-1\n", true).vectors(0),
                       doctest::Contains("event 0 has weight -1"), Error);
  CHECK_THROWS_WITH_AS(AffinityEvents("0,0,0,0\n", true).vectors(0), doctest::Contains("above 0"),
                       Error);
}

TEST_CASE("sums of weights above the highest f32 are refused, and the highest ones are not") {
  CHECK_THROWS_WITH_AS(AffinityEvents("0,0,0,1\n0,0,1,3e38\n0,1,1,3e38\n", true).vectors(0),
                       doctest::Contains("event 2 of weight 3e+38"), Error);
  const AffinityEvents events("0,0,0,2e38\n0,1,0,1e38\n0,0,1,1e-45\n0,1,2,1\n", true);
  const LabelVectors vectors = events.vectors(0);
  AverageHistory history(vectors);
  history.learn();
  CHECK(has_values(averaged(history, "last", 0, 2), {2.0 / 3, 1.0 / 3}));
  CHECK(has_values(averaged(history, "activity_0.7", 0, 2), {0.585786, 0.414214}));
  history.learn();
  CHECK(has_values(averaged(history, "moving_average_2", 0, 2), {5.0 / 6, 1.0 / 6}));
}

TEST_CASE("a training whose loss is not finite stops and writes no model") {
  const AffinityEvents events(returning_events(4));
  const TextFile file("as it was", ".safetensors");
  AffinityOptions options;
  options.events = events.path();
  options.model = file.path();
  options.vectors.every = 10;
  options.mix.learning_rate = 1e38;
  const AffinityObserver observer{[](const AffinityResult&) {}, [](const AffinityResult&) {},
                                  [](int, double, double) {}};
  CHECK_THROWS_WITH_AS(train_affinity(options, observer),
                       doctest::Contains("the loss is not finite"), Error);
  CHECK(read_whole(file.path()) == "as it was");
}

TEST_CASE("a model names the feature that is the weight, and needs it again") {
  std::string lines, plain;
  for (int time = 0; time < 20; ++time) {
    plain += "0," + std::to_string(time % 2) + ',' + std::to_string(time) + '\n';
    lines += plain.substr(plain.rfind('\n', plain.size() - 2) + 1);
    lines.insert(lines.size() - 1, ",2");
  }
  const AffinityEvents weighted(lines, true), unweighted(plain);
  CHECK(weighted.vectors(0).weight() == "weight");
  CHECK(weighted.vectors(0, "1").weight() == "weight");
  CHECK(weighted.vectors(0, "none").weight() == "none");
  CHECK(unweighted.vectors(0).weight() == "none");
  LabelVectorOptions options{0, "weight", "m.model"};
  CHECK_THROWS_WITH_AS(LabelVectors(EventStream(unweighted.path()), options),
                       doctest::Contains("m.model: its weights are the feature weight, and "),
                       Error);
  AffinityModel model;
  model.valid_from = 12;
  model.test_from = 8;
  CHECK_THROWS_WITH_AS(split_vectors(weighted.vectors(0), model, "e"),
                       doctest::Contains("--valid-from and --test-from are in the wrong order"),
                       Error);
  model.vectors.model = "m.model";
  model.test_from = 50;
  CHECK_THROWS_WITH_AS(split_vectors(weighted.vectors(0), model, "e"),
                       doctest::Contains("in its training: 12 and 50"), Error);
}

TEST_CASE("where validation has no known nodes, all of its vectors choose the average") {
  std::string lines;
  for (int time = 0; time < 20; ++time) {
    lines += std::to_string(time) + ',' + std::to_string(time % 5 == 0 ? 1 : 0) + ',' +
             std::to_string(time) + '\n';
  }
  const AffinityEvents events(lines);
  AffinityOptions options;
  options.events = events.path();
  const AffinityObserver observer{[](const AffinityResult&) {}, [](const AffinityResult&) {},
                                  [](int, double, double) {}};
  const AffinityResult result = train_affinity(options, observer);
  CHECK(result.tests.valid.known == 0);
  CHECK(result.mix.epochs == 0);
  CHECK(result.model.average.family == AverageFamily::global);
  CHECK(result.tests.valid.choice() == result.tests.valid.ndcg_all);
  for (const AffinityTest& test : result.averages) {
    CHECK(result.tests.valid.ndcg_all >= test.valid.ndcg_all);
  }
}

TEST_CASE("averages are those of their formulas, of earlier periods only") {
  const AffinityEvents events("0,0,0\n0,1,10\n0,1,10\n0,1,10\n0,2,10\n1,2,10\n0,0,20\n");
  const LabelVectors vectors = events.vectors(10);
  AverageHistory history(vectors);
  CHECK(!history.knows(0));
  history.learn();
  CHECK(has_values(averaged(history, "last", 0, 3), {1, 0, 0}));
  CHECK(has_values(averaged(history, "ema_0.2", 0, 3), {1, 0, 0}));
  CHECK(!history.knows(1));
  history.learn();
  CHECK(has_values(averaged(history, "last", 0, 3), {0, 0.75, 0.25}));
  CHECK(has_values(averaged(history, "mean", 0, 3), {0.5, 0.375, 0.125}));
  CHECK(has_values(averaged(history, "moving_average_7", 0, 3), {0.5, 0.375, 0.125}));
  CHECK(has_values(averaged(history, "ema_0.2", 0, 3), {0.8, 0.15, 0.05}));
  const double root = std::sqrt(3.0), sum = 0.7 + root + 1;
  CHECK(has_values(averaged(history, "activity_0.7", 0, 3), {0.7 / sum, root / sum, 1 / sum}));
  CHECK(has_values(averaged(history, "previous", 0, 3), {0, 0.375, 0.625}));
  const double first = 0.1 * 0.9 * 0.9, second = 0.1 * 0.9, all = first + second + 0.1;
  CHECK(has_values(averaged(history, "global_0.1", 0, 3),
                   {first / all, second * 0.75 / all, (second * 0.25 + 0.1) / all}));
  const NodeFacts facts = history.facts(0, 4);
  CHECK(facts[0] == Approx(std::log(3)));
  CHECK(facts[1] == Approx(std::log(4)));
  CHECK(facts[2] == Approx(std::log(5)));
  CHECK(facts[3] == Approx(2.0 / 3));
  CHECK(facts[4] == Approx(1));
  NodeAverages own;
  const Average both[] = {average_named("last", ""), average_named("mean", "")};
  history.read(both, 0, own);
  CHECK(own.classes == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(has_values(own.values, {0, 0.5, 0.75, 0.375, 0.25, 0.125}));
}

TEST_CASE("gates weigh averages, and their gradient is that of the loss") {
  const AffinityEvents events(returning_events(1));
  const LabelVectors vectors = events.vectors(10);
  AverageMix mix;
  for (const Average& one : all_averages()) mix.parts[static_cast<std::size_t>(one.family)] = one;
  Rng rng(2);
  for (float& weight : mix.weights) weight = static_cast<float>(rng.uniform() - 0.5);
  mix.scale.fill(1);
  AverageHistory history(vectors);
  while (history.period() < 20) history.learn();
  const std::vector<float> shared = shared_parts(mix, history);
  AffinityQuery query{vectors.begin(20), 20, {}, {}};
  const NodeId node = vectors.node(query.vector);
  query.facts = history.facts(node, 20);
  history.read(std::span(mix.parts).first(kOwnParts), node, query.own);
  // The score is the sum of the averages, each times its share.
  const auto shares = mix.shares(query.facts);
  std::vector<float> scores(15), some, expected(15);
  mix.score(shares, query.own, shared, scores);
  for (std::size_t p = 0; p < kMixParts; ++p) history.add(mix.parts[p], node, shares[p], expected);
  CHECK(has_values(scores, {expected.begin(), expected.end()}));
  mix.score_some(shares, query, shared, vectors.classes(query.vector), some);
  CHECK(some[0] == Approx(scores[vectors.classes(query.vector)[0]]));
  std::vector<float> gradient(mix.weights.size());
  mix_loss(mix, query, shared, vectors, gradient);
  for (std::size_t w = 0; w < mix.weights.size(); ++w) {
    constexpr float kStep = 1e-2F;
    std::vector<float> unused(mix.weights.size());
    AverageMix more = mix, less = mix;
    more.weights[w] += kStep;
    less.weights[w] -= kStep;
    const double slope = (mix_loss(more, query, shared, vectors, unused) -
                          mix_loss(less, query, shared, vectors, unused)) /
                         (2 * kStep);
    CHECK(gradient[w] == Approx(slope).epsilon(2e-3).scale(0.05));
  }
}

TEST_CASE("a mix is better than averages where nodes and all of them matter, and is kept") {
  const AffinityEvents events(returning_events(3));
  const TextFile file("", ".safetensors");
  AffinityOptions options;
  options.events = events.path();
  options.model = file.path();
  options.vectors.every = 10;
  options.history_entry = "{}";
  int epochs = 0;
  const AffinityObserver observer{[](const AffinityResult&) {}, [](const AffinityResult&) {},
                                  [&](int epoch, double, double) { epochs = epoch; }};
  const AffinityResult result = train_affinity(options, observer);
  CHECK(result.vectors == 40 * 60);
  CHECK(epochs == result.mix.epochs);
  CHECK(result.model.mixes);
  for (const AffinityTest& test : result.averages) {
    CHECK(result.tests.valid.ndcg > test.valid.ndcg);
    CHECK(result.tests.test.ndcg > test.test.ndcg);
  }
  // The file answers in the same way.
  const AffinityModel model = AffinityModel::load(read_document(file.path()), file.path());
  const LabelVectors vectors = events.vectors(10);
  const AffinityTest again =
      test_affinity(vectors, model, split_vectors(vectors, model, events.path()));
  CHECK(again.test.ndcg == result.tests.test.ndcg);
  CHECK(again.valid.ndcg_by_time == result.tests.valid.ndcg_by_time);
  CHECK(result.tests.valid.ndcg == Approx(result.mix.best_ndcg).epsilon(1e-9));
  // Fewer vectors of training leave validation as it is.
  options.mix.most_queries = 50;
  const AffinityResult few = train_affinity(options, observer);
  CHECK(few.mix.best_ndcg != result.mix.best_ndcg);
  CHECK(few.model.mixes);
  CHECK(few.tests.valid.ndcg == Approx(few.mix.best_ndcg).epsilon(1e-9));
  options.mixes = false;
  const AffinityResult plain = train_affinity(options, observer);
  CHECK(!plain.model.mixes);
  CHECK(plain.mix.epochs == 0);
  const auto place = std::find(all_averages().begin(), all_averages().end(), plain.model.average);
  CHECK(plain.tests.test.ndcg ==
        plain.averages[static_cast<std::size_t>(place - all_averages().begin())].test.ndcg);
}

TEST_CASE("forecasts do not know the period itself") {
  // The class of the last period occurs nowhere before it.
  std::string lines;
  for (int time = 0; time < 20; ++time) {
    lines += "0," + std::string(time < 19 ? "0," : "1,") + std::to_string(time) + '\n';
  }
  const LabelVectors vectors = AffinityEvents(lines).vectors(0);
  AffinityModel model;
  model.valid_from = 10;
  model.test_from = 19;
  for (const Average& one : all_averages()) {
    model.average = one;
    model.mix.parts[static_cast<std::size_t>(one.family)] = one;
  }
  for (const Average& one : all_averages()) {
    model.average = one;
    const AffinityTest tests = test_affinity(vectors, model, split_vectors(vectors, model, ""));
    CHECK(tests.valid.ndcg == Approx(1));
    CHECK(tests.test.ndcg == Approx(1 / std::log2(3.0)));
    CHECK(tests.test.known == 1);
  }
  model.test_from = 20;
  CHECK_THROWS_WITH_AS(split_vectors(vectors, model, "e"), doctest::Contains("0 in the test"),
                       Error);
}
