#include "libcore/embedding/full_embedding.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/embedding/block_stepper.h"
#include "libcore/embedding/embedding_file.h"

namespace frugal {
namespace {

constexpr std::size_t kRowsAtATime = 512;

}  // namespace

FullEmbedding::FullEmbedding(TableSet tables) : ArrayEmbedding(std::move(tables)) {
  if (this->tables().num_rows() > std::numeric_limits<std::uint32_t>::max()) {
    fail(ExitStatus::usage, "full tables of ", this->tables().num_rows(),
         " rows, expected fewer than 2^32");
  }
  array_ = ParameterArray(this->tables().num_values());
}

void FullEmbedding::lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const {
  const std::size_t fields = tables().size(), dim = tables().dim();
  assert(rows.cols == fields && out.cols == fields * dim && out.rows == rows.rows);
  if (fields == 0) return;
  // Rows of several samples in one call, so that they are fetched ahead from one to the next.
  const std::size_t together =
      out.stride == fields * dim ? std::max<std::size_t>(1, kRowsAtATime / fields) : 1;
  thread_local std::vector<std::uint32_t> places;
  places.resize(together * fields);
  for (std::size_t i = 0; i < rows.rows; i += together) {
    const std::size_t n = std::min(together, rows.rows - i);
    for (std::size_t j = 0; j < n * fields; ++j) {
      const std::size_t t = j % fields;
      places[j] = static_cast<std::uint32_t>(tables().first_row(t) + rows(i + j / fields, t));
    }
    array_.gather(places.data(), n * fields, dim, dim, out.row(i));
  }
}

void FullEmbedding::lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                                 MatrixView<float> out) const {
  const std::size_t dim = tables().dim();
  std::array<std::uint32_t, kRowsAtATime> places{};
  const std::size_t together = out.stride == dim ? kRowsAtATime : 1;
  for (std::size_t i = 0; i < n; i += together) {
    const std::size_t m = std::min(together, n - i);
    for (std::size_t j = 0; j < m; ++j) {
      places[j] = static_cast<std::uint32_t>(tables().first_row(table) + rows[i + j]);
    }
    array_.gather(places.data(), m, dim, dim, out.row(i));
  }
}

template <class Sink>
void FullEmbedding::add_rows(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                             Sink& sink) const {
  const std::size_t dim = tables().dim();
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t t = 0; t < tables().size(); ++t) {
      const std::uint64_t row = tables().first_row(t) + rows(i, t);
      sink.add(gradient.data, i * gradient.stride + t * dim, {row * dim, dim});
    }
  }
}

void FullEmbedding::step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                         float rate, ParameterPart part) {
  const std::size_t dim = tables().dim();
  BlockStepper stepper(array_, {dim, dim}, rate, part);
  add_rows(rows, gradient, stepper);
  stepper.finish();
}

void FullEmbedding::visit_blocks(MatrixView<const std::uint32_t> rows,
                                 MatrixView<const float> gradient, BlockSink& sink) const {
  add_rows(rows, gradient, sink);
}

void FullEmbedding::save(Document& document) const {
  save_tables(*this, document);
  array_.save(kArray, document);
}

std::unique_ptr<Embedding> FullEmbedding::load(Document& document, TableSet tables) {
  ParameterArray array = ParameterArray::load(document, kArray);
  if (array.size() != tables.num_values()) {
    fail(ExitStatus::bad_input, "tensor '", kArray, "' has ", array.size(), " numbers, expected ",
         tables.num_values());
  }
  auto embedding = std::make_unique<FullEmbedding>(std::move(tables));
  embedding->array_ = std::move(array);
  return embedding;
}

}  // namespace frugal
