#include "tools/sparse-train/lsh/retrieval.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "libcore/base/error.h"

namespace frugal::sparse {
namespace {

constexpr std::array<std::string_view, 4> kModeNames = {"vanilla", "top-k", "threshold",
                                                        "agreement"};

}  // namespace

QueryMode query_mode_from_name(std::string_view name) {
  const auto found = std::find(kModeNames.begin(), kModeNames.end(), name);
  if (found == kModeNames.end()) {
    fail(ExitStatus::usage, "unknown mode '", name,
         "', expected vanilla, top-k, threshold or agreement");
  }
  return static_cast<QueryMode>(found - kModeNames.begin());
}

std::string_view query_mode_name(QueryMode mode) {
  return kModeNames[static_cast<std::size_t>(mode)];
}

void Retriever::retrieve(const HashTables& tables, const std::uint32_t* codes, std::size_t stride,
                         const QueryOptions& options, Rng rng, std::vector<std::uint32_t>& out) {
  order_.resize(tables.options().tables);
  std::iota(order_.begin(), order_.end(), 0U);
  shuffle(order_.data(), order_.size(), rng);
  const bool stops = options.mode == QueryMode::vanilla && options.wanted != 0;
  out.clear();
  for (const std::uint32_t t : order_) {
    for (const std::uint32_t r : tables.bucket(t, codes[t * stride])) {
      if (count_[r]++ == 0) out.push_back(r);
    }
    if (stops && out.size() >= options.wanted) break;
  }
  if (options.mode == QueryMode::top_k && options.wanted != 0 && out.size() > options.wanted) {
    return keep_most_frequent(options.wanted, out);
  }
  const std::uint32_t least = options.mode == QueryMode::threshold ? options.threshold : 1;
  std::erase_if(out, [&](std::uint32_t r) { return std::exchange(count_[r], 0) < least; });
  if (stops && out.size() > options.wanted) out.resize(options.wanted);
}

/// Keeps the `wanted` rows that are in most tables. Of equal ones, those found first stay, which is
/// as random as the order of the tables.
void Retriever::keep_most_frequent(std::uint32_t wanted, std::vector<std::uint32_t>& out) {
  std::vector<std::uint32_t> rows_with(order_.size() + 1);
  for (const std::uint32_t r : out) ++rows_with[count_[r]];
  std::size_t cut = order_.size();  // rows in more tables than this all stay
  std::uint32_t left = wanted;
  for (; rows_with[cut] <= left; --cut) left -= rows_with[cut];
  std::erase_if(out, [&](std::uint32_t r) {
    const std::size_t count = std::exchange(count_[r], 0);
    if (count == cut && left > 0) {
      --left;
      return false;
    }
    return count <= cut;
  });
}

}  // namespace frugal::sparse
