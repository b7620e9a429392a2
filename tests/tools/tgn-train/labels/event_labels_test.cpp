#include "tools/tgn-train/labels/event_labels.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/error.h"
#include "tests/support/text_file.h"
#include "tools/tgn-train/labels/tests.h"
#include "tools/tgn-train/making/import.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

/// An events file of one event a time, whose labels are given; sources alternate between 0 and 1.
class Labels {
 public:
  Labels(const std::vector<std::string>& labels, LabelType type) {
    std::string text = "src,dst,time,label\n";
    for (std::size_t e = 0; e < labels.size(); ++e) {
      text += std::to_string(e % 2) + ',' + std::to_string(2 + e % 3) + ',' + std::to_string(e) +
              ',' + labels[e] + '\n';
    }
    const TextFile csv(text, ".csv");
    ImportOptions options;
    options.events = csv.path();
    options.output = file_.path();
    options.layout.labels = type;
    import_events(options, [](const std::string&, std::uint64_t) {});
  }
  LinkData data() const {
    EventSplitOptions split;
    split.new_nodes = 0;
    return {file_.path(), split};
  }

 private:
  TextFile file_{"", ".safetensors"};
};

std::vector<std::string> repeated(std::vector<std::string> labels, std::size_t times) {
  const std::size_t n = labels.size();
  for (std::size_t i = n; i < n * times; ++i) labels.push_back(labels[i % n]);
  return labels;
}

}  // namespace

TEST_CASE("A stream of classes takes the numbers of a model's classes") {
  const LinkData data = Labels(repeated({"b", "c", ""}, 10), LabelType::classes).data();
  EventLabels labels(data);
  CHECK(labels.type() == LabelType::classes);
  CHECK(labels.at(0) == 0);
  CHECK(labels.at(1) == 1);
  CHECK(std::isnan(labels.at(2)));
  labels.check();
  CHECK(labels.count(EventPart::train) == labels.events(EventPart::train).size());
  LabelTask task;
  task.type = LabelType::classes;
  task.classes = {"a", "c", "b"};
  labels.fit(task, "MODEL");
  CHECK(labels.at(0) == 2);
  CHECK(labels.at(1) == 1);
  CHECK(std::isnan(labels.at(2)));
  task.classes = {"a", "b"};
  EventLabels others(data);
  CHECK(error_of([&] { others.fit(task, "MODEL"); }) ==
        "65 " + data.stream().path() + ": label 'c', the model MODEL knows a, b");
  task.type = LabelType::numbers;
  CHECK(error_of([&] { others.fit(task, "MODEL"); }).find("labels are of type class") !=
        std::string::npos);
}

TEST_CASE("Numbers are scaled by the training part, and labels of one kind are refused") {
  std::vector<std::string> labels = repeated({"1", "3"}, 10);
  for (std::size_t e = 14; e < 20; ++e) labels[e] = "100";
  const LinkData data = Labels(labels, LabelType::numbers).data();
  const ValueScale scale = EventLabels(data).scale();
  CHECK(scale.mean == doctest::Approx(2));
  CHECK(scale.deviation == doctest::Approx(1));
  const auto error_with = [](std::vector<std::string> some) {
    const LinkData wrong = Labels(some, LabelType::numbers).data();
    return error_of([&] { EventLabels(wrong).check(); });
  };
  CHECK(error_with(labels) == "no error");
  CHECK(error_with(repeated({"2"}, 20)).find("have the same label") != std::string::npos);
  for (std::size_t e = 17; e < 20; ++e) labels[e] = "";
  CHECK(error_with(labels).find("none of the 3 events of the test has a label") !=
        std::string::npos);
}

TEST_CASE("Numbers too far from training's and errors of many classes are told shortly") {
  LabelTask task;
  task.type = LabelType::numbers;
  task.scale = {2, 0.5};
  task.check_range(4e14F, "");
  task.check_range(NAN, "");
  CHECK(error_of([&] {
          task.check_range(-6e14F, "PLACE: ");
        }).starts_with("65 PLACE: label -6e+14 is too far"));
  const LinkData data = Labels(repeated({"1", "3", "9e37"}, 10), LabelType::numbers).data();
  CHECK(error_of([&] {
          EventLabels(data).fit(task, "MODEL");
        }).starts_with("65 " + data.stream().path() + ": event 2: label 9e+37 is too far"));
  task.type = LabelType::classes;
  for (int c = 0; c < 30; ++c) task.classes.push_back("c" + std::to_string(c));
  CHECK(task.number_of("c29", "", "") == 29);
  CHECK(error_of([&] { task.number_of("x", "AT ", "M "); }) ==
        "65 AT label 'x', the model M knows c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 20 others");
}

TEST_CASE("Baselines answer with the training's mean, and with the past of a node") {
  // Sources 0 and 1 have 1 and 3 all the time; the test has three events, of 1, 0 and 1.
  const LinkData data = Labels(repeated({"1", "3"}, 10), LabelType::numbers).data();
  const EventLabels labels(data);
  LabelTask task;
  task.type = LabelType::numbers;
  task.scale = labels.scale();
  const LabelBaselines baselines = test_label_baselines(data, labels, task);
  REQUIRE(data.split().end(EventPart::test) - data.split().begin(EventPart::test) == 3);
  // The mean of training is 29 / 15 where 15 events train.
  const double mean = task.scale.mean;
  const auto rmse = [](const LabelMetrics& m) { return m.values[1].second; };
  CHECK(rmse(baselines.constant) ==
        doctest::Approx(std::sqrt((2 * (3 - mean) * (3 - mean) + (1 - mean) * (1 - mean)) / 3)));
  // A node with n labels is wrong by (label - mean) / (n + 1).
  const double a = (3 - mean) / 9, b = (1 - mean) / 10, c = (3 - mean) / 10;
  CHECK(rmse(baselines.source) == doctest::Approx(std::sqrt((a * a + b * b + c * c) / 3)));
  // Event e goes from e % 2 to 2 + e % 3; both nodes have residuals of all earlier events.
  double sum = 0, total = 0, residuals[5] = {};
  int counts[5] = {};
  for (int e = 0; e < 20; ++e) {
    const int from = e % 2, to = 2 + e % 3;
    const double label = (e % 2 == 0 ? 1 : 3) - mean, before = e == 0 ? 0 : total / e;
    const auto offset = [&](int node) { return residuals[node] / (counts[node] + 2); };
    const double wrong = label - before - offset(from) - offset(to);
    if (e >= 17) sum += wrong * wrong;
    total += label;
    const double middle = total / (e + 1), left = offset(from), right = offset(to);
    residuals[from] += label - middle - right;
    residuals[to] += label - middle - left;
    ++counts[from], ++counts[to];
  }
  CHECK(rmse(baselines.both) == doctest::Approx(std::sqrt(sum / 3)).epsilon(1e-5));
  CHECK(baselines.best().first == "source");
}

TEST_CASE("Metrics of classes are those of logits, of two also a ranking") {
  LabelTask task;
  task.type = LabelType::classes;
  task.classes = {"a", "b"};
  const float outputs[] = {0, 1, 2, 0, 0, 0.5F};
  const float actual[] = {1, 0, 0};
  const LabelMetrics metrics = label_metrics(task, actual, {outputs, 3, 2});
  CHECK(metrics.score == doctest::Approx(2.0 / 3));
  CHECK(metrics.values[0].first == "accuracy");
  const auto loss = [](double difference) { return std::log1p(std::exp(difference)); };
  CHECK(metrics.values[2].second == doctest::Approx((loss(-1) + loss(-2) + loss(0.5)) / 3));
  CHECK(metrics.auc == 1);
  CHECK(metrics.values.size() == 5);
}
