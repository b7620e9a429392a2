#include "tools/sparse-train/tune/tune.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "libcore/report/report.h"
#include "libcore/system/clock.h"
#include "libcore/threading/num_threads.h"
#include "tests/support/text_file.h"
#include "tools/sparse-train/tune/tune_data.h"
#include "tools/sparse-train/tune/tune_report.h"
#include "tools/sparse-train/tune/tune_space.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// CSV whose words tell the label; quoted fields with line ends among them.
std::string csv(int examples) {
  std::ostringstream text;
  text << "label,text\n";
  for (int i = 0; i < examples; ++i) {
    const char* words = i % 2 == 0 ? "wings beak feather" : "fins scales gills";
    text << (i % 2 == 0 ? "bird" : "fish") << ",\"" << words << (i % 5 == 0 ? "\n" : " ") << "n"
         << i << "\"\n";
  }
  return text.str();
}

}  // namespace

TEST_CASE("rungs of examples lie inside each other, and what is held out in none") {
  const TextFile data(csv(300), ".csv");
  FeatureOptions features;
  std::string folder;
  {
    const TuneData parts(data.path(), "", features, 0.2, 1);
    const auto records = [](const std::string& path) {
      // A quoted line end makes two lines of a record: records begin with a label.
      std::set<std::string> found;
      std::string record;
      for (const std::string& line : lines_of(path)) {
        const bool begins = line.starts_with("bird") || line.starts_with("fish");
        if (begins && !record.empty()) found.insert(record);
        record = begins ? line : line.starts_with("label,text") ? "" : record + "\n" + line;
      }
      found.insert(record);
      return found;
    };
    const auto ninth = records(parts.training(0)), third = records(parts.training(1));
    const auto all = records(parts.training(2)), held_out = records(parts.validation());
    CHECK(lines_of(parts.training(0))[0] == "label,text");
    CHECK(all.size() + held_out.size() == 300);
    CHECK(held_out.size() > 40);
    CHECK(held_out.size() < 80);
    CHECK(ninth.size() < third.size());
    CHECK(third.size() < all.size());
    for (const auto& r : ninth) CHECK(third.count(r) == 1);
    for (const auto& r : third) CHECK(all.count(r) == 1);
    for (const auto& r : held_out) CHECK(all.count(r) == 0);
    folder = std::filesystem::path(parts.training(0)).parent_path();
  }
  CHECK(!std::filesystem::exists(folder));
}

TEST_CASE("parts have the format of their file, whatever their first lines look like") {
  std::string text = "__label__a one, two\n";
  for (int i = 0; i < 200; ++i) text += i % 4 == 0 ? "__label__b three\n" : "four, five\n";
  const TextFile data(text);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const TuneData parts(data.path(), "", {}, 0.2, seed);
    CHECK(Featurizer(parts.features()).fit(parts.training(0)).num_labels >= 1);
  }
}

TEST_CASE("parts of XMC data have true headers; pipes are refused") {
  std::string text = "200 4 2\n";
  for (int i = 0; i < 200; ++i) text += i % 2 == 0 ? "0 0:1 2:0.5\n" : "1 1:1 3:0.5\n";
  const TextFile data(text);
  const TuneData parts(data.path(), data.path(), FeatureOptions(), 0.5, 3);
  CHECK(parts.is_sparse());
  CHECK(parts.validation() == data.path());
  CHECK(lines_of(parts.training(2)).size() == 201);
  const auto ninth = lines_of(parts.training(0));
  CHECK(ninth[0] == std::to_string(ninth.size() - 1) + " 4 2");
  CHECK(error_of([] { TuneData("-", "", FeatureOptions(), 0.1, 0); }) ==
        "2 -: tune reads its data several times, expected a file of text");
}

TEST_CASE("configurations are functions of seed and number, and leave alone what is fixed") {
  Plan plan;
  DataFacts facts;
  facts.labels = 500;
  TrainOptions options;
  std::set<std::string> rates;
  for (int i = 1; i < 20; ++i) {
    const Settings settings = draw_settings(options, plan, facts, true, 7, i);
    CHECK(settings == draw_settings(options, plan, facts, true, 7, i));
    for (const auto& [name, value] : settings) {
      CHECK(name != "word-ngrams");
      if (name == "learning-rate") rates.insert(value);
    }
  }
  CHECK(rates.size() > 5);
  options.settings.learning_rate = 0.3;
  options.settings.architecture = "dense";
  for (int i = 1; i < 20; ++i) {
    for (const auto& [name, value] : draw_settings(options, plan, facts, true, 7, i)) {
      CHECK(name != "learning-rate");
      CHECK(name != "architecture");
    }
  }
}

TEST_CASE("with many labels all sparse ways are tried, each at rates of its own") {
  TrainOptions fixed;
  DataFacts facts;
  facts.examples = 50000;
  facts.features = 30000;
  facts.labels = 10000;
  facts.features_per_example = 40;
  facts.labels_per_example = 4;
  const Plan plan = plan_training(fixed.settings, facts);
  std::map<std::string, double> largest;
  for (int i = 1; i < 60; ++i) {
    std::map<std::string, std::string> own;
    for (const auto& [name, value] : draw_settings(fixed, plan, facts, true, 7, i)) {
      own[name] = value;
    }
    const std::string way = own["architecture"] + own["lsh-hard"];
    if (own.contains("learning-rate")) {
      largest[way] = std::max(largest[way], std::stod(own["learning-rate"]));
    } else {
      largest[way] = 0;
    }
  }
  for (const char* way : {"tree", "lsh", "shared", "shared10", "dense"}) {
    CAPTURE(way);
    CHECK(largest.contains(way));
  }
  CHECK(largest["lsh"] < 0.041);   // Adam
  CHECK(largest["shared"] > 0.1);  // Adagrad
}

TEST_CASE("text is tried with linear classifiers, and no configuration twice") {
  TrainOptions fixed;
  fixed.features.word_ngrams = kNgramsByData;
  DataFacts facts;
  facts.labels = 2;
  facts.single_label = true;
  std::set<std::string> costs;
  for (int i = 1; i < 20; ++i) {
    for (const auto& [name, value] : draw_settings(fixed, Plan(), facts, false, 7, i))
      if (name == "tree-cost") costs.insert(value);
  }
  CHECK(costs.size() > 3);
  const TextFile data(csv(60), ".csv");
  TuneOptions options;
  options.train.data = data.path();
  options.trials = 10;
  options.train.settings.architecture = "tree";
  options.train.settings.forest.nodes.solver.cost = 1;
  options.train.settings.forest.nodes.prune = 0;
  options.train.features.word_ngrams = kNgramsByData;
  std::set<Settings> first;
  const TuneResult result = tune(options, {});
  std::size_t trials = 0;
  for (const Trial& trial : result.trials) {
    if (trial.rung != 0) continue;
    first.insert(trial.settings);
    ++trials;
  }
  CHECK(first.size() == trials);  // one to three words, and the planner's own
  CHECK(trials == 4);
}

TEST_CASE("what costs more is estimated so: grams, trees, passes, units and labels") {
  TrainOptions fixed;
  fixed.features.word_ngrams = kNgramsByData;
  DataFacts facts;
  facts.examples = 5000;
  facts.features = 30000;
  facts.features_per_example = 40;
  facts.labels_per_example = 1;
  facts.labels = 300;
  facts.single_label = true;
  const auto cost = [&](const Settings& settings) {
    return estimated_cost(fixed, settings, facts);
  };
  const auto dearer = [&](const Settings& a, const Settings& b) { return cost(a) > cost(b); };
  CHECK(dearer({{"char-ngrams", "3:5"}}, {}));
  CHECK(dearer({{"word-ngrams", "2"}}, {{"word-ngrams", "1"}}));
  CHECK(dearer({{"epochs", "20"}}, {{"epochs", "3"}}));
  CHECK(dearer({{"hidden", "256"}}, {{"hidden", "15"}}));
  CHECK(dearer({{"architecture", "tree"}, {"tree-cost", "8"}},
               {{"architecture", "tree"}, {"tree-cost", "1"}}));
  const double few = cost({{"architecture", "dense"}});
  facts.labels = 2000;
  CHECK(cost({{"architecture", "dense"}}) > 2 * few);
}

TEST_CASE("the cheapest of what is drawn is tried first, within a budget of CPU time") {
  const TextFile data(csv(300), ".csv");
  TuneOptions options;
  options.train.data = data.path();
  options.train.features.word_ngrams = kNgramsByData;
  options.trials = 8;
  // Threads that wait for each other on a busy machine take CPU time that says nothing.
  const int threads = num_threads();
  set_num_threads(1);
  const double began = cpu_seconds();
  const TuneResult result = tune(options, {});
  const double needed = cpu_seconds() - began;
  DataFacts facts;
  facts.examples = 300;
  facts.features = 100;
  facts.features_per_example = 6;
  facts.labels_per_example = 1;
  facts.labels = 2;
  facts.single_label = true;
  std::vector<double> costs;
  for (const Trial& trial : result.trials) {
    if (trial.rung == 0) costs.push_back(estimated_cost(options.train, trial.settings, facts));
  }
  REQUIRE(costs.size() == 8);
  CHECK(std::is_sorted(costs.begin(), costs.end()));
  CHECK(costs.front() < costs.back());
  // A wait takes none of it.
  options.budget_seconds = std::max(0.8, 4 * needed);
  const std::chrono::duration<double> longer(options.budget_seconds + 0.1);
  bool waited = false;
  const TuneResult late = tune(options, [&](const Trial&) {
    if (!waited) std::this_thread::sleep_for(longer);
    waited = true;
  });
  CHECK(late.trials.size() == result.trials.size());
  options.budget_seconds = 1e-6;
  CHECK(tune(options, {}).trials.size() == 1);
  set_num_threads(threads);
}

TEST_CASE("F1 of several labels is that of thresholds fitted to other examples") {
  // The second label has a word of its own in half of the examples, but never ranks first.
  std::ostringstream text;
  text << "label,text\n";
  for (int i = 0; i < 400; ++i) {
    text << (i % 2 == 0 ? "bird" : "fish") << (i % 4 < 2 ? ";rare,rarely " : ",")
         << (i % 2 == 0 ? "wings wings" : "fins fins") << " n" << i << "\n";
  }
  const TextFile data(text.str(), ".csv");
  TuneOptions options;
  options.train.data = data.path();
  options.train.features.label_separator = ";";
  options.train.features.word_ngrams = 1;
  options.train.settings.architecture = "tree";
  options.trials = 1;
  options.held_out = 0.4;
  for (const char* const metric : {"micro_f1", "macro_f1"}) {
    options.metric = metric;
    const TuneResult result = tune(options, {});
    CHECK(result.trials[result.best].score > 0.95);  // 0.8 for micro with the first label alone
  }
}

TEST_CASE("a search tries the planner's choice, too, and takes the best to all of the data") {
  const TextFile data(csv(300), ".csv");
  TuneOptions options;
  options.train.data = data.path();
  options.trials = 4;
  options.budget_seconds = 60;
  int told = 0;
  const TuneResult result = tune(options, [&](const Trial&) { ++told; });
  CHECK(result.trials.size() == 7);  // 4 on a ninth, 2 on a third, 1 on all
  CHECK(told == 7);
  const auto planned = std::count_if(result.trials.begin(), result.trials.begin() + 4,
                                     [](const Trial& t) { return t.settings.empty(); });
  CHECK(planned == 1);
  CHECK(result.trials[result.best].rung == 2);
  CHECK(result.trials[result.best].score > 0.9);
  CHECK(!result.stopped);
  options.metric = "f2";
  CHECK(error_of([&] { tune(options, {}); }) ==
        "2 unknown metric 'f2', expected p_at_1, p_at_5, micro_f1, macro_f1 or psp_at_1");
}

TEST_CASE("the configuration for train has the settings and nothing of tune's own") {
  const std::string config =
      "# sparse-train tune\n\ndata: \"x\"  # examples\nbudget: \"9s\"  # time\nhidden: 0  # units\n"
      "# label-column: \"\"  # name\nseed: 4  # of all\n";
  CHECK(tuned_config(config, {{"hidden", "31"}, {"char-ngrams", "3:5"}}) ==
        "hidden: \"31\"\nseed: 4  # of all\nchar-ngrams: \"3:5\"\n");
}

TEST_CASE("a page of a search shows the best score to four digits") {
  TuneResult result;
  result.trials = {{0, 2, {}, 0.51234567, 1.5}, {1, 2, {{"hidden", "31"}}, 0.61234567, 2.5}};
  result.best = 1;
  Report report("tune");
  add_tune_report(result, "p_at_1", report);
  const std::string html = report.html();
  const auto count = [&](const std::string& text) {
    int n = 0;
    for (std::size_t at = 0; (at = html.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  CHECK(count(">0.6123<") == 2);  // above, and in the table
  CHECK(count(">0.5123<") == 1);
  CHECK(count("Best: hidden=31.") == 1);
}
