#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/embedding/embedding.h"

namespace frugal {

/// Full tables quantised after training to 8 or 4 bits per number, with a scale and an offset (f32)
/// per row: the row-wise quantisation of FBGEMM and of Guan et al., arXiv 1911.02079. Cannot be
/// trained.
class QuantizedEmbedding : public Embedding {
 public:
  /// All rows are 0. bits: 8 or 4.
  QuantizedEmbedding(TableSet tables, int bits);
  /// Bytes of tables.
  static std::uint64_t size_for(const TableSet& tables, int bits);

  /// Quantises and stores the global rows [first, first + values.rows). values: [rows, dim],
  /// finite.
  void set_rows(std::uint64_t first, MatrixView<const float> values);
  /// Quantises all rows of another embedding of the same tables.
  static std::unique_ptr<QuantizedEmbedding> make(const Embedding& from, int bits);

  const char* method() const override { return bits_ == 8 ? "int8" : "int4"; }
  std::uint64_t num_parameters() const override { return tables().num_values(); }
  std::uint64_t num_bytes() const override { return size_for(tables(), bits_); }
  void lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const override;
  void lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                    MatrixView<float> out) const override;
  /// Fails (usage): train full tables, then quantise them.
  void prepare_training(const OptimizerOptions& optimizer) override;
  void step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient, float rate,
            ParameterPart part) override;
  void save(Document& document) const override;
  void save_state(Document&) const override {}
  void load_state(Document&, const std::string&) override {}
  static std::unique_ptr<Embedding> load(Document& document, TableSet tables, int bits);

 private:
  void read_row(std::uint64_t row, float* out) const;

  int bits_;
  std::size_t row_bytes_;
  /// [rows, row_bytes]; 4 bits: numbers with an even index in the lower half.
  Array<std::uint8_t> codes_;
  Array<float> scales_;  ///< [rows, 2]: scale and offset
};

}  // namespace frugal
