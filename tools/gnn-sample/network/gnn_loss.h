#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/view.h"
#include "tools/gnn-sample/network/row_chunks.h"

namespace frugal::gnn {

/// Mean cross-entropy of the softmax of each row over the rows that have a label, one of -1 or
/// below has none; gradient: of it by the logits, [rows, classes], rows without a label 0.
double class_loss(MatrixView<const float> logits, std::span<const std::int32_t> labels,
                  RowStore& gradient);

/// The mean over rows and columns of the logistic losses of each logit; labels: [rows, columns], 1
/// where a row has the label, else 0.
double label_loss(MatrixView<const float> logits, std::span<const std::uint8_t> labels,
                  RowStore& gradient);

/// Pairs of rows: links first, then pairs that are none.
struct LinkPairs {
  std::span<const std::uint32_t> sources, targets;
  std::size_t links = 0;
};

/// The mean over the pairs of the logistic loss of the dot product of their rows; gradient: of it
/// by the rows.
double link_loss(MatrixView<const float> rows, const LinkPairs& pairs, RowStore& gradient);

/// What a batch's outputs are to be: classes, or which labels each row has, or links.
struct BatchTargets {
  std::span<const std::int32_t> labels;
  std::span<const std::uint8_t> label_rows;
  LinkPairs pairs;
};

/// One of these losses.
double batch_loss(MatrixView<const float> outputs, const BatchTargets& targets, RowStore& gradient);

}  // namespace frugal::gnn
