#include "tools/sparse-train/text/vocabulary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

using Hashes = std::vector<std::uint64_t>;
using Ids = std::vector<std::uint32_t>;

struct Built {
  Hashes keys;
  Ids counts;
  std::vector<Ids> ids;
  bool operator==(const Built&) const = default;
};

/// In batches of `together` texts.
Built build(const std::vector<Hashes>& texts, const VocabularyLimits& limits,
            std::size_t together = 5) {
  VocabularyBuilder builder;
  Built built;
  for (std::size_t begin = 0; begin < texts.size(); begin += together) {
    const auto end = std::min(texts.size(), begin + together);
    std::vector<HashedPiece> pieces;
    for (std::size_t i = begin; i < end; ++i) pieces.emplace_back(texts[i]);
    std::vector<HashedPiece*> pointers;
    for (HashedPiece& piece : pieces) pointers.push_back(&piece);
    builder.add(pointers);
    for (HashedPiece& piece : pieces) built.ids.push_back(builder.take_ids(piece));
  }
  builder.finish(limits);
  built.keys = builder.keys();
  built.counts = builder.counts();
  for (Ids& ids : built.ids) {
    for (std::uint32_t& id : ids) id = builder.final_id(id);
  }
  return built;
}

/// The same by a map and a stable sort.
Built expected(const std::vector<Hashes>& texts, const VocabularyLimits& limits) {
  std::map<std::uint64_t, std::uint32_t> counts;
  Hashes order;
  for (const Hashes& text : texts) {
    for (const std::uint64_t hash : text) {
      if (counts[hash]++ == 0) order.push_back(hash);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return counts[a] > counts[b]; });
  Built built;
  std::map<std::uint64_t, std::uint32_t> ids;
  for (const std::uint64_t hash : order) {
    if (counts[hash] < limits.min_count) break;
    if (limits.max_features != 0 && built.keys.size() == limits.max_features) break;
    ids[hash] = static_cast<std::uint32_t>(built.keys.size());
    built.keys.push_back(hash);
    built.counts.push_back(counts[hash]);
  }
  for (const Hashes& text : texts) {
    Ids& list = built.ids.emplace_back();
    for (const std::uint64_t hash : text) {
      const auto found = ids.find(hash);
      list.push_back(found == ids.end() ? HashIndex::kMissing : found->second);
    }
  }
  return built;
}

std::vector<Hashes> random_texts(std::size_t num_texts, std::size_t size, std::uint64_t distinct) {
  Rng rng(11, distinct);
  std::vector<Hashes> texts(num_texts);
  for (Hashes& text : texts) {
    for (std::size_t i = 0; i < size; ++i)
      text.push_back(mix64(rng.below(1 + rng.below(distinct))));
  }
  return texts;
}

}  // namespace

TEST_CASE("ids fall with the count, ties keep the order of first occurrence") {
  const auto built = build({{7, 5, 9}, {9, 5}, {8, 9}}, {});
  CHECK(built.keys == Hashes{9, 5, 7, 8});
  CHECK(built.counts == Ids{3, 2, 1, 1});
  CHECK(built.ids == std::vector<Ids>{{2, 1, 0}, {0, 1}, {3, 0}});
}

TEST_CASE("building agrees with counting in a map, on any number of threads") {
  for (const std::uint64_t distinct : {1u, 10u, 3000u, 200000u}) {
    const auto texts = random_texts(23, 4000, distinct);
    for (const VocabularyLimits limits : {VocabularyLimits{}, VocabularyLimits{3, 0},
                                          VocabularyLimits{1, 17}, VocabularyLimits{2, 1000000}}) {
      const Built reference = expected(texts, limits);
      for (const int threads : {1, 2, 5}) {
        set_num_threads(threads);
        CHECK((build(texts, limits) == reference));
        CHECK((build(texts, limits, texts.size()) == reference));
      }
    }
  }
  set_num_threads(2);
}

TEST_CASE("no text at all and empty pieces are fine") {
  CHECK(build({}, {}).keys.empty());
  CHECK(build({{}, {4}, {}}, {}).keys == Hashes{4});
  CHECK(build({{4}}, {2, 0}).ids == std::vector<Ids>{{HashIndex::kMissing}});
}

TEST_CASE("an index finds what was inserted and nothing else") {
  HashIndex index;
  Hashes keys;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    // Equal low bits and equal tags: everything that can collide does.
    const std::uint64_t key = i % 3 == 0 ? i << 56 | 0x1234 : i % 3 == 1 ? (i + 1) << 40 : mix64(i);
    const auto before = index.size();
    const std::uint32_t id = index.insert(key);
    if (index.size() > before) keys.push_back(key);
    CHECK(keys[id] == key);
    if (i > 3000 && i % 3 == 0) i += 2;
  }
  CHECK(index.keys() == keys);
  const HashIndex loaded(keys);
  for (std::uint32_t id = 0; id < keys.size(); ++id) {
    CHECK(index.find(keys[id]) == id);
    CHECK(loaded.find(keys[id]) == id);
  }
  for (std::uint64_t i = 0; i < 1000; ++i) CHECK(loaded.find(mix64(~i)) == HashIndex::kMissing);
}
