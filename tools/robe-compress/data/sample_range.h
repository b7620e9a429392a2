#pragma once
#include <cstdint>
#include <string_view>

namespace frugal::robe {

/// Samples "A:B" of an input: from number A (from 0) up to, without, number B; with a "/" or "." in
/// either, shares of all samples, "6/7:13/14". An end may be missing.
class SampleRange {
 public:
  SampleRange() = default;                      ///< all
  explicit SampleRange(std::string_view text);  ///< fails (usage), naming --lines

  bool is_all() const { return is_all_; }
  /// The number of samples must be known.
  bool needs_total() const { return shares_; }
  std::uint64_t begin(std::uint64_t total) const { return shares_ ? part(from_, total) : from_.up; }
  std::uint64_t end(std::uint64_t total) const { return shares_ ? part(to_, total) : to_.up; }

 private:
  struct Fraction {
    std::uint64_t up = 0, down = 1;
  };
  static Fraction fraction(std::string_view text);
  static std::uint64_t part(Fraction share, std::uint64_t total);

  bool is_all_ = true;
  bool shares_ = false;
  Fraction from_;
  Fraction to_{~std::uint64_t{0}, 1};
};

}  // namespace frugal::robe
