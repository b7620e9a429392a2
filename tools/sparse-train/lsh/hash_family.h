#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"

namespace frugal::sparse {

/// Families of hash functions under which similar vectors collide more often than others. The
/// probability that one function gives x and y the same value:
///   simhash, simhash-dense: 1 - angle(x, y) / pi (Charikar, STOC 2002)
///   wta, dwta: that the largest of `bin` coordinates chosen at random is the same one in x and y,
///     sum_i C(q_i, bin - 1) / C(dim, bin), q_i = coordinates that are smaller than coordinate i in
///     both (Yagnik et al., ICCV 2011); dwta counts as absent the coordinates that are zero
///     (Chen, Shrivastava, UAI 2018)
///   minhash: the Jaccard similarity of the sets of their `top` largest positive coordinates
///     (Shrivastava, Li, ICML 2014, with the densification of Shrivastava, ICML 2017)
enum class HashKind { simhash, simhash_dense, wta, dwta, minhash };

/// "simhash", "simhash-dense", "wta", "dwta" or "minhash"; fails (usage) on anything else.
HashKind hash_from_name(std::string_view name);
std::string_view hash_name(HashKind kind);

struct HashOptions {
  HashKind kind = HashKind::dwta;
  std::uint32_t functions = 6;  ///< K: functions whose values make up the code of a table
  std::uint32_t tables = 50;    ///< L
  std::uint32_t bin = 8;        ///< wta, dwta, minhash: coordinates that a function looks at
  std::uint32_t top = 30;       ///< minhash: coordinates that are in the set
  std::uint64_t seed = 0;
};

/// `functions` hash functions for each of `tables` tables, over vectors of `dim` floats.
class HashFamily {
 public:
  virtual ~HashFamily() = default;
  const HashOptions& options() const { return options_; }
  std::size_t dim() const { return dim_; }
  /// Bits of a value. What stands above them is how often the function had to look elsewhere
  /// because its own coordinates said nothing (dwta, minhash); mostly 0.
  virtual std::uint32_t value_bits() const = 0;

  /// Values of all functions of tables [begin, end) for the rows of x: [n, dim]. Function j of
  /// table t puts its value of row i at out[(i * (end - begin) + t - begin) * functions + j].
  virtual void hash(MatrixView<const float> x, std::uint32_t begin, std::uint32_t end,
                    std::uint32_t* out) const = 0;
  /// Gives a table new functions: those of a generation are a function of (seed, generation,
  /// table).
  virtual void redraw(std::uint32_t table, std::uint64_t generation) = 0;

 protected:
  HashFamily(const HashOptions& options, std::size_t dim) : options_(options), dim_(dim) {}
  void redraw_all() {
    for (std::uint32_t t = 0; t < options_.tables; ++t) redraw(t, 0);
  }

  HashOptions options_;
  std::size_t dim_;
};

/// dim, functions, tables, bin and top must not be 0; `bin` is cut to dim.
std::unique_ptr<HashFamily> make_hash_family(const HashOptions& options, std::size_t dim);

/// Codes in [0, 2^range_pow) of the rows of x: [n, dim] in tables [begin, end): table t puts the
/// one of row i at out.row(t - begin)[i]. Where the values of K functions fit into range_pow bits a
/// code is these, side by side, else a hash of them.
void hash_codes(const HashFamily& family, MatrixView<const float> x, std::uint32_t begin,
                std::uint32_t end, std::uint32_t range_pow, MatrixView<std::uint32_t> out);

/// SimHash: the sign of the product with a random vector of +1 and -1 (simhash-dense), or of +1, -1
/// and 0 in equal parts (simhash: the sparse random projections of Li, Hastie, Church, KDD 2006,
/// that SLIDE uses). One dense product serves all functions; the zeros are multiplied, too: on
/// vector units that is faster than to step around them.
class SignHash : public HashFamily {
 public:
  SignHash(const HashOptions& options, std::size_t dim);
  std::uint32_t value_bits() const override { return 1; }
  void hash(MatrixView<const float> x, std::uint32_t begin, std::uint32_t end,
            std::uint32_t* out) const override;
  void redraw(std::uint32_t table, std::uint64_t generation) override;

 private:
  Array<float> directions_;  ///< [tables * functions, dim]
};

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
