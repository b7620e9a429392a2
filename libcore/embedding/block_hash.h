#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/hash.h"
#include "libcore/embedding/table_set.h"

namespace frugal {

/// How the place of a row's block in the array is computed; P, R and K are constants, v is the
/// global row, e the table, x its row, c the number of the block in the row, m the array's size.
///   golden    floor((v C + c) K mod 2^64 (m - Z + 1) / 2^64), K = 2^64 / golden ratio, C blocks a
///             row: a low-discrepancy sequence over all blocks
///   paper     (Ah e + Bh x + Ch c + Dh) mod P mod m, circular, with a sign for each number (Desai,
///             Chou, Shrivastava, MLSys 2022, section 3, equation 2)
///   robe2021  ((R3 v + R2 c + R1) mod P) mod (m - Z + 1): the authors' first published code
///   robe2022  ((R1 v + R2 (c + 1) + R3) mod P) mod (m - Z): the one for DLRM
enum class HashFamily { golden, paper, robe2021, robe2022 };

std::vector<std::string> hash_family_names();
/// Fails (usage) on an unknown name, naming those there are.
HashFamily hash_family_from_name(std::string_view name);
std::string_view hash_family_name(HashFamily family);

struct BlockHashOptions {
  HashFamily family = HashFamily::golden;
  std::size_t block = 0;   ///< Z, numbers in a block; 0 = a whole row
  bool sign = false;       ///< a sign for each block; paper: for each number, always
  bool aligned = false;    ///< golden: blocks begin at multiples of Z
  std::uint64_t seed = 0;  ///< golden: 0 = none; paper: of its coefficients
};

/// Fails (usage) if Z > dim or an option does not go with the family.
void check_hash_options(const BlockHashOptions& options, std::size_t dim);

/// Where the blocks of every row begin in an array of `size` numbers. A row of `dim` numbers is
/// ceil(dim / Z) blocks; the last may be shorter.
class BlockHash {
 public:
  /// Fails (usage) as check_hash_options(), and if the array is smaller than one block or larger
  /// than 2^32 - 1 numbers.
  BlockHash(const TableSet& tables, const BlockHashOptions& options, std::uint64_t size);

  const BlockHashOptions& options() const { return options_; }  ///< with block > 0
  std::uint64_t size() const { return size_; }
  std::size_t block() const { return options_.block; }
  std::size_t blocks_per_row() const { return blocks_per_row_; }
  /// Blocks may run over the array's end and go on at its beginning.
  bool is_circular() const { return options_.family == HashFamily::paper; }
  bool has_signs() const { return options_.sign; }

  /// The starts of the blocks of a sample's rows: rows [tables], starts [tables, blocks_per_row].
  void starts_of_sample(const std::uint32_t* rows, std::uint32_t* starts) const;
  /// The same for n rows of one table: starts [n, blocks_per_row].
  void starts_of_rows(std::size_t table, const std::uint32_t* rows, std::size_t n,
                      std::uint32_t* starts) const;

  /// What engines of devices compute places and signs with: family, step, offset, range, scale,
  /// whether there are signs, coefficients.
  std::array<std::uint64_t, 14> numbers() const;

  /// 1 or -1: the sign of number i of the row.
  float sign(std::size_t table, std::uint32_t row, std::size_t i) const;

 private:
  bool is_golden_row() const {
    return options_.family == HashFamily::golden && blocks_per_row_ == 1;
  }
  void spread(const std::uint64_t* first, std::uint64_t offset, const std::uint32_t* rows,
              std::size_t n, std::uint32_t* starts) const;
  template <class Body>
  void with_family(const Body& body) const;
  /// Calls put(start) for each block of the row.
  template <HashFamily Family, class Put>
  void hash_row(std::size_t table, std::uint32_t row, const Put& put) const;

  TableSet tables_;
  BlockHashOptions options_;
  std::uint64_t size_ = 0;
  std::size_t blocks_per_row_ = 1;
  std::uint64_t range_ = 1;                      ///< starts, or aligned places, there are
  std::uint64_t offset_ = 0;                     ///< golden: added to every product
  std::uint64_t step_ = 1;                       ///< golden: from a row's product to the next one's
  std::uint64_t scale_ = 1;                      ///< golden: numbers between places
  std::array<std::uint64_t, 8> coefficients_{};  ///< paper: Ah Bh Ch Dh Ag Bg Cg Dg
};

}  // namespace frugal
