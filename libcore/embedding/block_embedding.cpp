#include "libcore/embedding/block_embedding.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/embedding/block_stepper.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/kernels/kernels.h"
#include "libcore/tensors/metadata_reader.h"

namespace frugal {
namespace {

/// Blocks whose places are computed before they are read: they stay in the first cache.
constexpr std::size_t kBlocksAtATime = 512;

/// Working memory that a thread keeps from call to call.
template <class T>
T* at_least(std::vector<T>& memory, std::size_t size) {
  if (memory.size() < size) memory.resize(size);
  return memory.data();
}
thread_local std::vector<std::uint32_t> starts_memory;
thread_local std::vector<float> row_memory;

}  // namespace

BlockEmbedding::BlockEmbedding(TableSet tables, Settings settings, std::uint64_t hashed)
    : ArrayEmbedding(std::move(tables)), settings_(std::move(settings)), hashed_(hashed) {
  const std::size_t dim = this->tables().dim();
  assert(settings_.copies == 1 || settings_.hot.size() == 0);
  for (std::size_t k = 0; k < settings_.copies; ++k) {
    BlockHashOptions options = settings_.hash;
    if (k > 0) options.seed = hash_combine(options.seed, k);
    hashes_.emplace_back(this->tables(), options, hashed);
  }
  settings_.hash.block = hashes_[0].block();
  const std::uint64_t size = hashed + settings_.hot.size() * dim;
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    fail(ExitStatus::usage, "an array of ", size, " numbers, expected fewer than 2^32");
  }
  array_ = ParameterArray(size);
}

void BlockEmbedding::place_hot(std::size_t table, std::uint32_t row, std::uint32_t* starts) const {
  const std::uint32_t number = settings_.hot.find(table, row);
  if (number == HotRows::kNone) return;
  const std::uint64_t begin = hashed_ + std::uint64_t{number} * tables().dim();
  for (std::size_t c = 0; c < hashes_[0].blocks_per_row(); ++c) {
    starts[c] = static_cast<std::uint32_t>(begin + c * hashes_[0].block());
  }
}

void BlockEmbedding::starts_of_samples(std::size_t copy, MatrixView<const std::uint32_t> rows,
                                       std::uint32_t* starts) const {
  hashes_[copy].starts_of_samples(rows, starts);
  if (settings_.hot.size() == 0) return;
  const std::size_t blocks = hashes_[copy].blocks_per_row();
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t t = 0; t < rows.cols; ++t, starts += blocks) place_hot(t, rows(i, t), starts);
  }
}

void BlockEmbedding::starts_of_rows(std::size_t copy, std::size_t table, const std::uint32_t* rows,
                                    std::size_t n, std::uint32_t* starts) const {
  hashes_[copy].starts_of_rows(table, rows, n, starts);
  if (settings_.hot.size() == 0) return;
  const std::size_t blocks = hashes_[copy].blocks_per_row();
  for (std::size_t j = 0; j < n; ++j) place_hot(table, rows[j], starts + j * blocks);
}

/// n rows with the given blocks to out [n, dim].
void BlockEmbedding::read_rows(const std::uint32_t* starts, std::size_t n, float* out) const {
  const std::size_t dim = tables().dim(), block = hashes_[0].block();
  if (dim % block == 0 && !hashes_[0].is_circular()) {
    return array_.gather(starts, n * (dim / block), 1, block, out);
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < dim; i += block, ++starts) {
      const std::size_t length = std::min(block, dim - i);
      // Only hashed blocks are circular; private rows lie behind them.
      const std::uint64_t end = *starts < hashed_ ? hashed_ : array_.size();
      const std::size_t first = std::min<std::uint64_t>(length, end - *starts);
      array_.read({*starts, first}, out + j * dim + i);
      if (first < length) array_.read({0, length - first}, out + j * dim + i + first);
    }
  }
}

void BlockEmbedding::apply_signs(std::size_t copy, std::size_t table, std::uint32_t row,
                                 float* values) const {
  if (settings_.hot.find(table, row) != HotRows::kNone) return;
  for (std::size_t i = 0; i < tables().dim(); ++i) {
    values[i] *= hashes_[copy].sign(table, row, i);
  }
}

void BlockEmbedding::lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const {
  const std::size_t fields = tables().size(), width = fields * tables().dim();
  assert(rows.cols == fields && out.cols == width && out.rows == rows.rows);
  const std::size_t blocks = fields * hashes_[0].blocks_per_row();
  const std::size_t together =
      out.stride == width ? std::max<std::size_t>(1, kBlocksAtATime / blocks) : 1;
  std::uint32_t* starts = at_least(starts_memory, together * blocks);
  for (std::size_t copy = 0; copy < settings_.copies; ++copy) {
    for (std::size_t i = 0; i < rows.rows; i += together) {
      const std::size_t n = std::min(together, rows.rows - i);
      starts_of_samples(copy, rows.rows_between(i, i + n), starts);
      float* to = copy == 0 ? out.row(i) : at_least(row_memory, n * width);
      read_rows(starts, n * fields, to);
      if (hashes_[copy].has_signs()) {
        for (std::size_t j = 0; j < n * fields; ++j) {
          apply_signs(copy, j % fields, rows(i + j / fields, j % fields), to + j * tables().dim());
        }
      }
      if (copy > 0) kernels().axpy(1, to, out.row(i), n * width);
    }
  }
}

void BlockEmbedding::lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                                  MatrixView<float> out) const {
  const std::size_t dim = tables().dim(), blocks = hashes_[0].blocks_per_row();
  assert(out.cols == dim);
  const std::size_t together =
      out.stride == dim ? std::max<std::size_t>(1, kBlocksAtATime / blocks) : 1;
  std::uint32_t* starts = at_least(starts_memory, together * blocks);
  for (std::size_t copy = 0; copy < settings_.copies; ++copy) {
    for (std::size_t i = 0; i < n; i += together) {
      const std::size_t m = std::min(together, n - i);
      starts_of_rows(copy, table, rows + i, m, starts);
      float* to = copy == 0 ? out.row(i) : at_least(row_memory, m * dim);
      read_rows(starts, m, to);
      for (std::size_t j = 0; hashes_[copy].has_signs() && j < m; ++j) {
        apply_signs(copy, table, rows[i + j], to + j * dim);
      }
      if (copy > 0) kernels().axpy(1, to, out.row(i), m * dim);
    }
  }
}

/// Hands the blocks of a row over whose gradient begins at x[source].
template <class Sink>
void BlockEmbedding::add_row(Sink& sink, const float* x, std::size_t source,
                             const std::uint32_t* starts) const {
  const std::size_t dim = tables().dim(), block = hashes_[0].block();
  for (std::size_t i = 0; i < dim; i += block, ++starts) {
    const std::size_t length = std::min(block, dim - i);
    const std::uint64_t end = *starts < hashed_ ? hashed_ : array_.size();
    const std::size_t first = std::min<std::uint64_t>(length, end - *starts);
    sink.add(x, source + i, {*starts, first});
    if (first < length) sink.add(x, source + i + first, {0, length - first});
  }
}

template <class Sink>
void BlockEmbedding::add_rows(MatrixView<const std::uint32_t> rows,
                              MatrixView<const float> gradient, Sink& sink) const {
  const std::size_t fields = tables().size(), dim = tables().dim();
  const std::size_t blocks = hashes_[0].blocks_per_row();
  std::uint32_t* starts = at_least(starts_memory, fields * blocks);
  float* signed_rows = at_least(row_memory, fields * dim);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t copy = 0; copy < settings_.copies; ++copy) {
      starts_of_samples(copy, rows.rows_between(i, i + 1), starts);
      const bool has_signs = hashes_[copy].has_signs() && gradient.data != nullptr;
      const float* x = has_signs ? signed_rows : gradient.data;
      const std::size_t source = has_signs ? 0 : i * gradient.stride;
      if (has_signs) {
        sink.flush();
        std::copy_n(gradient.row(i), fields * dim, signed_rows);
        for (std::size_t t = 0; t < fields; ++t) {
          apply_signs(copy, t, rows(i, t), signed_rows + t * dim);
        }
      }
      for (std::size_t t = 0; t < fields; ++t) {
        add_row(sink, x, source + t * dim, starts + t * blocks);
      }
    }
  }
}

void BlockEmbedding::step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                          float rate, ParameterPart part) {
  BlockStepper stepper(array_, {hashes_[0].block(), 1}, rate, part);
  add_rows(rows, gradient, stepper);
  stepper.finish();
}

void BlockEmbedding::visit_blocks(MatrixView<const std::uint32_t> rows,
                                  MatrixView<const float> gradient, BlockSink& sink) const {
  add_rows(rows, gradient, sink);
}

void BlockEmbedding::save(Document& document) const {
  const BlockHashOptions& o = settings_.hash;
  save_tables(*this, document);
  Metadata& m = document.metadata;
  m["embedding.hash"] = hash_family_name(o.family);
  m["embedding.block"] = std::to_string(o.block);
  m["embedding.sign"] = hashes_[0].has_signs() ? "true" : "false";
  m["embedding.aligned"] = o.aligned ? "true" : "false";
  m["embedding.seed"] = std::to_string(o.seed);
  m["embedding.copies"] = std::to_string(settings_.copies);
  settings_.hot.save(document);
  array_.save(kArray, document);
}

std::unique_ptr<Embedding> BlockEmbedding::load(Document& document, TableSet tables) {
  const MetadataReader read(document);
  Settings settings;
  settings.method = read.text("embedding.method");
  settings.hash.family = hash_family_from_name(read.text("embedding.hash"));
  settings.hash.block = read.number("embedding.block", 1, tables.dim());
  settings.hash.sign = read.flag("embedding.sign");
  settings.hash.aligned = read.flag("embedding.aligned");
  settings.hash.seed = read.number("embedding.seed");
  settings.copies = read.number("embedding.copies", 1, kMaxCopies);
  settings.hot = HotRows::load(document, tables);
  ParameterArray array = ParameterArray::load(document, kArray);
  const std::uint64_t hot = settings.hot.size() * tables.dim();
  if (array.size() <= hot || (hot != 0 && settings.copies != 1)) {
    fail(ExitStatus::bad_input, "tensor '", kArray, "' has ", array.size(),
         " numbers, expected more than the ", hot, " of the hot rows");
  }
  const std::uint64_t hashed = array.size() - hot;
  auto embedding = std::make_unique<BlockEmbedding>(std::move(tables), std::move(settings), hashed);
  embedding->array_ = std::move(array);
  return embedding;
}

}  // namespace frugal
