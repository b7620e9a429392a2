#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/embedding/embedding_methods.h"
#include "libcore/train/training_run.h"
#include "tools/robe-compress/columns/click_options.h"
#include "tools/robe-compress/network/architecture.h"
#include "tools/robe-compress/settings/joint_options.h"

namespace frugal::robe {

/// Options of `robe-compress train`.
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
  std::uint64_t steps = 0;    ///< at most; 0 = all
  bool asynchronous = false;  ///< no effect; an option of version 1.0
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

/// Returns true where only validation decides how many epochs a run has.
inline bool ends_by_validation(const TrainOptions& options) {
  return options.epochs == 0 && options.steps == 0 && !options.stream;
}

}  // namespace frugal::robe
