#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libcore/embedding/embedding_methods.h"
#include "libcore/embedding/table_set.h"
#include "libcore/metrics/classification.h"
#include "libcore/train/training_run.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/data/click_options.h"
#include "tools/robe-compress/data/unknown_values.h"
#include "tools/robe-compress/evaluate.h"
#include "tools/robe-compress/joint_options.h"
#include "tools/robe-compress/network/architecture.h"
#include "tools/robe-compress/network/network.h"

namespace frugal::robe {

class ClickData;
struct ClickModel;
struct EpochTrial;
struct HotTrial;
struct L2Trial;

/// Everything that `robe-compress train` is told.
struct TrainOptions : TrainerSettings {
  std::string data;
  std::string model;       ///< file to write
  std::string validation;  ///< labelled samples to evaluate after each epoch; "" = those held out
  std::string init;        ///< model to go on from, with its columns, tables and network; "" = none
  ClickOptions input;
  bool stream = false;  ///< train while reading: one pass, any size, ids hashed or numbered

  std::size_t dim = 16;
  EmbeddingOptions embedding;
  bool find_storage = false;   ///< storage_for() the bytes instead of the embedding's
  bool find_hot_share = true;  ///< robe-hot: try shares instead of taking the embedding's
  /// Tables that are small are kept whole, with what is good for them; larger ones get as many
  /// bytes or a hundredth of their own.
  bool find_size = false;
  NetworkOptions network;

  std::string optimizer = "adam";
  double learning_rate = 0;  ///< highest; 0 = by the optimizer
  double embedding_rate =
      0;  ///< of the embeddings; 0 = as much higher as is good for the optimizer
  std::string schedule = "auto";  ///< constant where validation ends the run, else linear
  double warm_up = -1;            ///< share of the steps; -1 = by the optimizer
  float weight_decay = 0;         ///< of the layers' weights
  float embedding_decay = 0;      ///< of the rows of a sample
  /// Penalty of the rows of all tables, and of the weights of a linear model: the loss of an epoch
  /// has half of it times their squares.
  float embedding_l2 = 0;
  bool find_l2 = false;        ///< try strengths for a linear model
  std::size_t batch_size = 0;  ///< 0 = by the number of samples
  int epochs = 0;              ///< 0 = as many as validation finds good
  int patience = 0;  ///< epochs without a better validation before the end; 0 = all epochs, where
                     ///< they are not given by the number of samples
  std::uint64_t steps = 0;  ///< at most; 0 = all
  bool asynchronous = false;
  JointOptions joint;

  std::string test;         ///< labelled samples to evaluate the final model on, once; "" = none
  bool exact_size = false;  ///< refuse a compression that is too high instead of lowering it
  /// Options that are given and do nothing without columns of categories, of numbers.
  std::vector<std::string> for_categories, for_numbers;
  /// Options that are given where small tables would choose, and those that say how tables are
  /// kept.
  std::vector<std::string> for_small, for_tables;
  /// Options that are given and say what the model is.
  std::vector<std::string> for_choice;
};

/// What a training is about.
struct TrainFacts {
  std::uint64_t samples = 0;  ///< 0: streamed, not known
  int epochs = 1;             ///< to be trained; 0: until validation ends it
  std::string architecture;
  std::string method;
  std::string storage;
  std::size_t dim = 0;
  std::uint64_t rows = 0;  ///< of all tables
  std::uint64_t full_bytes = 0;
  std::uint64_t embedding_bytes = 0;
  std::uint64_t embedding_parameters = 0;
  std::uint64_t network_parameters = 0;
  std::vector<ColumnFacts> columns;
  std::vector<std::string> description;  ///< of the data and of what was chosen, a line each
};

/// What a run chooses among where small tables are kept whole and no option says what the model is,
/// with their figures on samples that they were not trained on.
struct ModelCandidates {
  LearntFigures network_figures, linear_figures, mean_figures;
  double l2 = 0;  ///< of the linear model

  /// mean: of the logits of both.
  enum Name { network, linear, mean };
  /// The one with the lowest log-loss.
  Name best() const;
};

/// Where a training run tells what it does. Functions may be empty.
struct TrainObserver {
  RunLog* log = nullptr;
  std::function<void(const std::vector<HotTrial>&)> tried;
  std::function<void(const TrainOptions& options, const std::vector<EpochTrial>&)> tried_epochs;
  std::function<void(const L2Trial& trial)> tried_linear;
  std::function<void(const ModelCandidates&)> compared;
  std::function<void(const TrainFacts&)> begun;
  std::function<void(double samples_done, const std::string& note)> progress;
  std::function<void(int epoch, const BinaryMetrics&)> validated;
};

/// Of streamed samples fit_seconds are with reading.
struct TrainResult : RunFigures {
  TrainFacts facts;
  double of_share = 0;  ///< the loss of always predicting the share of clicks
  double read_seconds = 0;
  double search_seconds = 0;  ///< for finding the epochs
  double write_seconds = 0;
  std::optional<BinaryMetrics> validation;  ///< of the model that is written
  /// Values unknown to a model that is trained further, in the samples and in --validation.
  std::vector<UnknownValues> unknown, validation_unknown;
  double hot_share = 0;                       ///< robe-hot: of the bytes
  std::optional<ModelCandidates> candidates;  ///< that the run chose among
  std::optional<BinaryMetrics> test;          ///< of the same, on other samples, if asked for
};

/// Fails (usage) where an option is given about columns that there are none of.
void check_columns(const TrainOptions& options, const ClickEncoder& encoder);

/// Reads the data, trains, writes the model.
TrainResult train(const TrainOptions& options, const TrainObserver& observer);
/// The same from a model, as it is if no epoch validates better.
TrainResult train(ClickModel start, const TrainOptions& options, const TrainObserver& observer);
/// The same on data that were read before; no model is written if options.model is "".
TrainResult train(ClickData& data, const TrainOptions& options, const TrainObserver& observer);

/// Fails (unavailable) where a model of these options, with the optimiser's state, does not fit
/// into the memory that is left: before it is made, for the kernel would end the process later.
void check_training_memory(const TrainOptions& options, const TableSet& tables,
                           const NetworkShape& shape);

}  // namespace frugal::robe
