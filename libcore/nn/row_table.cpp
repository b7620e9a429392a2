#include "libcore/nn/row_table.h"

#include <algorithm>

#include "libcore/base/float16.h"
#include "libcore/kernels/kernels.h"

namespace frugal {

RowTable RowTable::view_of(MatrixView<const float> rows) {
  RowTable table;
  table.rows_ = rows.rows;
  table.dim_ = rows.cols;
  table.stride_ = rows.stride;
  table.begin_ = rows.data;
  return table;
}

void RowTable::read(std::size_t r, float* out) const {
  const float* from = begin_of(r);
  kernels().from_bf16(reinterpret_cast<const BFloat16*>(from), out, half_columns_);
  std::copy_n(from + half_floats(), dim_ - half_columns_, out + half_columns_);
}

void RowTable::write(std::size_t r, const float* values, std::uint32_t key) {
  float* to = begin_of(r);
  kernels().to_bf16_at_random(values, reinterpret_cast<BFloat16*>(to), half_columns_, key);
  std::copy_n(values + half_columns_, dim_ - half_columns_, to + half_floats());
}

MatrixView<const float> RowTable::rows_between(std::size_t begin, std::size_t end,
                                               std::vector<float>& room) const {
  if (half_columns_ == 0) return weights().rows_between(begin, end);
  room.resize(std::max(room.size(), (end - begin) * dim_));
  for (std::size_t r = begin; r < end; ++r) read(r, room.data() + (r - begin) * dim_);
  return {room.data(), end - begin, dim_};
}

}  // namespace frugal
