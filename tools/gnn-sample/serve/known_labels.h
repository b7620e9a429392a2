#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/gnn-sample/serve/model_on_graph.h"

namespace frugal::gnn {

/// The numbers that names of classes, a line each, are written as; empty if one is a word.
std::vector<std::int32_t> class_numbers(const std::string& names);

/// Labels of the nodes of a graph as classes of a model. Borrows the arrays of the graph.
class KnownLabels {
 public:
  /// Classes are matched by their names, or by their numbers if they have none: a graph may have
  /// some of the classes only. Names on one side and numbers on the other are matched in order,
  /// with a warning. Fails (usage, bad_input) if there are no labels, if they are of another kind
  /// than the model's, or if a node has a class that the model does not know.
  KnownLabels(const ModelOnGraph& work, const std::string& model_path);

  /// The nodes with those labels.
  const NodeSet& set() const { return set_; }

 private:
  bool match_names(const std::string& names, const std::string& known, std::size_t num_known);

  NodeSet set_;
  std::vector<std::int32_t> labels_;  ///< of the set, if they are not the graph's
};

}  // namespace frugal::gnn
