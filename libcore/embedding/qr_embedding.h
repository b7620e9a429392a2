#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/embedding/array_embedding.h"

namespace frugal {

/// Quotient-remainder embedding: row x of a table is the elementwise product of row x / r of one
/// small table and row x mod r of another (Shi et al., KDD 2020, section 3). Tables with few rows
/// are stored unchanged.
class QrEmbedding : public ArrayEmbedding {
 public:
  /// About `divisor` rows of a table share a remainder row.
  QrEmbedding(TableSet tables, std::uint64_t divisor);

  /// Number of parameters for a divisor.
  static std::uint64_t size_for(const TableSet& tables, std::uint64_t divisor);
  /// Smallest divisor with at most `max_size` parameters; 0 if there is none.
  static std::uint64_t divisor_for(const TableSet& tables, std::uint64_t max_size);

  /// Smallest number of parameters that any divisor gives.
  static std::uint64_t smallest_size(const TableSet& tables);

  const char* method() const override { return "qr"; }
  void lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const override;
  void lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                    MatrixView<float> out) const override;
  /// Each factor's gradient needs the other's value, so part 0 steps all parameters, sample by
  /// sample.
  void step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient, float rate,
            ParameterPart part) override;
  void visit_blocks(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                    BlockSink& sink) const override;
  void save(Document& document) const override;
  static std::unique_ptr<Embedding> load(Document& document, TableSet tables);

  /// Initialises remainder rows of table t uniformly with the bound bounds[t], and quotient rows
  /// around 1.
  void fill(const std::vector<double>& bounds, std::uint64_t seed);

 private:
  /// Rows of a table in the array: `remainders` rows, then the quotients if it is split.
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
