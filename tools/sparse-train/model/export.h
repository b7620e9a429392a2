#pragma once
#include <string>

namespace frugal::sparse {

struct ExportOptions {
  std::string model;
  std::string output = "-";
  bool int8 = false;               ///< write a model whose network's weights are bytes
  std::string embeddings;          ///< "labels" or "features": write that table of the network
  bool label_names = false;        ///< write a name a line
  std::size_t label_features = 0;  ///< write so many features of each label; 0: none
  std::string history_entry;       ///< of this run, for the model's history
};

/// Writes a part of a model, or the model in another form; exactly one of int8, embeddings,
/// label_names and label_features must be chosen. Embeddings by the suffix of `output`: .npy, one
/// matrix; .txt or .tsv, lines of name and numbers, tab-separated; else a tensor file with "weight"
/// [rows, width], for labels "bias" [rows], "names" and "name_ends". Fails (usage) where the model
/// has no such part.
void export_model(const ExportOptions& options);

}  // namespace frugal::sparse
