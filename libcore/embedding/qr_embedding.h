#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/embedding/array_embedding.h"

namespace frugal {

/// Quotient and remainder: row x of a table is, number by number, the product of row x / r of one
/// small table and row x mod r of another (Shi et al., KDD 2020, section 3). Tables with few rows
/// stay as they are.
class QrEmbedding : public ArrayEmbedding {
 public:
  /// About `divisor` rows of a table share one of its remainder rows.
  QrEmbedding(TableSet tables, std::uint64_t divisor);

  /// The numbers that it takes.
  static std::uint64_t size_for(const TableSet& tables, std::uint64_t divisor);
  /// The smallest divisor for which the numbers are at most `max_size`; 0 where there is none.
  static std::uint64_t divisor_for(const TableSet& tables, std::uint64_t max_size);

  /// The fewest numbers that any divisor leads to.
  static std::uint64_t smallest_size(const TableSet& tables);

  const char* method() const override { return "qr"; }
  void lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const override;
  void lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                    MatrixView<float> out) const override;
  /// Both factors of a row need each other's values, so part 0 steps all of them, sample by sample.
  void step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient, float rate,
            ParameterPart part) override;
  void visit_blocks(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                    BlockSink& sink) const override;
  void save(Document& document) const override;
  static std::unique_ptr<Embedding> load(Document& document, TableSet tables);

  /// Remainder rows as a uniform distribution of this bound for table t, quotient rows around 1.
  void fill(const std::vector<double>& bounds, std::uint64_t seed);

 private:
  /// A table's rows in the array: `remainders` of them, then the quotients if it is split.
  struct Split {
    std::uint64_t begin = 0;
    std::uint64_t remainders = 0;
    std::uint64_t quotients = 0;  ///< 0: not split
  };
  static Split split(std::uint64_t rows, std::uint64_t divisor);
  template <class Sink>
  void add_rows(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                Sink& sink) const;
  void read_row(std::size_t table, std::uint32_t row, float* out) const;

  std::uint64_t divisor_;
  std::vector<Split> splits_;
};

}  // namespace frugal
