#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tools/robe-compress/embedding/embedding.h"
#include "tools/robe-compress/embedding/parameter_array.h"

namespace frugal {

/// Tables as they are: every row has its own numbers. Row v of all is array[v * dim, (v + 1) *
/// dim).
class FullEmbedding : public Embedding {
 public:
  /// All numbers are 0. Fails (usage) beyond 2^32 - 1 rows.
  explicit FullEmbedding(TableSet tables);

  const char* method() const override { return "full"; }
  std::uint64_t num_parameters() const override { return array_.size(); }
  std::uint64_t num_bytes() const override { return array_.num_bytes(); }
  void lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const override;
  void lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                    MatrixView<float> out) const override;
  void prepare_training(const OptimizerOptions& optimizer) override {
    array_.prepare_training(optimizer);
  }
  void step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient, float rate,
            ParameterPart part) override;
  void save(Document& document) const override;
  void save_state(Document& document) const override;
  void load_state(const Document& document, const std::string& path) override;
  static std::unique_ptr<Embedding> load(const Document& document, const std::string& path,
                                         TableSet tables);

  ParameterArray& array() { return array_; }
  const ParameterArray& array() const { return array_; }

 private:
  ParameterArray array_;
};

}  // namespace frugal
