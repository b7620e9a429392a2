#include <algorithm>
#include <map>

#include "libcore/base/rng.h"
#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

struct Drawn {
  std::vector<std::uint32_t> taken;
  std::vector<std::uint64_t> picks;

  bool operator==(const Drawn&) const = default;
};

struct Lists {
  std::vector<std::uint64_t> begin;
  std::vector<std::uint32_t> size;

  explicit Lists(const std::vector<std::uint32_t>& sizes) : size(sizes) {
    std::uint64_t at = 1000;
    for (const std::uint32_t n : sizes) {
      begin.push_back(at);
      at += n;
    }
  }
};

using DrawKernel = std::size_t (*)(const ListDraws&);

Drawn draw(DrawKernel kernel, const Lists& lists, std::uint32_t k, std::uint64_t key,
           std::uint64_t first = 0) {
  Drawn drawn;
  drawn.taken.resize(lists.size.size());
  drawn.picks.assign(lists.size.size() * k + 1, 77);
  ListDraws args;
  args.begin = lists.begin.data();
  args.size = lists.size.data();
  args.count = lists.size.size();
  args.k = k;
  args.key = key;
  args.first = first;
  args.taken = drawn.taken.data();
  args.picks = drawn.picks.data();
  const std::size_t n = kernel(args);
  REQUIRE(n < drawn.picks.size());
  CHECK(drawn.picks.back() == 77);
  drawn.picks.resize(n);
  return drawn;
}

/// Floyd's algorithm as it is written down, with the draws that the header of the kernels states.
std::vector<std::uint64_t> plain_floyd(std::uint64_t key, std::uint64_t list, std::uint64_t begin,
                                       std::uint32_t n, std::uint32_t k) {
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  const std::uint64_t own = mix(key + (list + 1) * 0x9e3779b97f4a7c15);
  std::vector<std::uint64_t> picks;
  for (std::uint32_t j = 0; j < k; ++j) {
    const std::uint32_t range = n - k + j + 1;
    std::uint64_t product = 0;
    for (std::uint64_t at = j;; at += std::uint64_t{1} << 40) {
      const std::uint64_t z = mix(own + (at / 2 + 1) * 0x9e3779b97f4a7c15);
      product = (at % 2 == 0 ? z & 0xffffffff : z >> 32) * range;
      if ((product & 0xffffffff) >= (0 - range) % range) break;
    }
    const std::uint64_t pick = begin + (product >> 32);
    const bool taken = std::find(picks.begin(), picks.end(), pick) != picks.end();
    picks.push_back(taken ? begin + range - 1 : pick);
  }
  return picks;
}

/// The sum of (observed - expected)^2 / expected over `cells` equally likely outcomes.
double chi_square(const std::map<std::uint64_t, std::uint64_t>& counts, std::size_t cells,
                  std::uint64_t trials) {
  const double expected = static_cast<double>(trials) / static_cast<double>(cells);
  double sum = expected * static_cast<double>(cells - counts.size());
  for (const auto& [outcome, n] : counts) {
    sum += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  }
  return sum;
}

/// Five standard deviations above the mean of chi-square with cells - 1 degrees of freedom.
double chi_square_limit(std::size_t cells) {
  const double freedom = static_cast<double>(cells - 1);
  return freedom + 5 * std::sqrt(2 * freedom) + 10;
}

const std::vector<std::uint32_t> kListSizes = {
    0,  1,  2,  3,   4,    5,     6,     7,     15,       16,          17,         20,
    33, 40, 64, 100, 1000, 65535, 65536, 70000, 1u << 31, 3000000000u, 0xffffffffu};

}  // namespace

TEST_CASE("Draws without repetition are Floyd's, on every level") {
  const Lists lists(kListSizes);
  on_every_level([&](const Kernels& kernels) {
    for (const std::uint32_t k : {1u, 2u, 5u, 10u, 15u, 16u, 17u, 20u, 33u, 100u, 256u, 999u}) {
      const Drawn drawn = draw(kernels.draw_distinct, lists, k, 42, 7);
      std::vector<std::uint64_t> want;
      for (std::size_t i = 0; i < kListSizes.size(); ++i) {
        const std::uint32_t n = kListSizes[i];
        CHECK(drawn.taken[i] == std::min(n, k));
        if (n <= k) {
          for (std::uint32_t j = 0; j < n; ++j) want.push_back(lists.begin[i] + j);
        } else {
          const auto picks = plain_floyd(42, 7 + i, lists.begin[i], n, k);
          want.insert(want.end(), picks.begin(), picks.end());
        }
      }
      CHECK(drawn.picks == want);
    }
  });
}

TEST_CASE("A list's draws depend on its number, not on the lists before it") {
  const Lists all({30, 40, 50, 60});
  const Lists last({110 + 10, 60});
  const Drawn a = draw(kernels().draw_distinct, all, 5, 3, 100);
  Lists one({60});
  one.begin[0] = all.begin[3];
  const Drawn b = draw(kernels().draw_distinct, one, 5, 3, 103);
  CHECK(std::vector<std::uint64_t>(a.picks.end() - 5, a.picks.end()) == b.picks);
  CHECK(draw(kernels().draw_distinct, one, 5, 4, 103) != b);
  CHECK(draw(kernels().draw_distinct, one, 5, 3, 104) != b);
}

TEST_CASE("Every set of k of n entries is equally likely") {
  // The published sampler draws below j where Floyd draws up to j: with 4 entries and 2 wanted the
  // first half of them has twice its share.
  struct Shape {
    std::uint32_t n, k;
    std::size_t sets;
  };
  constexpr std::uint64_t kTrials = 40000;
  for (const Shape& shape :
       {Shape{4, 2, 6}, Shape{5, 1, 5}, Shape{6, 5, 6}, Shape{8, 4, 70}, Shape{18, 17, 18}}) {
    std::map<std::uint64_t, std::uint64_t> sets;
    const Lists lists(std::vector<std::uint32_t>(kTrials, shape.n));
    const Drawn drawn = draw(kernels().draw_distinct, lists, shape.k, 11);
    for (std::size_t i = 0; i < kTrials; ++i) {
      std::uint64_t set = 0;
      for (std::uint32_t j = 0; j < shape.k; ++j) {
        set |= std::uint64_t{1} << (drawn.picks[i * shape.k + j] - lists.begin[i]);
      }
      ++sets[set];
    }
    INFO(shape.n, " over ", shape.k);
    CHECK(sets.size() == shape.sets);
    CHECK(chi_square(sets, shape.sets, kTrials) < chi_square_limit(shape.sets));
  }
}

TEST_CASE("Long lists have no favoured part") {
  // 16 random bits modulo the length give the first part of a list of 40,000 twice its share.
  constexpr std::uint64_t kTrials = 20000;
  constexpr std::uint32_t kParts = 10;
  on_every_level([&](const Kernels& kernels) {
    for (const std::uint32_t n : {40000u, 60000u, 3000000000u}) {
      const Lists lists(std::vector<std::uint32_t>(kTrials, n));
      const Drawn drawn = draw(kernels.draw_distinct, lists, 10, 5);
      std::map<std::uint64_t, std::uint64_t> parts;
      for (std::size_t i = 0; i < drawn.picks.size(); ++i) {
        ++parts[(drawn.picks[i] - lists.begin[i / 10]) * kParts / n];
      }
      CHECK(chi_square(parts, kParts, drawn.picks.size()) < chi_square_limit(kParts));
    }
  });
}

TEST_CASE("Draws with repetition are independent and the same on every level") {
  const Lists lists({3, 0, 1, 0xffffffffu, 100});
  const Drawn plain =
      draw(kernels_for(available_simd_levels().front())->draw_repeated, lists, 6, 9);
  CHECK(plain.taken == std::vector<std::uint32_t>{6, 0, 6, 6, 6});
  on_every_level(
      [&](const Kernels& kernels) { CHECK(draw(kernels.draw_repeated, lists, 6, 9) == plain); });

  constexpr std::uint64_t kTrials = 30000;
  const Lists threes(std::vector<std::uint32_t>(kTrials, 3));
  const Drawn drawn = draw(kernels().draw_repeated, threes, 4, 2);
  std::map<std::uint64_t, std::uint64_t> sequences;
  for (std::size_t i = 0; i < kTrials; ++i) {
    std::uint64_t sequence = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      sequence = sequence * 3 + drawn.picks[i * 4 + j] - threes.begin[i];
    }
    ++sequences[sequence];
  }
  CHECK(chi_square(sequences, 81, kTrials) < chi_square_limit(81));
}

TEST_CASE("Draws by the alias method have places and coins of the generator, on every level") {
  constexpr std::size_t kMost = 40;
  const std::vector<std::uint32_t> table(1);
  for (const std::uint32_t size : {1u, 2u, 7u, 1000u, 1u << 16, 0xffffffffu}) {
    for (const std::size_t count : {0, 1, 7, 8, 9, 16, 40}) {
      Rng rng(5, size, 3);
      std::vector<std::uint32_t> places(kMost, 77), coins(kMost, 77);
      for (std::size_t j = 0; j < count; ++j) {
        places[j] = static_cast<std::uint32_t>(rng.below(size));
        coins[j] = static_cast<std::uint32_t>(rng.next() >> 32);
      }
      on_every_level([&](const Kernels& kernels) {
        std::vector<std::uint32_t> got(kMost, 77), flips(kMost, 77);
        const AliasList list = {table.data(), table.data(), size};  // prefetched alone
        const AliasTries tries = {rng.key(), 3, count, got.data(), flips.data()};
        CHECK(kernels.begin_alias_draws(list, tries) == rng.index());
        CHECK(got == places);
        CHECK(flips == coins);
      });
    }
  }
}

TEST_CASE("A refused place of the alias method shifts the numbers of later draws") {
  // The number at kZero is 0, which is no place of a list of 3 or 7: 2^64 is no multiple of these.
  constexpr std::uint64_t kKey = 0xf36cf1164265dd51, kZero = 0xdf861b7af8dbf948;
  const auto at = [](std::uint64_t index) {
    return mix64(mix64(kKey + index * 0x9e3779b97f4a7c15) ^ kKey);
  };
  REQUIRE(at(kZero) == 0);
  constexpr std::size_t kDraws = 20;
  const std::vector<std::uint32_t> table(8);
  for (const std::uint32_t size : {3U, 4U, 7U}) {
    for (const std::uint64_t before : {0, 1, 7, 8, 19}) {
      std::uint64_t index = kZero - 2 * before;
      std::vector<std::uint32_t> places, coins;
      for (std::size_t j = 0; j < kDraws; ++j) {
        if (index == kZero && size != 4) ++index;
        places.push_back(static_cast<std::uint32_t>(hash_to_range(at(index++), size)));
        coins.push_back(static_cast<std::uint32_t>(at(index++) >> 32));
      }
      on_every_level([&](const Kernels& kernels) {
        std::vector<std::uint32_t> got(kDraws), flips(kDraws);
        const AliasList list = {table.data(), table.data(), size};
        const AliasTries tries = {kKey, kZero - 2 * before, kDraws, got.data(), flips.data()};
        CHECK(kernels.begin_alias_draws(list, tries) == index);
        CHECK(got == places);
        CHECK(flips == coins);
      });
    }
  }
}

TEST_CASE("New entries are taken by the alias method in the order of their draws, on every level") {
  for (const std::uint32_t size : {3u, 20u, 1000u, AliasList::kShort, AliasList::kShort + 1}) {
    CAPTURE(size);
    Rng rng(9, size);
    std::vector<std::uint32_t> shares, others, high, low;
    for (std::uint32_t i = 0; i < size; ++i) {
      shares.push_back(static_cast<std::uint32_t>(rng.next()));
      others.push_back(size - 1 - static_cast<std::uint32_t>(rng.below(std::min(size, 1000u))));
      high.push_back((shares[i] & 0xffff0000) | (others[i] & 0xffff));
      low.push_back(shares[i] << 16 | others[i] >> 16);
    }
    for (const std::size_t count : {1, 15, 16, 17, 70}) {
      std::vector<std::uint32_t> places, coins;
      for (std::size_t j = 0; j < count; ++j) {
        const auto place = static_cast<std::uint32_t>(rng.below(size));
        places.push_back(place);
        // Some coins differ from the share in their lower half alone, by 1, or not at all.
        const std::uint32_t near = shares[place] + static_cast<std::uint32_t>(rng.below(3)) - 1;
        coins.push_back(j % 2 == 0 ? static_cast<std::uint32_t>(rng.next())
                                   : (j % 4 == 1 ? near : near ^ 0x8000));
      }
      for (const std::size_t most : {2, 16, 50}) {
        std::vector<std::uint32_t> wanted = {others[0]};
        for (std::size_t j = 0; j < count && wanted.size() < most; ++j) {
          const std::uint32_t at = places[j], entry = coins[j] < shares[at] ? at : others[at];
          if (std::find(wanted.begin(), wanted.end(), entry) == wanted.end()) {
            wanted.push_back(entry);
          }
        }
        on_every_level([&](const Kernels& kernels) {
          std::vector<std::uint32_t> chosen(most + kChosenRoom + 1, 77);
          chosen[0] = others[0];
          const AliasList list = {high.data(), low.data(), size};
          const AliasTries tries = {0, 0, count, places.data(), coins.data()};
          const std::size_t n = kernels.take_new_entries(list, tries, chosen.data(), 1, most);
          CHECK(chosen.back() == 77);
          chosen.resize(n);
          CHECK(chosen == wanted);
        });
      }
    }
  }
}

TEST_CASE("Ids are selected by their hash, the same on every level") {
  std::vector<std::uint32_t> ids(1000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::uint32_t>(i * i);
  const auto select = [&](const Kernels& k, std::size_t n, std::uint64_t key, std::uint32_t bound) {
    std::vector<std::uint64_t> selected(n + 1);
    const HashedSelection from = {ids.data(), n, key, bound, ids.data(), n};
    selected.resize(k.select_hashed(from, selected.data()));
    return selected;
  };
  const Kernels& plain = *kernels_for(available_simd_levels().front());
  on_every_level([&](const Kernels& kernels) {
    for (const std::size_t n : {0, 1, 15, 16, 17, 100, 1000}) {
      for (const std::uint32_t bound : {0u, 1u << 29, 0xffffffffu}) {
        CHECK(select(kernels, n, 5, bound) == select(plain, n, 5, bound));
      }
      CHECK(select(kernels, n, 5, 0xffffffff).size() == n);
    }
  });
  // An eighth of the ids for an eighth of the range, other ones for another key.
  const auto some = select(plain, 1000, 5, 1u << 29);
  CHECK(some.size() > 80);
  CHECK(some.size() < 170);
  CHECK(select(plain, 1000, 6, 1u << 29) != some);
}

TEST_CASE("The lowest values come first, ascending, on every level") {
  const Rng rng(3);
  for (const std::size_t n : {2, 3, 7, 8, 9, 16, 17, 63, 64, 65, 319, 320}) {
    REQUIRE(n <= kMaxSortedLowest);
    std::vector<std::uint64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = rng.at(n * 1000 + i);
    values[n / 2] = 0;
    values[0] = ~std::uint64_t{0};
    std::vector<std::uint64_t> want = values;
    std::sort(want.begin(), want.end());
    on_every_level([&](const Kernels& kernels) {
      for (const std::size_t k : {std::size_t{1}, n / 2, n - 1}) {
        std::vector<std::uint64_t> sorted = values;
        sorted.push_back(77);
        kernels.sort_lowest(sorted.data(), n, k);
        CHECK(std::equal(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(k),
                         sorted.begin()));
        CHECK(sorted.back() == 77);
      }
    });
  }
}
