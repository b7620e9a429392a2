#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/block_hash.h"
#include "libcore/embedding/hot_rows.h"

namespace frugal {

/// Tables whose rows consist of blocks of one shared array, found by hashing: ROBE (Desai, Chou,
/// Shrivastava, MLSys 2022), optionally with private rows for frequent categories. If blocks are
/// whole aligned rows, it is the hashing trick on rows. With several copies, a row is the sum of
/// several blocks (Tito Svenstrup, Hansen, Winther, NIPS 2017, without their weights).
class BlockEmbedding : public ArrayEmbedding {
 public:
  struct Settings {
    std::string method = "robe";
    BlockHashOptions hash;
    std::size_t copies = 1;  ///< number of blocks that are summed; above 1 without hot rows
    HotRows hot;
  };
  /// `hashed` numbers are shared; they are followed by dim numbers for each hot row. All numbers
  /// are 0.
  BlockEmbedding(TableSet tables, Settings settings, std::uint64_t hashed);

  const char* method() const override { return settings_.method.c_str(); }
  std::uint64_t num_bytes() const override {
    return array_.num_bytes() + settings_.hot.num_key_bytes();
  }
  void lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const override;
  void lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                    MatrixView<float> out) const override;
  void step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient, float rate,
            ParameterPart part) override;
  void visit_blocks(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                    BlockSink& sink) const override;
  void save(Document& document) const override;

  static std::unique_ptr<Embedding> load(Document& document, TableSet tables);

  const Settings& settings() const { return settings_; }
  /// Moves the settings out. Afterwards only num_hashed() and array() may be used.
  Settings take_settings() { return std::move(settings_); }
  /// Number of shared numbers, after which the private ones of hot rows begin.
  std::uint64_t num_hashed() const { return hashed_; }

  /// Starts of the blocks of `n` rows of a table, [n, blocks_per_row]. copy < settings().copies.
  void starts_of_rows(std::size_t copy, std::size_t table, const std::uint32_t* rows, std::size_t n,
                      std::uint32_t* starts) const;
  const BlockHash& hash(std::size_t copy = 0) const { return hashes_[copy]; }

 private:
  void starts_of_samples(std::size_t copy, MatrixView<const std::uint32_t> rows,
                         std::uint32_t* starts) const;
  void place_hot(std::size_t table, std::uint32_t row, std::uint32_t* starts) const;
  void read_rows(const std::uint32_t* starts, std::size_t n, float* out) const;
  void apply_signs(std::size_t copy, std::size_t table, std::uint32_t row, float* values) const;
  template <class Sink>
  void add_rows(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                Sink& sink) const;
  template <class Sink>
  void add_row(Sink& sink, const float* x, std::size_t source, const std::uint32_t* starts) const;

  Settings settings_;
  std::uint64_t hashed_ = 0;
  std::vector<BlockHash> hashes_;  ///< one per copy
};

}  // namespace frugal
