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
                        NodeId destination) {
  std::vector<float> inputs(LabelHistory::num_inputs(width));
  history.read(source, destination, inputs.data());
  return inputs;
}

}  // namespace

TEST_CASE("Labels count from the first later time on, for each node in its role") {
  LabelHistory history(1);
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
  // Source 2, destination 0: nothing in these roles; as the other role 1 and 2 labels.
  const std::vector<float> inputs = read(history, 1, 2, 0);
  const double want[] = {
      0, 0, 0, 0, 0, 0, 0, 0, -0.5, -1, -0.2, std::log(2.0), 1, -1, 0.44, std::log(3.0)};
  for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(inputs[i] == doctest::Approx(want[i]));
}

TEST_CASE("Classes have shares each") {
  LabelHistory history(3);
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
  LabelHistory history(3), other(3);
  history.grow(4);
  history.go_to(1);
  history.add(3, 1, 2);
  history.go_to(2);
  history.add(3, 0, 1);
  Document document;
  history.save(document, 4);
  other.load(document, "FILE", 4);
  for (LabelHistory* const h : {&history, &other}) h->go_to(2);
  CHECK(read(other, 3, 3, 0) == read(history, 3, 3, 0));
  CHECK(other.of(3, LabelHistory::as_source).count == 1);
  for (LabelHistory* const h : {&history, &other}) h->go_to(3);
  CHECK(read(other, 3, 3, 0) == read(history, 3, 3, 0));
  CHECK(other.of(3, LabelHistory::as_source).count == 2);

  const auto error_with = [&](std::size_t tensor, std::size_t place, float value) {
    Document bad;
    LabelHistory wrong(3);
    wrong.grow(4);
    wrong.add(3, 0, 1);
    wrong.save(bad, 4);
    Document copy;
    for (const Tensor& t : bad.tensors) copy.tensors.push_back(t.clone());
    if (tensor == 1) {
      copy.tensors[1].as<NodeId>()[place] = static_cast<NodeId>(value);
    } else {
      copy.tensors[tensor].as<float>()[place] = value;
    }
    return error_of([&] { other.load(copy, "FILE", 4); });
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
  CHECK(error_of([&] { other.load(document, "FILE", 5); }).starts_with("65 FILE: "));
  CHECK(error_of([&] { other.load({}, "FILE", 4); }) ==
        "65 FILE: has no past labels, expected a state that predict saved with the same --task");
}
