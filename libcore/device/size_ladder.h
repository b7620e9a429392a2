#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frugal {

/// Size classes of what varies from batch to batch, for devices that take fixed shapes alone.
class SizeLadder {
 public:
  /// Sizes of a class between a power of two and the next: see size_class().
  static constexpr std::uint64_t kSteps = 8;

  /// Of the classes in which the observed sizes fall at most so many, at least one: the classes
  /// left out are those whose batches the next larger class pads least. what: has the sizes, for
  /// messages ("edges").
  SizeLadder(std::string what, std::span<const std::uint64_t> observed, std::size_t most_classes);

  /// Ascending.
  std::span<const std::uint64_t> sizes() const { return sizes_; }
  /// The number of the smallest class that holds n. Fails (unavailable) beyond the largest.
  std::size_t class_of(std::uint64_t n) const;

 private:
  std::string what_;
  std::vector<std::uint64_t> sizes_;
};

}  // namespace frugal
