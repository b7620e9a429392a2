#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frugal {

/// Size classes of a quantity that varies from batch to batch, for devices that accept only fixed
/// shapes.
class SizeLadder {
 public:
  /// Number of size classes between a power of two and the next: see size_class().
  static constexpr std::uint64_t kSteps = 8;

  /// Chooses at most most_classes (at least one) of the size classes of the observed sizes. While
  /// there are too many, it merges the class into the next larger one that adds the least padding.
  /// what: quantity for messages ("edges").
  SizeLadder(std::string what, std::span<const std::uint64_t> observed, std::size_t most_classes);

  /// Sizes of the classes, ascending.
  std::span<const std::uint64_t> sizes() const { return sizes_; }
  /// Index of the smallest class that holds n. Fails (unavailable) if n exceeds the largest.
  std::size_t class_of(std::uint64_t n) const;

 private:
  std::string what_;
  std::vector<std::uint64_t> sizes_;
};

}  // namespace frugal
