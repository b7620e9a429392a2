#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/hash.h"
#include "libcore/base/view.h"
#include "libcore/embedding/table_set.h"

namespace frugal {

/// Formula for the start of a row's block in the array. Z is the block size, v the global row, e
/// the table, x its row, c the number of the block in the row, and m the array's size; all others
/// are constants.
///   golden    floor((v C + c) K mod 2^64 (m - Z + 1) / 2^64), K = 2^64 / golden ratio, C blocks a
///             row: a low-discrepancy sequence over all blocks
///   paper     (Ah e + Bh x + Ch c + Dh) mod P mod m, circular, with a sign for each number (Desai,
///             Chou, Shrivastava, MLSys 2022, section 3, equation 2)
///   robe2021  ((R3 v + R2 c + R1) mod P) mod (m - Z + 1): the authors' first published code
///   robe2022  ((R1 v + R2 (c + 1) + R3) mod P) mod (m - Z): their code for DLRM
enum class HashFamily { golden, paper, robe2021, robe2022 };

std::vector<std::string> hash_family_names();
/// Fails (usage) on an unknown name and lists the known ones.
HashFamily hash_family_from_name(std::string_view name);
std::string_view hash_family_name(HashFamily family);

struct BlockHashOptions {
  HashFamily family = HashFamily::golden;
  std::size_t block = 0;   ///< Z, numbers of a block; 0 = a whole row
  bool sign = false;       ///< random sign for each block; paper: always, for each number
  bool aligned = false;    ///< golden: blocks begin at multiples of Z
  std::uint64_t seed = 0;  ///< golden: 0 = none; paper: seed of its coefficients
};

/// Fails (usage) if Z > dim or an option does not exist for the hash family.
void check_hash_options(const BlockHashOptions& options, std::size_t dim);

/// Start of every block of every row in an array of m = `size` numbers. A row of `dim` numbers
/// consists of ceil(dim / Z) blocks; the last may be shorter. Blocks of different rows may overlap,
/// which is how the array stays small:
///
///     dim = 4, Z = 2                    array of m numbers
///                                        0   1   2   3   4   5   6   7   8  ...  m-1
///     table 0, row 7    block 0  -> 5                      [ a   b ]
///                       block 1  -> 1      [ c   d ]
///     table 2, row 31   block 0  -> 6                          [ b   e ]
///                       block 1  -> 0  [ f   c ]
///
///     row 7 of table 0  = (a b c d)    they share b and c: a step of either row
///     row 31 of table 2 = (b e f c)    changes both
class BlockHash {
 public:
  /// Fails (usage) as check_hash_options() does, and if the array is smaller than one block or
  /// larger than 2^32 - 1 numbers.
  BlockHash(const TableSet& tables, const BlockHashOptions& options, std::uint64_t size);

  const BlockHashOptions& options() const { return options_; }  ///< block is never 0
  std::uint64_t size() const { return size_; }
  std::size_t block() const { return options_.block; }
  std::size_t blocks_per_row() const { return blocks_per_row_; }
  /// Whether blocks may wrap around from the array's end to its beginning.
  bool is_circular() const { return options_.family == HashFamily::paper; }
  bool has_signs() const { return options_.sign; }

  /// Starts of the blocks of a sample's rows. rows: [tables], starts: [tables, blocks_per_row].
  void starts_of_sample(const std::uint32_t* rows, std::uint32_t* starts) const;
  /// Starts of several samples, hashed in one loop if rows are adjacent. rows: [samples, tables].
  void starts_of_samples(MatrixView<const std::uint32_t> rows, std::uint32_t* starts) const;
  /// Starts of the blocks of n rows of one table, [n, blocks_per_row].
  void starts_of_rows(std::size_t table, const std::uint32_t* rows, std::size_t n,
                      std::uint32_t* starts) const;

  /// Constants from which device engines compute starts and signs: family, step, offset, range,
  /// scale, whether there are signs, coefficients.
  std::array<std::uint64_t, 14> numbers() const;

  /// Sign of number i of the row: 1 or -1.
  float sign(std::size_t table, std::uint32_t row, std::size_t i) const;

 private:
  bool is_golden_row() const {
    return options_.family == HashFamily::golden && blocks_per_row_ == 1;
  }
  void spread(const std::uint64_t* offsets, std::uint64_t offset, const std::uint32_t* rows,
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
  std::uint64_t range_ = 1;   ///< number of possible starts, or of aligned places
  std::uint64_t offset_ = 0;  ///< golden: added to every product
  std::uint64_t step_ = 1;    ///< golden: difference between the products of consecutive rows
  std::uint64_t scale_ = 1;   ///< golden: numbers from one place to the next
  std::vector<std::uint64_t> offsets_;           ///< golden: product of each table's first row
  std::array<std::uint64_t, 8> coefficients_{};  ///< paper: Ah Bh Ch Dh Ag Bg Cg Dg
};

}  // namespace frugal
