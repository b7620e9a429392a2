#pragma once
#include <vector>

#include "libcore/base/array.h"
#include "tools/sparse-train/lsh/hash_family.h"

namespace frugal::sparse {

/// Functions that look at `bin` coordinates chosen at random, a bin, and give the place in it of
///   wta: the largest;
///   dwta: the largest of those that are not zero;
///   minhash: the first that is among the vector's `top` largest and positive.
/// A bin of dwta or minhash where no coordinate counts takes the value of another bin, drawn for
/// each attempt anew, and adds the number of attempts, so that it can only collide with a vector
/// that came by its value in the same way (densification). WTA draws every bin on its own; the
/// others cut random permutations of all coordinates into bins, so that a table of few functions
/// has more bins to borrow from than it uses itself.
class BinHash : public HashFamily {
 public:
  BinHash(const HashOptions& options, std::size_t dim);
  std::uint32_t value_bits() const override { return value_bits_; }
  void hash(MatrixView<const float> x, std::uint32_t begin, std::uint32_t end,
            std::uint32_t* out) const override;
  void redraw(std::uint32_t table, std::uint64_t generation) override;

 private:
  struct Block;
  const std::uint32_t* bin_of(std::uint32_t table, std::uint32_t index) const {
    return bins_.data() + (std::size_t{table} * table_bins_ + index) * bin_;
  }
  void find_least(Block& block) const;
  void hash_bin(const Block& block, const std::uint32_t* bin, std::int32_t* place) const;
  std::uint32_t borrow(const Block& block, std::size_t lane, std::uint32_t table,
                       std::uint32_t index) const;
  std::int32_t place_in(const Block& block, std::size_t lane, const std::uint32_t* bin) const;

  std::uint32_t bin_;  ///< coordinates in a bin
  std::uint32_t value_bits_;
  std::uint32_t table_bins_;  ///< bins of a table, of which the first `functions` are its hashes
  std::vector<std::uint32_t> bins_;        ///< [tables, table_bins, bin] coordinates
  std::vector<std::uint64_t> borrow_key_;  ///< [tables]
};

}  // namespace frugal::sparse
