#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/arrays/row_file.h"

namespace frugal {

/// Batches of fixed shapes, for devices that need them. Arrays are padded so that padding does not
/// change a result. Ids in padding refer to row 0 of their axis, a dummy row that no real row
/// refers to; values in padding are 0; masks mark the real rows.

/// An axis whose length varies between batches: nodes, edges ....
struct BatchAxis {
  std::string name;
  /// Row 0 is a dummy and real rows begin at 1, for axes that ids refer to.
  bool has_dummy = false;
  std::uint64_t size = 0;  ///< fixed length including the dummy; 0: a size class
};

enum class ArrayRole : std::uint8_t {
  values,  ///< any numbers
  ids,     ///< row numbers of another axis, shifted by its dummy
  mask     ///< 1 for real rows, 0 for padding
};

/// An array of every batch: [parts, rows of the axis, columns].
struct BatchArray {
  std::string name;
  ArrayRole role = ArrayRole::values;
  std::size_t axis = 0;                ///< axis of its rows
  std::size_t into = 0;                ///< ids: axis that they refer to
  Dtype dtype = Dtype::f32;            ///< ids: I32; mask: BOOL
  std::size_t parts = 0, columns = 0;  ///< 0: no such dimension
};

/// Padded length of each axis, dummy included: the shape that a program is compiled for.
using BatchShape = std::vector<std::uint64_t>;

/// A few shapes, one of which holds each batch.
struct BatchShapes {
  std::vector<BatchShape> shapes;
  std::vector<std::size_t> of_batch;  ///< [batches] index into shapes

  /// Chooses shapes. counts: real rows of each batch, [batches, axes]. Size classes are formed on
  /// the axis `key`; the other axes of a class are as long as its batches need. Fails as
  /// SizeLadder::class_of() does.
  static BatchShapes choose(std::span<const BatchAxis> axes, std::span<const BatchShape> counts,
                            std::size_t key, std::size_t most_shapes);
};

/// Shape and bytes of a batch's padded array.
std::vector<std::uint64_t> padded_shape(const BatchArray& array, const BatchShape& shape);
std::size_t padded_bytes(const BatchArray& array, const BatchShape& shape);

/// Copies an array with `count` real rows, [parts, count, columns] at `from`, and pads it to
/// [padded_bytes()] at `to`. For a mask, `from` is not read.
void pad_array(std::span<const BatchAxis> axes, const BatchArray& array, const BatchShape& shape,
               std::size_t count, const void* from, void* to);

/// All batches of a file.
struct StaticBatches {
  std::vector<BatchAxis> axes;
  std::vector<BatchArray> arrays;
  std::vector<BatchShape> counts;  ///< [batches, axes]
  BatchShapes shapes;
  /// Returns the rows of array number `array` in a batch, as pad_array() reads them; valid until
  /// the next call.
  std::function<const void*(std::size_t batch, std::size_t array)> rows;

  /// Share of real rows among the padded rows of an axis, over all batches.
  double real_share(std::size_t axis) const;
  /// Adds tensors `batches.<shape>.<array>` [batches of that shape, ...], which the fillers make,
  /// and batches.<shape>.number with the numbers of these batches. This object must outlive the
  /// fillers.
  void add_to(Document& document, RowFillers& fillers) const;
};

}  // namespace frugal
