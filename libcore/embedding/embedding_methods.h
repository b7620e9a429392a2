#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/embedding/block_hash.h"
#include "libcore/embedding/embedding.h"
#include "libcore/embedding/parameter_array.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// How embedding tables are to be kept.
struct EmbeddingOptions {
  std::string method = "robe";
  double compression = 100;  ///< bytes of the full f32 tables / bytes of what is kept
  std::uint64_t bytes = 0;   ///< instead of compression; 0 = that
  BlockHashOptions hash;
  std::size_t copies = 2;          ///< multi
  double hot_share = 0.5;          ///< robe-hot: of the bytes, for rows of their own
  Storage storage = Storage::f32;  ///< as the model will be stored; bytes count in it
  double init = 0;                 ///< bound of the uniform start; 0 = the method's
  std::uint64_t seed = 0;
};

/// How often each row occurs in the training data, by table; where rows are numbered by frequency,
/// all but row 0, that of rare and unknown ids, descend in it. Empty: not known.
using RowCounts = std::vector<std::vector<std::uint32_t>>;

/// One way to keep tables. The table is all there is to say about it: help, names and loading.
struct EmbeddingMethod {
  std::string_view name;
  std::string_view description;  ///< one line for --method's help
  int bits;        ///< of a number where every row is kept, whatever the budget; 0: as it allows
  bool is_hashed;  ///< in blocks as the options say
  /// The fewest numbers that are of use, whatever the budget; 0 where every row is kept.
  std::uint64_t (*fewest_numbers)(const TableSet& tables, const EmbeddingOptions& options);
  std::unique_ptr<Embedding> (*make)(const TableSet& tables, const EmbeddingOptions& options,
                                     const RowCounts& counts);
  /// What save() wrote; errors without a path, for load_embedding() puts it before them.
  std::unique_ptr<Embedding> (*load)(Document& document, TableSet tables);

  bool has_one_size() const { return bits != 0; }
  /// No tables at all can be kept: a model of numbers alone.
  bool keeps_none() const { return bits == 32; }
};
std::span<const EmbeddingMethod> embedding_methods();
/// The row of that name; fails (usage) with the nearest one.
const EmbeddingMethod& find_method(std::string_view name);
/// "robe: .... robe-hot: ....": a sentence for each method.
std::string embedding_method_help();

/// Bytes that options allow.
std::uint64_t byte_budget(const TableSet& tables, const EmbeddingOptions& options);

/// Numbers in the smallest array of blocks that is of use: `rows` rows have as many places as a
/// block has numbers, or one each.
std::uint64_t smallest_array(std::uint64_t rows, std::uint64_t block);
/// The options with the bytes of the smallest tables that are of use where a compression leaves
/// less, which is then warned of; else as they are.
EmbeddingOptions fitting_options(const TableSet& tables, EmbeddingOptions options);

/// Fails (usage) on what is wrong whatever the tables: an unknown method, rows longer than files
/// may hold, blocks that do not go with the rows or the hash.
void check_embedding_options(const EmbeddingOptions& options, std::size_t dim);

/// Tables of random numbers, ready to be trained; once stored in at most byte_budget() bytes, but
/// for methods of one size. Fails (usage) as check_embedding_options(), and on more tables than
/// files may hold, a budget that the method cannot keep, and for robe-hot without counts.
std::unique_ptr<Embedding> make_embedding(const TableSet& tables, const EmbeddingOptions& options,
                                          const RowCounts& counts);

/// The embedding that Embedding::save() wrote, of any method. Fails (bad_input) with `path` on
/// anything else, before memory is taken that the file's size does not bear out. Its large tensors
/// are taken over: they are empty then.
std::unique_ptr<Embedding> load_embedding(Document& document, const std::string& path);

/// Before training: what round_to_storage() will do is known to an embedding that needs to.
void train_for_storage(Embedding& embedding, const EmbeddingOptions& options);
/// The bytes that it will have then.
std::uint64_t bytes_when_stored(const Embedding& embedding, const EmbeddingOptions& options);
/// After training: rounds to the storage and the bits that the options ask for.
void round_to_storage(std::unique_ptr<Embedding>& embedding, const EmbeddingOptions& options);

}  // namespace frugal
