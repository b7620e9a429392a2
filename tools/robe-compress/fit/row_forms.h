#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/embedding/embedding.h"
#include "libcore/embedding/storage.h"
#include "tools/robe-compress/fit/table_source.h"

namespace frugal::robe {

/// A way to keep every row of tables by itself.
struct RowForm {
  std::string method;              ///< full, int8 or int4
  Storage storage = Storage::f32;  ///< of full

  /// "f32", "int8" for numbers in groups, "int8 rows" for rows with a scale and an offset each.
  std::string text() const;
  std::uint64_t num_bytes(const TableSet& tables) const;
};

/// The finest form of numbers in groups and the finest of rows that leave tables `compression`
/// times smaller than f32 or smaller still; f32, which loses nothing, alone. storage: the only one
/// allowed, of numbers. The one that is finer on most tables comes first.
std::vector<RowForm> row_forms(const TableSet& tables, double compression,
                               const std::optional<Storage>& storage);

/// The tables in that form, from one pass over them.
std::unique_ptr<Embedding> keep_rows(TableSource& tables, const RowForm& form,
                                     const std::function<void(double done)>& progress);

}  // namespace frugal::robe
