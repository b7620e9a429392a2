#include "tools/tgn-train/history/pair_labels.h"

#include <doctest/doctest.h>

using namespace frugal;
using namespace frugal::tgn;

namespace {

bool is_any(float) { return true; }

}  // namespace

TEST_CASE("Pairs keep the number, time and value of their last label") {
  PairLabels pairs;
  CHECK(pairs.of(1, 2).count == 0);
  for (NodeId source = 0; source < 30; ++source) {
    for (NodeId destination = 0; destination < 30; ++destination) {
      pairs.count(source, destination, 1, 5);
      if (source < destination) pairs.count(source, destination, 10.0F * source, 6.0 + destination);
    }
  }
  CHECK(pairs.size() == 900);
  for (NodeId source = 0; source < 30; ++source) {
    for (NodeId destination = 0; destination < 30; ++destination) {
      const PairLabels::Tally tally = pairs.of(source, destination);
      const bool twice = source < destination;
      CHECK(tally.count == (twice ? 2 : 1));
      CHECK(tally.last == (twice ? 10.0F * source : 1));
      CHECK(tally.time == (twice ? 6.0 + destination : 5));
    }
  }
  CHECK(pairs.of(30, 0).count == 0);
  CHECK(pairs.of(0, 30).count == 0);
}

TEST_CASE("Pairs are restored, and impossible ones are found") {
  PairLabels pairs, other;
  pairs.count(1, 2, 4, 5);
  pairs.count(2, 1, 3, 6);
  Document document;
  pairs.save(document);
  other.load(document, "FILE");
  CHECK(other.of(2, 1).last == 3);
  CHECK(other.of(1, 2).time == 5);
  CHECK(other.are_possible(3, 7, is_any));
  CHECK(!other.are_possible(2, 7, is_any));
  CHECK(!other.are_possible(3, 6, is_any));
  CHECK(!other.are_possible(3, 7, [](float label) { return label != 3; }));

  const auto possible_with = [&](const auto& change) {
    Document bad;
    for (const Tensor& t : document.tensors) bad.tensors.push_back(t.clone());
    change(bad.tensors[0].as<NodeId>());
    PairLabels read;
    read.load(bad, "FILE");
    return read.are_possible(3, 7, is_any);
  };
  CHECK(possible_with([](auto) {}));
  CHECK(!possible_with([](auto ends) { ends[0] = 3; }));
  // The first pair comes twice.
  CHECK(!possible_with([](auto ends) { ends[2] = 1, ends[3] = 2; }));
}
