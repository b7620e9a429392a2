#include "libcore/embedding/qr_embedding.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"
#include "libcore/embedding/block_stepper.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/tensors/metadata_reader.h"

namespace frugal {

QrEmbedding::Split QrEmbedding::split(std::uint64_t rows, std::uint64_t divisor) {
  const std::uint64_t remainders = (rows + divisor - 1) / divisor;
  const std::uint64_t quotients = (rows + remainders - 1) / remainders;
  if (remainders + quotients >= rows) return {.remainders = rows};
  return {.remainders = remainders, .quotients = quotients};
}

std::uint64_t QrEmbedding::size_for(const TableSet& tables, std::uint64_t divisor) {
  std::uint64_t rows = 0;
  for (const TableShape& table : tables.tables()) {
    const Split s = split(table.rows, divisor);
    rows += s.remainders + s.quotients;
  }
  return rows * tables.dim();
}

/// Sizes fall as long as the largest tables have more remainders than quotients; up to there they
/// are tried in steps of a hundredth, then one by one.
std::uint64_t QrEmbedding::divisor_for(const TableSet& tables, std::uint64_t max_size) {
  std::uint64_t largest = 1;
  for (const TableShape& table : tables.tables()) largest = std::max(largest, table.rows);
  std::uint64_t before = 1;
  for (std::uint64_t d = 1; d * d <= 4 * largest; d += 1 + d / 100) {
    if (size_for(tables, d) <= max_size) {
      while (before < d && size_for(tables, before) > max_size) ++before;
      return before;
    }
    before = d;
  }
  return 0;
}

std::uint64_t QrEmbedding::smallest_size(const TableSet& tables) {
  std::uint64_t largest = 1;
  for (const TableShape& table : tables.tables()) largest = std::max(largest, table.rows);
  std::uint64_t smallest = size_for(tables, 1);
  for (std::uint64_t d = 1; d * d <= 4 * largest; d += 1 + d / 100) {
    smallest = std::min(smallest, size_for(tables, d));
  }
  return smallest;
}

QrEmbedding::QrEmbedding(TableSet tables, std::uint64_t divisor)
    : ArrayEmbedding(std::move(tables)), divisor_(divisor) {
  std::uint64_t begin = 0;
  for (const TableShape& table : this->tables().tables()) {
    Split s = split(table.rows, divisor);
    s.begin = begin;
    begin += s.remainders + s.quotients;
    splits_.push_back(s);
  }
  array_ = ParameterArray(begin * this->tables().dim());
}

void QrEmbedding::fill(const std::vector<double>& bounds, std::uint64_t seed) {
  const std::size_t dim = tables().dim();
  for (std::size_t t = 0; t < splits_.size(); ++t) {
    const Split& s = splits_[t];
    const std::uint64_t middle = (s.begin + s.remainders) * dim;
    const std::uint64_t end = middle + s.quotients * dim;
    array_.fill_uniform(s.begin * dim, middle, bounds[t], seed);
    array_.fill_uniform(middle, end, 0.5, seed);
    for (float& x : array_.values().subspan(middle, end - middle)) x += 1;
  }
}

void QrEmbedding::read_row(std::size_t table, std::uint32_t row, float* out) const {
  const std::size_t dim = tables().dim();
  const Split& s = splits_[table];
  array_.read({(s.begin + row % s.remainders) * dim, dim}, out);
  if (s.quotients == 0) return;
  thread_local std::vector<float> quotient;
  quotient.resize(dim);
  array_.read({(s.begin + s.remainders + row / s.remainders) * dim, dim}, quotient.data());
  for (std::size_t i = 0; i < dim; ++i) out[i] *= quotient[i];
}

void QrEmbedding::lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const {
  assert(rows.cols == tables().size());
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t t = 0; t < rows.cols; ++t) {
      read_row(t, rows(i, t), out.row(i) + t * tables().dim());
    }
  }
}

void QrEmbedding::lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                               MatrixView<float> out) const {
  for (std::size_t j = 0; j < n; ++j) read_row(table, rows[j], out.row(j));
}

template <class Sink>
void QrEmbedding::add_rows(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                           Sink& sink) const {
  const std::size_t dim = tables().dim();
  std::vector<float> factors(2 * dim);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t t = 0; t < rows.cols; ++t) {
      const Split& s = splits_[t];
      const std::uint64_t remainder = (s.begin + rows(i, t) % s.remainders) * dim;
      if (s.quotients == 0) {
        sink.add(gradient.data, i * gradient.stride + t * dim, {remainder, dim});
        sink.flush();
        continue;
      }
      const std::uint64_t quotient = (s.begin + s.remainders + rows(i, t) / s.remainders) * dim;
      if (gradient.data != nullptr) {
        array_.read({quotient, dim}, factors.data());
        array_.read({remainder, dim}, factors.data() + dim);
        const float* g = gradient.row(i) + t * dim;
        for (std::size_t k = 0; k < dim; ++k) {
          factors[k] *= g[k];
          factors[dim + k] *= g[k];
        }
      }
      sink.add(factors.data(), 0, {remainder, dim});
      sink.add(factors.data(), dim, {quotient, dim});
      sink.flush();
    }
  }
}

void QrEmbedding::step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                       float rate, ParameterPart part) {
  if (part.index != 0) return;
  const std::size_t dim = tables().dim();
  BlockStepper stepper(array_, {dim, dim}, rate, {});
  add_rows(rows, gradient, stepper);
  stepper.finish();
}

void QrEmbedding::visit_blocks(MatrixView<const std::uint32_t> rows,
                               MatrixView<const float> gradient, BlockSink& sink) const {
  add_rows(rows, gradient, sink);
}

void QrEmbedding::save(Document& document) const {
  save_tables(*this, document);
  document.metadata["embedding.divisor"] = std::to_string(divisor_);
  array_.save(kArray, document);
}

std::unique_ptr<Embedding> QrEmbedding::load(Document& document, TableSet tables) {
  const MetadataReader read(document);
  const std::uint64_t divisor = read.number("embedding.divisor", 1, 0xffffffff);
  ParameterArray array = ParameterArray::load(document, kArray);
  const std::uint64_t expected = size_for(tables, divisor);
  if (array.size() != expected) {
    fail(ExitStatus::bad_input, "tensor '", kArray, "' has ", array.size(), " numbers, expected ",
         expected);
  }
  auto embedding = std::make_unique<QrEmbedding>(std::move(tables), divisor);
  embedding->array_ = std::move(array);
  return embedding;
}

}  // namespace frugal
