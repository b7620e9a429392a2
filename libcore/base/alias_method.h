#pragma once
#include <cstdint>
#include <vector>

namespace frugal {

/// The alias method (Walker 1977; as Vose, IEEE TSE 1991, builds its tables): a draw takes one of n
/// places, each equally likely, and there the place's own outcome or one other.
struct AliasBuilder {
  std::vector<double> shares;               ///< probabilities of the outcomes times n
  std::vector<std::uint32_t> small, large;  ///< outcomes below 1, and the others

  /// Calls set(place, share of its own outcome, the other outcome) for places that are shared. What
  /// is left in `small` and `large` has its place alone: 1 but for rounding.
  template <class Set>
  void pair_up(const Set& set) {
    small.clear();
    large.clear();
    for (std::uint32_t i = 0; i < shares.size(); ++i) (shares[i] < 1 ? small : large).push_back(i);
    while (!small.empty() && !large.empty()) {
      const std::uint32_t below = small.back(), above = large.back();
      small.pop_back();
      set(below, shares[below], above);
      shares[above] -= 1 - shares[below];
      if (shares[above] < 1) {
        large.pop_back();
        small.push_back(above);
      }
    }
  }
};

}  // namespace frugal
