#pragma once
#include <cstdint>
#include <functional>

#include "tools/gnn-sample/serve/predict.h"

namespace frugal::gnn {

/// Writes the score (LinkScore) of each pair of nodes in the file options.pairs, by a model of
/// links and, within one type of nodes, their common neighbours in the graph. The file is CSV or
/// TSV with a source and a target in each line; with a header, its columns `source` and `target`
/// are read. The output is a table source, target, score if it is named *.csv, else tensors
/// `sources`, `targets` and `scores`. Fails (usage) for other models and (bad_input) for unknown
/// nodes.
PredictResult score_pairs(const PredictOptions& options,
                          const std::function<void(double)>& progress);

}  // namespace frugal::gnn
