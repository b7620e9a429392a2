#include "libcore/embedding/quantized_embedding.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr const char* kCodes = "embedding.codes";
constexpr const char* kScales = "embedding.scales";
constexpr std::size_t kQuantizedRows = 1024;

std::size_t row_bytes(std::size_t dim, int bits) {
  return (dim * static_cast<std::size_t>(bits) + 7) / 8;
}

}  // namespace

QuantizedEmbedding::QuantizedEmbedding(TableSet tables, int bits)
    : Embedding(std::move(tables)),
      bits_(bits),
      row_bytes_(row_bytes(this->tables().dim(), bits)),
      codes_(this->tables().num_rows() * row_bytes_),
      scales_(this->tables().num_rows() * 2) {
  assert(bits == 8 || bits == 4);
}

std::uint64_t QuantizedEmbedding::size_for(const TableSet& tables, int bits) {
  return tables.num_rows() * (row_bytes(tables.dim(), bits) + 2 * sizeof(float));
}

void QuantizedEmbedding::set_rows(std::uint64_t first, MatrixView<const float> values) {
  const float levels = bits_ == 8 ? 255 : 15;
  for (std::size_t r = 0; r < values.rows; ++r) {
    const std::span<const float> row = values.row_span(r);
    const auto [low, high] = std::minmax_element(row.begin(), row.end());
    const float scale = (*high - *low) / levels;
    scales_[2 * (first + r)] = scale;
    scales_[2 * (first + r) + 1] = *low;
    std::uint8_t* codes = codes_.data() + (first + r) * row_bytes_;
    std::fill_n(codes, row_bytes_, std::uint8_t{0});
    for (std::size_t i = 0; i < row.size(); ++i) {
      const float level = scale > 0 ? std::nearbyint((row[i] - *low) / scale) : 0;
      const auto code = static_cast<unsigned>(std::clamp(level, 0.0F, levels));
      const std::size_t at = bits_ == 8 ? i : i / 2;
      codes[at] = static_cast<std::uint8_t>(codes[at] | code << (bits_ == 4 && i % 2 == 1 ? 4 : 0));
    }
  }
}

std::unique_ptr<QuantizedEmbedding> QuantizedEmbedding::make(const Embedding& from, int bits) {
  const TableSet& tables = from.tables();
  auto result = std::make_unique<QuantizedEmbedding>(tables, bits);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const std::uint64_t rows = tables.table(t).rows;
    parallel_for((rows + kQuantizedRows - 1) / kQuantizedRows, 1, [&](std::size_t piece) {
      const std::uint64_t begin = piece * kQuantizedRows;
      const std::size_t n = std::min<std::uint64_t>(kQuantizedRows, rows - begin);
      std::vector<std::uint32_t> ids(n);
      for (std::size_t j = 0; j < n; ++j) ids[j] = static_cast<std::uint32_t>(begin + j);
      std::vector<float> values(n * tables.dim());
      const MatrixView<float> view(values.data(), n, tables.dim());
      from.lookup_table(t, ids.data(), n, view);
      result->set_rows(tables.first_row(t) + begin, view);
    });
  }
  return result;
}

void QuantizedEmbedding::read_row(std::uint64_t row, float* out) const {
  const float scale = scales_[2 * row], offset = scales_[2 * row + 1];
  const std::uint8_t* codes = codes_.data() + row * row_bytes_;
  const std::size_t dim = tables().dim();
  if (bits_ == 8) {
    for (std::size_t i = 0; i < dim; ++i) out[i] = offset + scale * static_cast<float>(codes[i]);
    return;
  }
  for (std::size_t i = 0; i < dim; ++i) {
    const unsigned code = i % 2 == 0 ? codes[i / 2] & 15U : codes[i / 2] >> 4U;
    out[i] = offset + scale * static_cast<float>(code);
  }
}

void QuantizedEmbedding::lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t t = 0; t < rows.cols; ++t) {
      read_row(tables().first_row(t) + rows(i, t), out.row(i) + t * tables().dim());
    }
  }
}

void QuantizedEmbedding::lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                                      MatrixView<float> out) const {
  for (std::size_t j = 0; j < n; ++j) read_row(tables().first_row(table) + rows[j], out.row(j));
}

void QuantizedEmbedding::prepare_training(const OptimizerOptions&) {
  fail(ExitStatus::usage, "tables of ", bits_,
       " bits cannot be trained: train with --method full and compress the model");
}

void QuantizedEmbedding::step(MatrixView<const std::uint32_t>, MatrixView<const float>, float,
                              ParameterPart) {
  assert(false && "prepare_training() refuses");
}

void QuantizedEmbedding::save(Document& document) const {
  save_tables(*this, document);
  document.tensors.push_back(Tensor::lend<std::uint8_t>(kCodes, {tables().num_rows(), row_bytes_},
                                                        {codes_.data(), codes_.size()}));
  document.tensors.push_back(
      Tensor::lend<float>(kScales, {tables().num_rows(), 2}, {scales_.data(), scales_.size()}));
}

std::unique_ptr<Embedding> QuantizedEmbedding::load(Document& document, TableSet tables, int bits) {
  Tensor& codes = document.at(kCodes);
  Tensor& scales = document.at(kScales);
  const Shape expected = {tables.num_rows(), row_bytes(tables.dim(), bits)};
  const Shape expected_scales = {tables.num_rows(), 2};
  if (codes.shape != expected || scales.shape != expected_scales) {
    fail(ExitStatus::bad_input, "tensors '", kCodes, "' and '", kScales, "' are ",
         shape_text(codes.shape), " and ", shape_text(scales.shape), ", expected ",
         shape_text(expected), " and ", shape_text(expected_scales));
  }
  auto embedding = std::make_unique<QuantizedEmbedding>(std::move(tables), bits);
  embedding->codes_ = codes.take_or_view<std::uint8_t>();
  embedding->scales_ = scales.take_or_view<float>();
  return embedding;
}

}  // namespace frugal
