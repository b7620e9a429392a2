#include "tools/tgn-train/history/label_history.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/error.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

std::vector<float> read(const LabelHistory& history, std::size_t width, NodeId source,
                        NodeId destination, bool ages = false) {
  const LabelType type = width == 1 ? LabelType::numbers : LabelType::classes;
  std::vector<float> inputs(LabelHistory::num_inputs(type, width, ages));
  history.read(source, destination, inputs.data());
  return inputs;
}

}  // namespace

TEST_CASE("Labels count from the first later time on, for each node in its role") {
  LabelHistory history(LabelType::numbers);
  history.grow(3);
  history.go_to(5);
  history.add(0, 1, 4);
  history.go_to(5);
  CHECK(history.of(0, LabelHistory::as_source).count == 0);
  history.add(0, 2, -1);
  history.add(0, 2, kNone);
  history.go_to(6);
  const auto tally = history.of(0, LabelHistory::as_source);
  CHECK(tally.count == 2);
  CHECK(tally.sums[0] == 3);
  CHECK(tally.recent[0] == doctest::Approx(0.8 * 0.2 * 4 - 0.2));
  CHECK(history.of(0, LabelHistory::as_destination).count == 0);
  // Source 2, destination 0: nothing in these roles; as the other role 1 and 2 labels. The last
  // label from 0 to 2 was -1, and the mean of all is 1.5.
  const std::vector<float> inputs = read(history, 1, 2, 0);
  const double want[] = {0,    0,    0,  0,
                         0,    0,    0,  0,
                         -0.5, -0.2, -1, std::log(2.0),
                         1,    0.44, -1, std::log(3.0),
                         0,    0,    -1, std::log(2.0),
                         1.5};
  REQUIRE(inputs.size() == std::size(want));
  for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(inputs[i] == doctest::Approx(want[i]));
}

TEST_CASE("Ages of last labels divide them among the knots of a logarithmic scale") {
  // A unit of 10 seconds, so that a second is 0.1 units.
  LabelHistory history(LabelType::numbers, 1, TimeScale{10});
  history.grow(3);
  history.go_to(100);
  history.add(0, 1, 4);
  const auto logarithm = [](double units) { return std::log1p(4096 * units) / std::log1p(4096.0); };
  const auto numbers_at = [&](double time) {
    history.go_to(time);
    return read(history, 1, 0, 2, true);
  };
  REQUIRE(LabelHistory::num_inputs(LabelType::numbers, 1, true) == 4 * 9 + 2 * 7 + 1);
  // Nothing is known at the time itself.
  for (const float number : numbers_at(100)) CHECK(number == 0);
  const std::vector<float> early = numbers_at(101), late = numbers_at(500);
  const double age = logarithm(0.1);
  REQUIRE(age > 2.0 / 3);
  CHECK(early[4] == doctest::Approx(age));
  const double early_shares[] = {0, 0, 4 * (3 - 3 * age), 4 * (3 * age - 2)};
  const double late_shares[] = {0, 0, 0, 4};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(early[5 + i] == doctest::Approx(early_shares[i]));
    CHECK(late[5 + i] == late_shares[i]);
  }
  CHECK(late[4] == doctest::Approx(logarithm(40)));
  // The destination, 2, has no labels in either role, and the source none as a destination. They
  // have none together.
  for (std::size_t i = 9; i + 1 < late.size(); ++i) CHECK(late[i] == 0);
  // A later label replaces the age.
  history.add(0, 2, 1);
  CHECK(numbers_at(500.5)[4] == doctest::Approx(logarithm(0.05)));
}

TEST_CASE("The last label of a pair is read in both directions, with its number and age") {
  LabelHistory history(LabelType::numbers, 1, TimeScale{10});
  history.grow(3);
  const double times[] = {100, 200, 205};
  for (const double time : times) {
    history.go_to(time);
    history.add(1, 2, static_cast<float>(time));
  }
  // Not yet known at its own time.
  CHECK(read(history, 1, 1, 2, true)[36] == 200);
  history.go_to(210);
  const auto age = static_cast<float>(std::log1p(4096 * 0.5) / std::log1p(4096.0));
  REQUIRE(age > 2.0F / 3);
  const float pair[] = {205, std::log(4.0F), age, 0, 0, 205 * (3 - 3 * age), 205 * (3 * age - 2)};
  const std::vector<float> same = read(history, 1, 1, 2, true),
                           turned = read(history, 1, 2, 1, true),
                           other = read(history, 1, 2, 0, true);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(same[36 + i] == doctest::Approx(pair[i]));
    CHECK(same[43 + i] == 0);
    CHECK(turned[36 + i] == 0);
    CHECK(turned[43 + i] == doctest::Approx(pair[i]));
    CHECK(other[36 + i] == 0);
    CHECK(other[43 + i] == 0);
  }
}

TEST_CASE("Numbers are expected from the offsets of source and destination") {
  LabelHistory history(LabelType::numbers);
  history.grow(3);
  const auto expected = [&](NodeId source, NodeId destination) {
    float number = 0;
    history.expected(source, destination, &number);
    return number;
  };
  CHECK(expected(0, 1) == 0);
  history.go_to(1);
  history.add(0, 1, 4);
  history.add(0, 2, -1);
  history.go_to(2);
  // The mean is 4, then 1.5: residuals are 0, then -2.5 for both nodes.
  CHECK(expected(0, 2) == doctest::Approx(1.5 - 2.5 / 4 - 2.5 / 3));
  CHECK(expected(2, 0) == doctest::Approx(1.5));
  history.add(1, 2, 3);
  history.go_to(3);
  // The mean is 2. The residual of 2 is 1, and that of 1 is 1 + 2.5 / 3.
  CHECK(expected(1, 2) == doctest::Approx(2 + (1 + 2.5 / 3) / 3 - 1.5 / 4));
}

TEST_CASE("Classes and labels 0 and 1 are expected by naive Bayes") {
  LabelHistory classes(LabelType::classes, 2), binary(LabelType::binary);
  for (LabelHistory* const history : {&classes, &binary}) {
    history->grow(3);
    const float labels[] = {1, 0, 1, 1};
    for (std::size_t i = 0; i < 4; ++i) {
      history->go_to(static_cast<double>(i));
      history->add(i < 2 ? 0 : 1, 2, labels[i]);
    }
    history->go_to(9);
  }
  // Three of four labels are 1. Source 0 has 0 and 1, and destination 2 has all.
  const double prior[] = {2.0 / 6, 4.0 / 6};
  double want[2];
  for (int k = 0; k < 2; ++k) {
    const double all = k == 1 ? 3 : 1;
    want[k] = std::log((1 + 2 * prior[k]) / 4 * (all + 2 * prior[k]) / 6 / prior[k]);
  }
  float shares[2], logit = 0;
  classes.expected(0, 2, shares);
  binary.expected(0, 2, &logit);
  for (int k = 0; k < 2; ++k) CHECK(shares[k] == doctest::Approx(want[k]));
  CHECK(logit == doctest::Approx(want[1] - want[0]));
  CHECK(read(binary, 1, 0, 2).back() == logit);
}

TEST_CASE("A label history with ages is restored, and impossible times are refused") {
  LabelHistory history(LabelType::classes, 2, TimeScale{}),
      other(LabelType::classes, 2, TimeScale{});
  history.grow(3);
  history.go_to(1);
  history.add(0, 1, 1);
  history.go_to(4);
  history.add(2, 1, 0);
  Document lent, document;
  history.save(lent, 3);
  for (const Tensor& t : lent.tensors) document.tensors.push_back(t.clone());
  other.load(document, "FILE", 3, 4);
  for (LabelHistory* const h : {&history, &other}) h->go_to(9);
  CHECK(read(other, 2, 0, 1, true) == read(history, 2, 0, 1, true));
  float restored[2], kept[2];
  other.expected(0, 1, restored);
  history.expected(0, 1, kept);
  CHECK(std::equal(restored, restored + 2, kept));
  CHECK(read(other, 2, 2, 1, true) == read(history, 2, 2, 1, true));

  // tensor: 1, times of last labels, of node 0 as a source first; 4, the present time.
  const auto error_with = [&](double time, std::size_t tensor = 1, std::size_t place = 0) {
    Document bad;
    for (const Tensor& t : document.tensors) bad.tensors.push_back(t.clone());
    bad.tensors[tensor].as<double>()[place] = time;
    return error_of([&] { other.load(bad, "FILE", 3, 4); });
  };
  const std::string impossible =
      "65 FILE: tensors 'label_history.*' have an impossible number, expected tallies of labels";
  CHECK(error_with(3) == "no error");
  CHECK(error_with(4) == impossible);
  CHECK(error_with(std::numeric_limits<double>::infinity()) == impossible);
  CHECK(error_with(std::numeric_limits<double>::quiet_NaN()) == impossible);
  CHECK(error_with(-1.7e308) == impossible);
  // Node 0 has no label as a destination.
  CHECK(error_with(1, 1, 1) == impossible);
  CHECK(error_with(kNone, 1, 1) == impossible);
  const std::string late = "65 FILE: tensor 'label_history.time' is ",
                    wanted = ", expected 0 to 4, the time of the stream's last event";
  CHECK(error_with(4, 4) == "no error");
  CHECK(error_with(1, 4) == impossible);
  CHECK(error_with(5, 4) == late + "5" + wanted);
  CHECK(error_with(-1, 4) == late + "-1" + wanted);
  CHECK(error_with(std::numeric_limits<double>::infinity(), 4) == late + "inf" + wanted);
  CHECK(error_with(kNone, 4) == late + "nan" + wanted);
  CHECK(error_with(-std::numeric_limits<double>::infinity(), 4) == impossible);
  // 5: number of all labels and of each class; 6 to 8: pairs, their labels, times of these.
  const auto damaged = [&](const auto& damage) {
    Document bad;
    for (const Tensor& t : document.tensors) bad.tensors.push_back(t.clone());
    damage(bad.tensors);
    return error_of([&] { other.load(bad, "FILE", 3, 4); });
  };
  REQUIRE(document.tensors[8].name == "label_history.pair_times");
  REQUIRE(document.tensors[8].shape == Shape{1});
  CHECK(damaged([](auto& t) { t[8].template as<double>()[0] = 3; }) == "no error");
  CHECK(damaged([](auto& t) { t[8].template as<double>()[0] = 4; }) == impossible);
  CHECK(damaged([](auto& t) { t[8].template as<double>()[0] = -1; }) == impossible);
  CHECK(damaged([](auto& t) { t[7].template as<float>()[0] = 0; }) == impossible);
  constexpr float infinite = std::numeric_limits<float>::infinity();
  CHECK(damaged([](auto& t) { t[7].template as<float>()[0] = infinite; }) == impossible);
  CHECK(damaged([](auto& t) { t[0].template as<float>()[2] = 2; }) == impossible);
  CHECK(damaged([](auto& t) { t[0].template as<float>()[2] = -1; }) == impossible);
  CHECK(damaged([](auto& t) { t[7].template as<float>()[1] = 2; }) == impossible);
  CHECK(damaged([](auto& t) { t[6].template as<NodeId>()[1] = 3; }) == impossible);
  CHECK(damaged([](auto& t) { t[5].template as<double>()[0] = 2; }) == impossible);
  CHECK(damaged([](auto& t) { t[5].template as<double>()[1] = kNone; }) == impossible);
  Document without;
  for (const Tensor& t : document.tensors) {
    if (t.name != "label_history.times") without.tensors.push_back(t.clone());
  }
  CHECK(error_of([&] { other.load(without, "FILE", 3, 4); }).starts_with("65 FILE: "));
}

TEST_CASE("Classes have shares each") {
  LabelHistory history(LabelType::classes, 3);
  history.grow(2);
  for (int time = 0; time < 4; ++time) {
    history.go_to(time);
    history.add(0, 1, time == 3 ? 1.0F : 2.0F);
  }
  history.go_to(9);
  const auto tally = history.of(1, LabelHistory::as_destination);
  CHECK(tally.count == 4);
  CHECK(tally.sums[0] == 0);
  CHECK(tally.sums[1] == 1);
  CHECK(tally.sums[2] == 3);
  CHECK(tally.last[1] == 1);
  CHECK(tally.last[2] == 0);
  CHECK(read(history, 3, 0, 1)[2] == doctest::Approx(3.0 / 5));
}

TEST_CASE("A label history is restored with the labels of the present time, and checked") {
  LabelHistory history(LabelType::classes, 3), other(LabelType::classes, 3);
  history.grow(4);
  history.go_to(1);
  history.add(3, 1, 2);
  history.go_to(2);
  history.add(3, 0, 1);
  Document document;
  history.save(document, 4);
  other.load(document, "FILE", 4, 2);
  for (LabelHistory* const h : {&history, &other}) h->go_to(2);
  CHECK(read(other, 3, 3, 0) == read(history, 3, 3, 0));
  CHECK(other.of(3, LabelHistory::as_source).count == 1);
  for (LabelHistory* const h : {&history, &other}) h->go_to(3);
  CHECK(read(other, 3, 3, 0) == read(history, 3, 3, 0));
  CHECK(other.of(3, LabelHistory::as_source).count == 2);

  const auto error_with = [&](std::size_t tensor, std::size_t place, float value) {
    Document bad;
    LabelHistory wrong(LabelType::classes, 3);
    wrong.grow(4);
    wrong.go_to(1);
    wrong.add(3, 0, 1);
    wrong.save(bad, 4);
    Document copy;
    for (const Tensor& t : bad.tensors) copy.tensors.push_back(t.clone());
    if (tensor == 1) {
      copy.tensors[1].as<NodeId>()[place] = static_cast<NodeId>(value);
    } else {
      copy.tensors[tensor].as<float>()[place] = value;
    }
    return error_of([&] { other.load(copy, "FILE", 4, 9); });
  };
  const std::string impossible =
      "65 FILE: tensors 'label_history.*' have an impossible number, expected tallies of labels";
  CHECK(error_with(2, 0, 2) == "no error");
  CHECK(error_with(2, 0, 3) == impossible);
  CHECK(error_with(2, 0, 0.5F) == impossible);
  CHECK(error_with(1, 1, 4) == impossible);
  CHECK(error_with(0, 5, kNone) == impossible);
  CHECK(error_with(0, 0, -1) == impossible);
  CHECK(error_with(0, 10, -1) == impossible);
  CHECK(error_of([&] { other.load(document, "FILE", 5, 2); }).starts_with("65 FILE: "));
  CHECK(error_of([&] { other.load({}, "FILE", 4, 2); }) ==
        "65 FILE: has no past labels, expected a state that predict saved with the same --task");
}

TEST_CASE("Tallies of past labels that do not fit into memory are refused before they are made") {
  LabelHistory history(LabelType::classes, 1000, TimeScale{});
  const std::string error = error_of([&] { history.grow(std::size_t{1} << 40); });
  CHECK(error.starts_with(
      "69 a table of past labels, 6002 numbers for each of 1099511627776 nodes, needs "));
  history.grow(2);
  CHECK(history.of(1, LabelHistory::as_source).count == 0);
}

TEST_CASE("A label history of numbers and one of labels 0 and 1 are restored, and checked") {
  for (const LabelType type : {LabelType::numbers, LabelType::binary}) {
    LabelHistory history(type), other(type);
    history.grow(3);
    for (int time = 0; time < 4; ++time) {
      history.go_to(time);
      history.add(static_cast<NodeId>(time % 2), 2, time < 3 ? 1.0F : 0.0F);
    }
    history.go_to(9);
    Document document;
    history.save(document, 3);
    other.load(document, "FILE", 3, 9);
    CHECK(read(other, 1, 1, 2) == read(history, 1, 1, 2));
    const auto error_with = [&](std::size_t tensor, double value) {
      Document bad;
      for (const Tensor& t : document.tensors) bad.tensors.push_back(t.clone());
      if (tensor == 4) {
        bad.tensors[tensor].as<double>()[1] = value;
      } else {
        bad.tensors[tensor].as<float>()[1] = static_cast<float>(value);
      }
      return error_of([&] { other.load(bad, "FILE", 3, 9); });
    };
    // 0: tallies, of which 1 is the sum of node 0. 4: number and sum of all labels. 6: labels of
    // pairs.
    REQUIRE(document.tensors[4].name == "label_history.totals");
    CHECK(error_with(0, 1.5) == "no error");
    CHECK(error_with(0, 1e38) != "no error");
    CHECK((error_with(0, -1) == "no error") == (type == LabelType::numbers));
    CHECK((error_with(0, 3) == "no error") == (type == LabelType::numbers));
    CHECK(error_with(4, 2) == "no error");
    CHECK(error_with(4, 1e308) != "no error");
    CHECK((error_with(4, 5) == "no error") == (type == LabelType::numbers));
    CHECK(error_with(6, 1) == "no error");
    CHECK(error_with(6, 1e16) != "no error");
    CHECK((error_with(6, 0.5) == "no error") == (type == LabelType::numbers));
  }
}
