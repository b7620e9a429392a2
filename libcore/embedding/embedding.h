#pragma once
#include <cstddef>
#include <cstdint>

#include "libcore/base/view.h"
#include "libcore/embedding/table_set.h"
#include "libcore/nn/optimizer.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// One of `count` disjoint parts of an embedding's parameters.
struct ParameterPart {
  std::size_t index = 0;
  std::size_t count = 1;
};

/// The embedding tables of a model, however they are stored. A batch is a matrix of row numbers
/// [samples, tables]: each sample selects one row of each table. Its embeddings are [samples,
/// tables * dim].
class Embedding {
 public:
  virtual ~Embedding() = default;

  const TableSet& tables() const { return tables_; }
  /// Name in the table of methods: "robe", "full" ....
  virtual const char* method() const = 0;
  /// Number of parameters, and bytes of parameters and keys as stored.
  virtual std::uint64_t num_parameters() const = 0;
  virtual std::uint64_t num_bytes() const = 0;

  /// out[i, t * dim .. (t + 1) * dim) = row rows(i, t) of table t. Runs on the calling thread; any
  /// number of threads may call it at a time.
  virtual void lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const = 0;
  /// Reads `n` rows of one table; out: [n, dim].
  virtual void lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                            MatrixView<float> out) const = 0;

  /// Allocates the optimiser's state; call it before step().
  virtual void prepare_training(const OptimizerOptions& optimizer) = 0;
  /// Steps the parameters that belong to `part`, with the transpose of lookup() applied to gradient
  /// [samples, tables * dim]. Different threads may step different parts at the same time; the
  /// result is bitwise equal to that of a single part.
  virtual void step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                    float rate, ParameterPart part) = 0;

  /// Number of steps, for batches of so many samples, after which refresh() is due; chosen so that
  /// it costs no more than the steps. 0: never.
  virtual std::uint64_t refresh_interval(std::size_t) const { return 0; }
  /// Updates data derived from the numbers that look-ups during training use. No other call may run
  /// at the same time.
  virtual void refresh() {}

  /// Appends tensors and metadata "embedding.*" for load_embedding(). Large tensors, here and in
  /// save_state(), are borrowed: the document is valid until the next step().
  virtual void save(Document& document) const = 0;
  /// Appends the optimiser's state for checkpoints: tensors "embedding.state.*".
  virtual void save_state(Document& document) const = 0;
  /// Fails (bad_input) with `path` if a tensor is missing or has another type or shape.
  virtual void load_state(Document& document, const std::string& path) = 0;

 protected:
  explicit Embedding(TableSet tables) : tables_(std::move(tables)) {}

 private:
  TableSet tables_;
};

}  // namespace frugal
