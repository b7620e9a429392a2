#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/embedding/embedding.h"
#include "libcore/tensors/tensor.h"

namespace frugal::robe {

/// The embedding tables of an array file of `compress` or of a model of `train`.
std::unique_ptr<Embedding> load_array(const std::string& path);

/// The number of the table of that name; fails (usage) with the nearest one.
std::size_t find_table(const TableSet& tables, const std::string& name, const std::string& path);

/// Fails (bad_input) with `path` where there is none.
void expect_tables(const TableSet& tables, const std::string& path);

/// F32, BF16 or F16 for "f32", "bf16", "f16".
Dtype row_dtype(const std::string& name);

/// Rows of tables as they go into files.
class RowMaker {
 public:
  explicit RowMaker(const Embedding& embedding) : embedding_(embedding) {}
  /// Rows ids of a table, rounded to dtype (F32, BF16 or F16), to `to`: their size.
  void make(std::size_t table, std::span<const std::uint32_t> ids, Dtype dtype,
            std::span<std::byte> to);

 private:
  const Embedding& embedding_;
  std::vector<float> values_;
};

}  // namespace frugal::robe
