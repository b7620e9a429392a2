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

/// The embedding tables of a model, however they are stored. A batch is a matrix of rows
/// [samples, tables]: the row that each sample takes of each table, below the table's rows; its
/// embeddings are [samples, tables * dim].
class Embedding {
 public:
  virtual ~Embedding() = default;

  const TableSet& tables() const { return tables_; }
  /// "robe", "full" ...: the row of the method table that made it.
  virtual const char* method() const = 0;
  /// Parameters, and the bytes that they and their keys take as stored.
  virtual std::uint64_t num_parameters() const = 0;
  virtual std::uint64_t num_bytes() const = 0;

  /// out[i, t * dim .. (t + 1) * dim) = row rows(i, t) of table t. On the calling thread; any
  /// number of threads at a time.
  virtual void lookup(MatrixView<const std::uint32_t> rows, MatrixView<float> out) const = 0;
  /// `n` rows of one table; out: [n, dim].
  virtual void lookup_table(std::size_t table, const std::uint32_t* rows, std::size_t n,
                            MatrixView<float> out) const = 0;

  /// Makes room for the optimiser's state; call before step().
  virtual void prepare_training(const OptimizerOptions& optimizer) = 0;
  /// One step of the parameters that belong to `part` with the transpose of lookup() applied to
  /// gradient: [samples, tables * dim]. Parts may be stepped by different threads at the same time;
  /// together they give the same bits as one part alone.
  virtual void step(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                    float rate, ParameterPart part) = 0;

  /// Steps after which refresh() is due, for batches of so many samples: often enough to follow
  /// them, and no more work than they are. 0: never.
  virtual std::uint64_t refresh_interval(std::size_t) const { return 0; }
  /// Brings up to date what look-ups of a model in training need besides its numbers. No other
  /// call at the same time.
  virtual void refresh() {}

  /// Appends tensors "embedding.*" and metadata "embedding.*" that load_embedding() reads. Large
  /// tensors, here and of save_state(), are lent: the document is good until the next step().
  virtual void save(Document& document) const = 0;
  /// The optimiser's state, for checkpoints: tensors "embedding.state.*".
  virtual void save_state(Document& document) const = 0;
  /// Fails (bad_input) with `path` where a tensor is missing or of another type or shape.
  virtual void load_state(Document& document, const std::string& path) = 0;

 protected:
  explicit Embedding(TableSet tables) : tables_(std::move(tables)) {}

 private:
  TableSet tables_;
};

}  // namespace frugal
