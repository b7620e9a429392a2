#include "tools/robe-compress/fit/row_forms.h"

#include <algorithm>
#include <array>

#include "libcore/embedding/full_embedding.h"
#include "libcore/embedding/quantized_embedding.h"

namespace frugal::robe {
namespace {

/// Relative rounding of a compression that was computed from bytes and printed.
constexpr double kRounding = 1e-9;

/// From the finest on; rows of as many bits are finer on most tables than numbers in groups.
const std::array<RowForm, 6> kForms{{{"full", Storage::f32},
                                     {"full", Storage::bf16},
                                     {"int8"},
                                     {"full", Storage::int8},
                                     {"int4"},
                                     {"full", Storage::int4}}};

template <class Store>
void pass_over(TableSource& tables, const std::function<void(double done)>& progress,
               const Store& store) {
  struct Nothing {};
  TablePass<Nothing> pass;
  pass.work = [&](const TablePiece& piece, Nothing&) {
    store(tables.tables().first_row(piece.table) + piece.row, piece.values);
  };
  pass.use = [&](const TablePiece&, Nothing&) {
    progress(static_cast<double>(tables.bytes_read()));
  };
  pass.run(tables);
}

}  // namespace

std::string RowForm::text() const {
  return method == "full" ? std::string(storage_name(storage)) : method + " rows";
}

std::uint64_t RowForm::num_bytes(const TableSet& tables) const {
  if (method == "full") return stored_bytes(storage, tables.num_values());
  return QuantizedEmbedding::size_for(tables, method == "int8" ? 8 : 4);
}

std::vector<RowForm> row_forms(const TableSet& tables, double compression,
                               const std::optional<Storage>& storage) {
  const double budget =
      static_cast<double>(tables.num_values() * sizeof(float)) / compression * (1 + kRounding);
  std::vector<RowForm> forms;
  for (const RowForm& form : kForms) {
    const bool is_allowed = !storage || (form.method == "full" && form.storage == *storage);
    const bool has_finer = std::any_of(forms.begin(), forms.end(), [&](const RowForm& other) {
      return (other.method == "full") == (form.method == "full");
    });
    if (!is_allowed || has_finer || static_cast<double>(form.num_bytes(tables)) > budget) continue;
    forms.push_back(form);
    if (form.method == "full" && form.storage == Storage::f32) break;
  }
  return forms;
}

std::unique_ptr<Embedding> keep_rows(TableSource& tables, const RowForm& form,
                                     const std::function<void(double done)>& progress) {
  if (form.method != "full") {
    auto rows =
        std::make_unique<QuantizedEmbedding>(tables.tables(), form.method == "int8" ? 8 : 4);
    pass_over(tables, progress, [&](std::uint64_t first, MatrixView<const float> values) {
      rows->set_rows(first, values);
    });
    return rows;
  }
  auto full = std::make_unique<FullEmbedding>(tables.tables());
  const std::span<float> numbers = full->array().values();
  pass_over(tables, progress, [&](std::uint64_t first, MatrixView<const float> values) {
    for (std::size_t r = 0; r < values.rows; ++r) {
      std::copy_n(values.row(r), values.cols, &numbers[(first + r) * values.cols]);
    }
  });
  full->array().store_as(form.storage);
  return full;
}

}  // namespace frugal::robe
