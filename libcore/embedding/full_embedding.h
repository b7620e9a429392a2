#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "libcore/embedding/array_embedding.h"

namespace frugal {

/// Uncompressed tables: every row has its own numbers. Global row v is array[v * dim, (v + 1) *
/// dim).
class FullEmbedding : public ArrayEmbedding {
 public:
  /// All numbers are 0. Fails (usage) beyond 2^32 - 1 rows.
  explicit FullEmbedding(TableSet tables);

  const char* method() const override { return "full"; }
  void lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const override;
  void lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                    MatrixView<float> out) const override;
  void step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient, float rate,
            ParameterPart part) override;
  void visit_blocks(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                    BlockSink& sink) const override;
  void save(Document& document) const override;
  static std::unique_ptr<Embedding> load(Document& document, TableSet tables);

 private:
  template <class Sink>
  void add_rows(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                Sink& sink) const;
};

}  // namespace frugal
