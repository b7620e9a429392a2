#include "tools/sparse-train/lsh/lsh_index.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"

namespace frugal::sparse {
namespace {

/// Rows that did not lie side by side are copied together before they are hashed.
constexpr std::size_t kRowsAtOnce = 64;

/// Values that fit into fewer buckets than asked for leave the others out.
TableOptions useful_range(TableOptions tables, const HashFamily& family) {
  tables.range_pow = std::min(tables.range_pow, family.options().functions * family.value_bits());
  return tables;
}

}  // namespace

LshIndex::LshIndex(const HashOptions& hash, const TableOptions& tables, std::size_t num_rows,
                   std::size_t dim)
    : num_rows_(num_rows),
      family_(make_hash_family(hash, dim)),
      tables_(useful_range(tables, *family_)),
      table_generation_(tables.tables),
      codes_(tables.tables * num_rows),
      fingerprint_(num_rows),
      order_(num_rows) {
  assert(hash.tables == tables.tables);
  std::iota(order_.begin(), order_.end(), 0U);
}

void LshIndex::begin_rebuild(MatrixView<const float> rows, Rehash rehash) {
  assert(rows.rows == num_rows_ && rows.cols == family_->dim());
  generation_ += rehash == Rehash::new_functions ? 1 : 0;
  moved_.clear();
  std::vector<bool> moved(num_rows_);
  for (std::size_t r = 0; r < num_rows_; ++r) {
    // 0 is kept for rows that were never hashed.
    const std::uint64_t now = hash_bytes(rows.row(r), rows.cols * sizeof(float)) | 1;
    moved[r] = rehash != Rehash::moved || now != fingerprint_[r];
    fingerprint_[r] = now;
    if (moved[r]) moved_.push_back(static_cast<std::uint32_t>(r));
  }
  std::erase_if(order_, [&](std::uint32_t r) { return moved[r]; });
  order_.insert(order_.end(), moved_.begin(), moved_.end());
}

void LshIndex::rebuild(MatrixView<const float> rows, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t t = begin; t < end; ++t) set_generation(t, generation_);
  hash_moved(rows, begin, end);
  for (std::uint32_t t = begin; t < end; ++t) {
    tables_.build(t, {codes_.data() + t * num_rows_, num_rows_}, order_);
  }
}

void LshIndex::set_generation(std::uint32_t t, std::uint64_t generation) {
  if (table_generation_[t] != generation) family_->redraw(t, generation);
  table_generation_[t] = generation;
}

void LshIndex::hash_moved(MatrixView<const float> rows, std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t range_pow = tables_.options().range_pow;
  if (moved_.size() == num_rows_) {
    hash_codes(*family_, rows, begin, end, range_pow, codes_.data() + begin * num_rows_, num_rows_);
    return;
  }
  std::vector<float> block(kRowsAtOnce * rows.cols);
  std::vector<std::uint32_t> codes(kRowsAtOnce * (end - begin));
  for (std::size_t first = 0; first < moved_.size(); first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, moved_.size() - first);
    kernels().gather_rows(rows.data, rows.stride, rows.cols, moved_.data() + first, count,
                          block.data(), rows.cols);
    hash_codes(*family_, {block.data(), count, rows.cols}, begin, end, range_pow, codes.data(),
               kRowsAtOnce);
    for (std::uint32_t t = begin; t < end; ++t) {
      for (std::size_t i = 0; i < count; ++i) {
        codes_[t * num_rows_ + moved_[first + i]] = codes[(t - begin) * kRowsAtOnce + i];
      }
    }
  }
}

void LshIndex::codes(MatrixView<const float> x, std::uint32_t* out) const {
  hash_codes(*family_, x, 0, num_tables(), tables_.options().range_pow, out, x.rows);
}

}  // namespace frugal::sparse
