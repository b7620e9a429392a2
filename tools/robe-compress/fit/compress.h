#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/robe-compress/fit/array_fit.h"
#include "tools/robe-compress/fit/table_errors.h"
#include "tools/robe-compress/run/training.h"

namespace frugal::robe {

struct CompressOptions {
  std::string tables;  ///< or a model of train
  std::string output;
  std::vector<std::string> names;  ///< which tensors are tables; none: all
  std::string counts;              ///< file; "" = tensors NAME.counts of the tables' file, if any
  /// robe: rows share numbers; int8, int4: rows of so many bits a number; auto: every row in the
  /// type with the smallest error in the bytes that fit.compression leaves, else robe.
  std::string method = "auto";
  FitOptions fit;
  std::string fine_tune;  ///< of a model: samples to train the compressed one on; "" = none
  /// Samples that the model was not trained on: what is best on them is written, an epoch or the
  /// model as it was fitted; "" = the last epoch.
  std::string validation;
  int fine_tune_epochs = 1;
  double fine_tune_rate = 0;  ///< 0 = by the optimizer
  std::uint64_t seed = 0;
  std::string config;
  std::string history_entry;  ///< of this run, for frugal.history
};

struct CompressResult {
  TableSet tables;
  std::uint64_t bytes_before = 0;  ///< of the tables as they are stored
  std::uint64_t bytes_after = 0;
  bool weighted = false;
  std::string method;            ///< that was taken: robe, robe-hot, full, int8 or int4
  std::vector<FitTrial> trials;  ///< of rows that share numbers
  std::size_t chosen = 0;
  int passes = 1;
  FitMemory memory;
  std::string storage;  ///< of an array's numbers
  /// Nothing where rows came from a pipe, which cannot be read again.
  std::optional<double> relative_error;
  std::optional<double> error_without_counts;  ///< of an array fitted as if all rows were alike
  std::vector<double> table_errors;            ///< nothing where a pipe cannot be read again
  std::optional<TrainResult> fine_tuning;
};

/// Called with what is being done, and the bytes of the input read so far and in all.
using CompressProgress = std::function<void(const std::string& task, double done, double total)>;

/// Makes an array file of trained tables, which are never in memory, or a small model of a large
/// one. Errors: those of TableFile, counts and fit_array().
CompressResult compress_tables(const CompressOptions& options, const CompressProgress& progress);

}  // namespace frugal::robe
