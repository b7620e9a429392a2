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

/// How embedding tables are stored.
struct EmbeddingOptions {
  std::string method = "robe";
  double compression = 100;  ///< bytes of the full f32 tables / bytes stored
  std::uint64_t bytes = 0;   ///< budget in bytes; 0 = given by compression
  BlockHashOptions hash;
  std::size_t copies = 2;          ///< multi: number of blocks that are summed
  double hot_share = 0.5;          ///< robe-hot: share of the bytes for private rows
  Storage storage = Storage::f32;  ///< storage of the model file, in which bytes are counted
  double init = 0;  ///< bound of the uniform initial values; 0 = chosen by the method
  std::uint64_t seed = 0;
};

/// Occurrences of each row in the training data, by table. If rows are numbered by frequency, the
/// counts descend, except for row 0, which stands for rare and unknown ids. Empty: unknown.
using RowCounts = std::vector<std::vector<std::uint32_t>>;

/// A method of storing tables. Help, names and loading all come from the table of these rows.
struct EmbeddingMethod {
  std::string_view name;
  std::string_view description;  ///< one line for --method's help
  /// Bits of a number if every row is stored, whatever the budget; 0: as the budget allows.
  int bits;
  bool is_hashed;  ///< stores blocks as the hash options say
  /// Smallest useful number of parameters, whatever the budget; 0 if every row is stored.
  std::uint64_t (*fewest_numbers)(const TableSet& tables, const EmbeddingOptions& options);
  std::unique_ptr<Embedding> (*make)(const TableSet& tables, const EmbeddingOptions& options,
                                     const RowCounts& counts);
  /// Reads the tensors that save() wrote. Its errors have no path: load_embedding() adds it.
  std::unique_ptr<Embedding> (*load)(Document& document, TableSet tables);

  bool has_one_size() const { return bits != 0; }
  /// Whether the method accepts a set of no tables, for a model of numerical features only.
  bool keeps_none() const { return bits == 32; }
};
std::span<const EmbeddingMethod> embedding_methods();
/// The method of that name. Fails (usage) with the nearest name if there is none.
const EmbeddingMethod& find_method(std::string_view name);
/// Help text, one sentence per method: "robe: .... robe-hot: ....".
std::string embedding_method_help();

/// Budget in bytes that the options allow.
std::uint64_t byte_budget(const TableSet& tables, const EmbeddingOptions& options);

/// Size of the smallest useful array of blocks: `rows` rows must have at least as many possible
/// starts as a block has numbers, or one start each.
std::uint64_t smallest_array(std::uint64_t rows, std::uint64_t block);
/// Raises the budget to that of the smallest useful tables, with a warning, if the compression
/// leaves less; otherwise returns the options unchanged.
EmbeddingOptions fitting_options(const TableSet& tables, EmbeddingOptions options);

/// Checks options that are wrong for any tables. Fails (usage) on an unknown method, rows longer
/// than files allow, or blocks that do not fit the rows or the hash.
void check_embedding_options(const EmbeddingOptions& options, std::size_t dim);

/// Makes tables of random numbers, ready for training. Stored, they take at most byte_budget()
/// bytes, except for methods of fixed size. Fails (usage) as check_embedding_options() does, on
/// more tables than files allow, on a budget that is too small for the method, and for robe-hot
/// without counts.
std::unique_ptr<Embedding> make_embedding(const TableSet& tables, const EmbeddingOptions& options,
                                          const RowCounts& counts);

/// Reads an embedding of any method that Embedding::save() wrote, and moves its large tensors out
/// of the document. Of tensors that the document borrows, it makes copies; or, lent, views, which
/// are not trained. Fails (bad_input) with `path` on anything else, before it allocates more than
/// the file's size justifies.
std::unique_ptr<Embedding> load_embedding(Document& document, const std::string& path,
                                          Elements elements = Elements::copied);

/// Prepares training with the rounding that round_to_storage() will apply, if the storage needs it.
void train_for_storage(Embedding& embedding, const EmbeddingOptions& options);
/// Bytes after round_to_storage().
std::uint64_t bytes_when_stored(const Embedding& embedding, const EmbeddingOptions& options);
/// Rounds a trained embedding to the storage and the bits that the options request.
void round_to_storage(std::unique_ptr<Embedding>& embedding, const EmbeddingOptions& options);

}  // namespace frugal
