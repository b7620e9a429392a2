#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/view.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {

/// Mean softmax cross-entropy over the rows that have a label; a negative label means none.
/// gradient: by the logits, [rows, classes]; 0 in rows without a label.
double class_loss(MatrixView<const float> logits, std::span<const std::int32_t> labels,
                  RowStore& gradient);

/// Mean logistic loss over rows and columns. labels: [rows, columns], 1 if the row has the label,
/// otherwise 0.
double label_loss(MatrixView<const float> logits, std::span<const std::uint8_t> labels,
                  RowStore& gradient);

/// Mean squared error over the rows that have a value; NaN means none. outputs: [rows, 1].
double value_loss(MatrixView<const float> outputs, std::span<const float> values,
                  RowStore& gradient);

/// Pairs of rows: links first, then negatives.
struct LinkPairs {
  std::span<const std::uint32_t> sources, targets;
  std::size_t links = 0;
};

/// Mean over the pairs of the logistic loss of their rows' dot product. gradient: by the rows.
double link_loss(MatrixView<const float> rows, const LinkPairs& pairs, RowStore& gradient);

/// Targets of a batch's outputs: one of classes, label rows, values or link pairs.
struct BatchTargets {
  std::span<const std::int32_t> labels = {};
  std::span<const std::uint8_t> label_rows = {};
  LinkPairs pairs = {};
  std::span<const float> values = {};
};

/// Computes the loss for whichever target is set.
double batch_loss(MatrixView<const float> outputs, const BatchTargets& targets, RowStore& gradient);

}  // namespace frugal::gnn
