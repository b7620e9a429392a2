#pragma once
#include <functional>
#include <vector>

#include "libcore/embedding/embedding.h"
#include "tools/robe-compress/fit/row_weights.h"
#include "tools/robe-compress/fit/table_source.h"

namespace frugal::robe {

/// sqrt(sum_r w_r |E_r - L_r|^2 / sum_r w_r |E_r|^2), L being what is looked up; 0 of tables whose
/// rows are all 0 or never occur.
struct TableErrors {
  double all = 0;
  std::vector<double> tables;
};

/// One more pass over the tables.
TableErrors table_errors(TableSource& file, const RowWeights& weights, const Embedding& embedding,
                         const std::function<void(double done)>& progress);

}  // namespace frugal::robe
