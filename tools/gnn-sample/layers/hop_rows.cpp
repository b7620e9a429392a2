#include "tools/gnn-sample/layers/hop_rows.h"

#include <algorithm>
#include <span>

#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Sets the size without the spare room that resize() alone may add.
template <class T>
void resize_exactly(std::vector<T>& numbers, std::size_t size) {
  if (size > numbers.capacity()) {
    numbers.clear();
    numbers.reserve(size);
  }
  numbers.resize(size);
}

}  // namespace

void split_hops(const SourceRows& rows, std::size_t n, std::size_t parts, SparseRows& to) {
  const std::size_t dim = rows.dim() / parts;
  to.dim = dim;
  resize_exactly(to.offsets, n * parts + 1);
  to.offsets[0] = 0;
  for_each_chunk(n, [&](std::size_t begin, std::size_t end) {
    rows.for_each_sparse(
        begin, end, [&](std::size_t s, std::span<const std::uint32_t> columns, const float*) {
          auto first = columns.begin();
          for (std::size_t k = 0; k < parts; ++k) {
            const auto last = std::lower_bound(first, columns.end(), (k + 1) * dim);
            to.offsets[s * parts + k + 1] = static_cast<std::uint64_t>(last - first);
            first = last;
          }
        });
  });
  for (std::size_t r = 0; r < n * parts; ++r) to.offsets[r + 1] += to.offsets[r];
  resize_exactly(to.columns, to.offsets.back());
  resize_exactly(to.values, rows.has_values() ? to.columns.size() * sizeof(float) : 0);
  for_each_chunk(n, [&](std::size_t begin, std::size_t end) {
    rows.for_each_sparse(
        begin, end,
        [&](std::size_t s, std::span<const std::uint32_t> columns, const float* values) {
          std::uint64_t at = to.offsets[s * parts];
          if (values != nullptr) std::copy_n(values, columns.size(), to.floats().data() + at);
          auto column = columns.begin();
          for (std::size_t k = 0; k < parts; ++k) {
            for (; at < to.offsets[s * parts + k + 1]; ++at) {
              to.columns[at] = *column++ - static_cast<std::uint32_t>(k * dim);
            }
          }
        });
  });
}

}  // namespace frugal::gnn
