#include "tools/robe-compress/fit/table_errors.h"

#include <cmath>
#include <numeric>

#include "tools/robe-compress/fit/row_weights.h"
#include "tools/robe-compress/fit/table_source.h"

namespace frugal::robe {
namespace {

struct WeightedSquares {
  double of_errors = 0;
  double of_numbers = 0;

  void add(const WeightedSquares& more, double weight = 1) {
    of_errors += weight * more.of_errors;
    of_numbers += weight * more.of_numbers;
  }
  double relative_error() const { return of_numbers > 0 ? std::sqrt(of_errors / of_numbers) : 0; }
};

WeightedSquares squares_of(const float* numbers, const float* stored, std::size_t n) {
  const auto error = [=](std::size_t i) { return static_cast<double>(numbers[i]) - stored[i]; };
  return {sum_of_squares(n, error), sum_of_squares(numbers, n)};
}

struct LookedUp {
  std::vector<std::uint32_t> rows;
  std::vector<float> values;
  WeightedSquares squares;
};

}  // namespace

TableErrors table_errors(TableSource& file, const RowWeights& weights, const Embedding& embedding,
                         const std::function<void(double done)>& progress) {
  const TableSet& tables = file.tables();
  TablePass<LookedUp> pass;
  pass.work = [&](const TablePiece& piece, LookedUp& looked_up) {
    const std::size_t n = piece.values.rows, dim = tables.dim();
    const std::uint64_t first = tables.first_row(piece.table) + piece.row;
    looked_up.rows.resize(n);
    std::iota(looked_up.rows.begin(), looked_up.rows.end(), static_cast<std::uint32_t>(piece.row));
    looked_up.values.resize(n * dim);
    const MatrixView<float> stored(looked_up.values.data(), n, dim);
    embedding.lookup_table(piece.table, looked_up.rows.data(), n, stored);
    looked_up.squares = {};
    for (std::size_t r = 0; r < n; ++r) {
      looked_up.squares.add(squares_of(piece.values.row(r), stored.row(r), dim),
                            weights[first + r]);
    }
  };
  std::vector<WeightedSquares> by_table(tables.size());
  pass.use = [&](const TablePiece& piece, LookedUp& looked_up) {
    by_table[piece.table].add(looked_up.squares);
    progress(static_cast<double>(file.bytes_read()));
  };
  pass.run(file);
  TableErrors errors;
  WeightedSquares all;
  for (const WeightedSquares& squares : by_table) {
    errors.tables.push_back(squares.relative_error());
    all.add(squares);
  }
  errors.all = all.relative_error();
  return errors;
}

}  // namespace frugal::robe
