#include "tools/tgn-train/history/link_keys.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

std::vector<float> keys_at(LinkKeys& keys, NodeId source, NodeId candidate, double time) {
  std::vector<float> out;
  keys.keys(source, {&candidate, 1}, time, out);
  return out;
}

float key_of(const std::vector<float>& keys, LinkKey key) {
  return keys[static_cast<std::size_t>(key)];
}

}  // namespace

TEST_CASE("Keys of a pair are logarithms of times, ages and counts before the present time") {
  LinkKeys keys(2, 5);
  keys.add(0, 3, 1);
  keys.add(0, 4, 5);
  keys.add(0, 3, 7);
  keys.add(3, 0, 9);
  // The last event is at the time that is asked for: it did not happen yet.
  auto pair = keys_at(keys, 0, 3, 9);
  CHECK(key_of(pair, LinkKey::reply_time) == kNever);
  CHECK(key_of(pair, LinkKey::link_time) == Approx(std::log(1 + 2 / 2.0)).epsilon(1e-5));
  CHECK(key_of(pair, LinkKey::link_count) == Approx(std::log(3)).epsilon(1e-5));
  pair = keys_at(keys, 0, 3, 11);
  CHECK(key_of(pair, LinkKey::link_age) == 0);
  CHECK(key_of(pair, LinkKey::link_time) == Approx(std::log(1 + 4 / 2.0)).epsilon(1e-5));
  CHECK(key_of(pair, LinkKey::reply_time) == Approx(std::log(1 + 2 / 2.0)).epsilon(1e-5));
  CHECK(key_of(pair, LinkKey::destination_time) == Approx(std::log(1 + 4 / 2.0)).epsilon(1e-5));
  CHECK(key_of(pair, LinkKey::activity_time) == Approx(std::log(1 + 2 / 2.0)).epsilon(1e-5));
  CHECK(key_of(pair, LinkKey::destination_age) == Approx(std::log(1 + 2.0)).epsilon(1e-5));
  CHECK(key_of(pair, LinkKey::destination_count) == Approx(std::log(3)).epsilon(1e-5));
  const double decayed = std::exp2(-4 / 100.0) + std::exp2(-2 / 100.0);
  CHECK(key_of(pair, LinkKey::popularity_100) == Approx(std::log2(decayed)).epsilon(1e-4));
  CHECK(key_of(pair, LinkKey::again) != kNever);
  pair = keys_at(keys, 0, 4, 11);
  CHECK(key_of(pair, LinkKey::link_age) == Approx(std::log(2)).epsilon(1e-5));
  CHECK(key_of(pair, LinkKey::again) == kNever);
  CHECK(key_of(pair, LinkKey::repeat) != kNever);
  CHECK(key_of(pair, LinkKey::cooccurrence) > 0);
  pair = keys_at(keys, 1, 2, 11);
  for (const LinkKey key : {LinkKey::link_age, LinkKey::link_time, LinkKey::reply_time,
                            LinkKey::destination_time, LinkKey::activity_time, LinkKey::repeat}) {
    CHECK(key_of(pair, key) == kNever);
  }
  CHECK(key_of(pair, LinkKey::popularity_100) == -20);
}

TEST_CASE("Likely candidates are former destinations, popular ones and those near them") {
  LinkKeys keys(1, 210);
  for (NodeId v = 0; v < 200; ++v) keys.add(200, v, v);
  keys.add(201, 3, 300);
  keys.add(202, 9, 300);
  std::vector<NodeId> nodes;
  keys.likely(201, 400, nodes);
  const auto has = [&](NodeId node) {
    return std::binary_search(nodes.begin(), nodes.end(), node);
  };
  CHECK(has(3));    // its own
  CHECK(has(4));    // near it
  CHECK(has(9));    // popular now
  CHECK(has(199));  // too
  CHECK(!has(100));
  CHECK(nodes.size() <= 110);
}

TEST_CASE("Keys continue from a saved state to the bit, and refuse a damaged one") {
  constexpr std::size_t kAll = 30;
  LinkKeys whole(3, kAll), first(3, kAll), second(3);
  Rng rng(4);
  double time = 0;
  Document document;
  for (int i = 0; i < 400; ++i) {
    time += static_cast<double>(rng.below(2));
    const auto source = static_cast<NodeId>(rng.below(6)), to = static_cast<NodeId>(rng.below(30));
    whole.add(source, to, time);
    if (i == 200) {
      first.save(document, kAll);
      second.grow(kAll);
      second.load(document, "state", kAll);
    }
    (i < 200 ? first : second).add(source, to, time);
  }
  for (NodeId source = 0; source < 6; ++source) {
    for (NodeId to = 0; to < kAll; ++to) {
      const auto a = keys_at(whole, source, to, time), b = keys_at(second, source, to, time);
      CHECK(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
    }
  }
  for (const std::string name :
       {"keys.nodes", "keys.links", "keys.now", "keys.sizes", "keys.sums"}) {
    Document damaged;
    whole.save(damaged, kAll);
    auto bytes = damaged.at(name).as<std::uint8_t>();
    std::fill(bytes.begin(), bytes.end(), 0xff);
    LinkKeys other(3, kAll);
    CHECK_THROWS_AS(other.load(damaged, "state", kAll), Error);
  }
}
