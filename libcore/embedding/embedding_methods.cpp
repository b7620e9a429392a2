#include "libcore/embedding/embedding_methods.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/block_embedding.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/embedding/full_embedding.h"
#include "libcore/embedding/hot_rows.h"
#include "libcore/embedding/qr_embedding.h"
#include "libcore/embedding/quantized_embedding.h"

namespace frugal {
namespace {

/// The reference's: variance 1 / (3 n) for tables of n rows (facebookresearch/dlrm).
double table_bound(std::uint64_t rows) { return std::sqrt(1.0 / static_cast<double>(rows)); }

/// Rows of about the same small length whatever their dimension. Ten times as much, the published
/// codes' choice for Criteo, costs several points of AUC in one pass (0.694 instead of 0.749: 100
/// times smaller, 200,000 generated samples, adagrad).
double shared_bound(const TableSet& tables, const EmbeddingOptions& o) {
  return o.init > 0 ? o.init : 0.1 / std::sqrt(static_cast<double>(tables.dim()));
}

std::unique_ptr<Embedding> make_blocks(const TableSet& tables, const EmbeddingOptions& o,
                                       BlockEmbedding::Settings settings) {
  const std::uint64_t bytes = byte_budget(tables, o);
  const std::uint64_t hot = settings.hot.size() * tables.dim();
  const std::uint64_t keys = std::min(bytes, settings.hot.num_key_bytes());
  const std::uint64_t size = numbers_in(o.storage, bytes - keys);
  const std::uint64_t block = settings.hash.block != 0 ? settings.hash.block : tables.dim();
  if (size < hot + block) {
    fail(ExitStatus::usage, format_bytes(bytes),
         " for the embeddings, expected room for a block of ", block,
         " numbers; take a lower --compression, or more --bytes");
  }
  auto embedding = std::make_unique<BlockEmbedding>(tables, std::move(settings), size - hot);
  const double copies = static_cast<double>(embedding->settings().copies);
  embedding->array().fill_uniform(0, size, shared_bound(tables, o) / std::sqrt(copies), o.seed);
  return embedding;
}

std::unique_ptr<Embedding> make_robe(const TableSet& tables, const EmbeddingOptions& o,
                                     const RowCounts&) {
  return make_blocks(tables, o, {.method = "robe", .hash = o.hash, .hot = {}});
}

std::unique_ptr<Embedding> make_hot(const TableSet& tables, const EmbeddingOptions& o,
                                    const RowCounts& counts) {
  if (counts.empty()) {
    fail(ExitStatus::usage, "robe-hot needs to know how often rows occur: count the ids");
  }
  const std::uint64_t size = numbers_in(o.storage, byte_budget(tables, o));
  const auto rows =
      static_cast<std::uint64_t>(static_cast<double>(size) * o.hot_share) / tables.dim();
  const std::vector<std::uint64_t> hot = heaviest_rows(rows, [&](const auto& use) {
    for (const auto& of_table : counts) std::for_each(of_table.begin(), of_table.end(), use);
  });
  return make_blocks(tables, o,
                     {.method = "robe-hot", .hash = o.hash, .hot = HotRows::of(tables, hot)});
}

std::unique_ptr<Embedding> make_hash(const TableSet& tables, const EmbeddingOptions& o,
                                     const RowCounts&) {
  BlockHashOptions hash{.block = tables.dim(), .aligned = true, .seed = o.hash.seed};
  return make_blocks(tables, o, {.method = "hash", .hash = hash, .hot = {}});
}

std::unique_ptr<Embedding> make_multi(const TableSet& tables, const EmbeddingOptions& o,
                                      const RowCounts&) {
  return make_blocks(tables, o, {.method = "multi", .hash = o.hash, .copies = o.copies, .hot = {}});
}

std::unique_ptr<Embedding> make_full(const TableSet& tables, const EmbeddingOptions& o,
                                     const RowCounts&) {
  auto embedding = std::make_unique<FullEmbedding>(tables);
  const std::size_t dim = tables.dim();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const std::uint64_t begin = tables.first_row(t) * dim;
    embedding->array().fill_uniform(begin, begin + tables.table(t).rows * dim,
                                    o.init > 0 ? o.init : table_bound(tables.table(t).rows),
                                    o.seed);
  }
  return embedding;
}

std::unique_ptr<Embedding> make_qr(const TableSet& tables, const EmbeddingOptions& o,
                                   const RowCounts&) {
  const std::uint64_t size = numbers_in(o.storage, byte_budget(tables, o));
  const std::uint64_t divisor = QrEmbedding::divisor_for(tables, size);
  if (divisor == 0) {
    fail(ExitStatus::usage, "quotient and remainder tables cannot be as small as ",
         format_bytes(byte_budget(tables, o)), "; take a lower --compression");
  }
  auto embedding = std::make_unique<QrEmbedding>(tables, divisor);
  std::vector<double> bounds;
  for (const TableShape& table : tables.tables()) {
    bounds.push_back(o.init > 0 ? o.init : table_bound(table.rows));
  }
  embedding->fill(bounds, o.seed);
  return embedding;
}

std::uint64_t all_rows(const TableSet&, const EmbeddingOptions&) { return 0; }
std::uint64_t fewest_in_blocks(const TableSet& tables, const EmbeddingOptions& o) {
  return smallest_array(tables.num_rows(), o.hash.block != 0 ? o.hash.block : tables.dim());
}
std::uint64_t fewest_in_rows(const TableSet& tables, const EmbeddingOptions&) {
  return smallest_array(tables.num_rows(), tables.dim());
}
std::uint64_t fewest_in_qr(const TableSet& tables, const EmbeddingOptions&) {
  return QrEmbedding::smallest_size(tables);
}

template <int Bits>
std::unique_ptr<Embedding> load_quantized(Document& document, TableSet tables) {
  return QuantizedEmbedding::load(document, std::move(tables), Bits);
}

constexpr std::array kMethods{
    EmbeddingMethod{"robe", "rows are made of blocks of one shared array", 0, true,
                    fewest_in_blocks, make_robe, BlockEmbedding::load},
    EmbeddingMethod{"robe-hot", "as robe, with rows of their own for the most frequent categories",
                    0, true, fewest_in_blocks, make_hot, BlockEmbedding::load},
    EmbeddingMethod{"hash", "the hashing trick, in which categories share whole rows", 0, false,
                    fewest_in_rows, make_hash, BlockEmbedding::load},
    EmbeddingMethod{"multi", "rows are sums of several blocks of one shared array", 0, true,
                    fewest_in_blocks, make_multi, BlockEmbedding::load},
    EmbeddingMethod{"qr", "rows are products of a quotient's row and a remainder's row", 0, false,
                    fewest_in_qr, make_qr, QrEmbedding::load},
    EmbeddingMethod{"full", "one row for each category", 32, false, all_rows, make_full,
                    FullEmbedding::load},
    EmbeddingMethod{"int8", "full tables, rounded to 8 bits a number after training", 8, false,
                    all_rows, make_full, load_quantized<8>},
    EmbeddingMethod{"int4", "full tables, rounded to 4 bits a number after training", 4, false,
                    all_rows, make_full, load_quantized<4>}};

}  // namespace

std::span<const EmbeddingMethod> embedding_methods() { return kMethods; }

const EmbeddingMethod& find_method(std::string_view name) {
  std::vector<std::string> names;
  for (const EmbeddingMethod& method : kMethods) {
    if (method.name == name) return method;
    names.emplace_back(method.name);
  }
  fail(ExitStatus::usage, "unknown method '", printable(name), "'", did_you_mean(name, names));
}

std::string embedding_method_help() {
  std::string text;
  for (const EmbeddingMethod& method : kMethods) {
    if (!text.empty()) text += ". ";
    ((text += method.name) += ": ") += method.description;
  }
  return text;
}

std::uint64_t byte_budget(const TableSet& tables, const EmbeddingOptions& options) {
  if (options.bytes != 0) return options.bytes;
  return static_cast<std::uint64_t>(static_cast<double>(tables.num_values() * sizeof(float)) /
                                    options.compression);
}

std::uint64_t smallest_array(std::uint64_t rows, std::uint64_t block) {
  return block + std::min(rows, block);
}

EmbeddingOptions fitting_options(const TableSet& tables, EmbeddingOptions options) {
  const EmbeddingMethod& method = find_method(options.method);
  const std::uint64_t asked = byte_budget(tables, options);
  const std::uint64_t fewest =
      stored_bytes(options.storage, method.fewest_numbers(tables, options));
  if (options.bytes != 0 || asked >= fewest) return options;
  const double full = static_cast<double>(tables.num_values() * sizeof(float));
  log_warning("--compression ", format_number(options.compression), " leaves ", format_bytes(asked),
              " for ", format_count(tables.num_rows(), "row"), " of ",
              format_count(tables.dim(), "number"), ", too few for ", options.method, ": ",
              format_bytes(fewest), " are kept in ", storage_name(options.storage), ", ",
              format_number(full / static_cast<double>(fewest), 3), "x");
  options.bytes = fewest;
  return options;
}

void check_embedding_options(const EmbeddingOptions& options, std::size_t dim) {
  const EmbeddingMethod& method = find_method(options.method);
  if (dim == 0 || dim > kMaxDim) {
    fail(ExitStatus::usage, "rows of ", dim, " numbers, expected 1 to ", kMaxDim);
  }
  if (method.is_hashed) check_hash_options(options.hash, dim);
}

std::unique_ptr<Embedding> make_embedding(const TableSet& tables, const EmbeddingOptions& options,
                                          const RowCounts& counts) {
  check_embedding_options(options, tables.dim());
  if (tables.size() > kMaxTables) {
    fail(ExitStatus::usage, tables.size(), " tables, expected at most ", kMaxTables);
  }
  auto embedding = find_method(options.method).make(tables, options, counts);
  train_for_storage(*embedding, options);
  return embedding;
}

std::unique_ptr<Embedding> load_embedding(Document& document, const std::string& path,
                                          Elements elements) try {
  for (Tensor& tensor : document.tensors) {
    const bool is_borrowed = !tensor.lent.empty() && tensor.name.starts_with("embedding.");
    if (is_borrowed && elements == Elements::copied) tensor = tensor.clone();
  }
  const auto name = document.metadata.find(kMethodKey);
  if (name == document.metadata.end()) {
    fail(ExitStatus::bad_input, "metadata '", kMethodKey,
         "' is missing: not a file of robe-compress");
  }
  for (const EmbeddingMethod& method : kMethods) {
    if (method.name != name->second) continue;
    return method.load(document, load_tables(document, method.keeps_none() ? 0 : 1));
  }
  fail(ExitStatus::bad_input, "metadata '", kMethodKey, "' is '", printable(name->second),
       "', which this version does not know");
} catch (const Error& error) {
  fail(ExitStatus::bad_input, path, ": ", error.what());
}

void train_for_storage(Embedding& embedding, const EmbeddingOptions& options) {
  if (find_method(options.method).bits != 0 && options.method != "full") return;
  if (auto* numbers = dynamic_cast<ArrayEmbedding*>(&embedding)) {
    numbers->array().train_for(options.storage);
  }
}

std::uint64_t bytes_when_stored(const Embedding& embedding, const EmbeddingOptions& options) {
  const EmbeddingMethod& method = find_method(options.method);
  if (method.bits == 8 || method.bits == 4) {
    return QuantizedEmbedding::size_for(embedding.tables(), method.bits);
  }
  const auto* numbers = dynamic_cast<const ArrayEmbedding*>(&embedding);
  if (numbers == nullptr) return embedding.num_bytes();
  const std::uint64_t keys = embedding.num_bytes() - numbers->array().num_bytes();
  return keys + stored_bytes(options.storage, numbers->array().size());
}

void round_to_storage(std::unique_ptr<Embedding>& embedding, const EmbeddingOptions& options) {
  const EmbeddingMethod& method = find_method(options.method);
  if (method.bits == 8 || method.bits == 4) {
    embedding = QuantizedEmbedding::make(*embedding, method.bits);
  } else if (auto* numbers = dynamic_cast<ArrayEmbedding*>(embedding.get())) {
    numbers->array().store_as(options.storage);
  }
}

}  // namespace frugal
