#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/arrays/row_file.h"

namespace frugal {

/// Batches of fixed shapes: what varies in size is padded so that padding changes no result. Ids of
/// padding point at row 0 of what they number, a dummy that no other row points at; values of
/// padding are 0, masks say which rows are real.

/// What batches have different numbers of: nodes, edges ...
struct BatchAxis {
  std::string name;
  bool has_dummy = false;  ///< row 0 is one, real rows begin at 1: an axis that ids point into
  std::uint64_t size = 0;  ///< of all batches, with the dummy; 0: by size classes
};

enum class ArrayRole : std::uint8_t {
  values,  ///< any numbers
  ids,     ///< rows of another axis, moved behind its dummy
  mask     ///< whether the row is real
};

/// An array that all batches have: [parts, rows of the axis, columns].
struct BatchArray {
  std::string name;
  ArrayRole role = ArrayRole::values;
  std::size_t axis = 0;                ///< whose rows it has
  std::size_t into = 0;                ///< ids: the axis whose rows they are
  Dtype dtype = Dtype::f32;            ///< ids: I32; mask: BOOL
  std::size_t parts = 0, columns = 0;  ///< 0: no such dimension
};

/// Rows of each axis, with the dummy: what a program is compiled for.
using BatchShape = std::vector<std::uint64_t>;

/// Few shapes that hold all batches.
struct BatchShapes {
  std::vector<BatchShape> shapes;
  std::vector<std::size_t> of_batch;  ///< [batches] into shapes

  /// counts: real rows of each batch, [batches, axes]. Classes are those of one axis, `key`; the
  /// other axes of a class are as large as its batches need. Fails as SizeLadder::class_of().
  static BatchShapes choose(std::span<const BatchAxis> axes, std::span<const BatchShape> counts,
                            std::size_t key, std::size_t most_shapes);
};

/// Of a batch.
std::vector<std::uint64_t> padded_shape(const BatchArray& array, const BatchShape& shape);
std::size_t padded_bytes(const BatchArray& array, const BatchShape& shape);

/// Writes the array of a batch with so many real rows, [parts, count, columns] at `from`, padded to
/// `to`, [padded_bytes()]. Of a mask `from` is not read.
void pad_array(std::span<const BatchAxis> axes, const BatchArray& array, const BatchShape& shape,
               std::size_t count, const void* from, void* to);

/// All batches of a file.
struct StaticBatches {
  std::vector<BatchAxis> axes;
  std::vector<BatchArray> arrays;
  std::vector<BatchShape> counts;  ///< [batches, axes]
  BatchShapes shapes;
  /// The rows of array number `array` in a batch, as pad_array() takes them, good until the next
  /// call.
  std::function<const void*(std::size_t batch, std::size_t array)> rows;

  /// Of the rows of an axis in all batches those that are real.
  double real_share(std::size_t axis) const;
  /// Adds tensors `batches.<shape>.<array>` [batches of that shape, ...], which the fillers make,
  /// and batches.<shape>.number, which batches they are. All outlive the fillers.
  void add_to(Document& document, RowFillers& fillers) const;
};

}  // namespace frugal
