#pragma once
#include <cstdint>
#include <span>

namespace frugal::sparse {

/// Sets units to 0 with probability `rate` and scales the others by 1 / (1 - rate), which keeps
/// their mean (Srivastava and others, JMLR 2014, section 10). The mask is a function of (seed,
/// step, layer, example): applied to the gradient, it masks the same units.
class Dropout {
 public:
  Dropout(double rate, std::uint64_t seed);
  bool active() const { return threshold_ != 0; }
  void apply(std::uint64_t step, std::size_t layer, std::uint32_t example,
             std::span<float> units) const;

  /// Parameters with which a device drops the same units. The random stream of an example is
  /// hash_combine(stream(step, layer), example).
  std::uint32_t threshold() const { return threshold_; }
  float scale() const { return scale_; }
  static std::uint64_t stream(std::uint64_t step, std::size_t layer);

 private:
  std::uint32_t threshold_;  ///< a unit is dropped if 16 random bits are below it
  float scale_;
  std::uint64_t seed_;
};

}  // namespace frugal::sparse
