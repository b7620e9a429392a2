#include "tools/sparse-train/lsh/lsh_index.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"

namespace frugal::sparse {
namespace {

template <class T>
Tensor vector_tensor(const std::string& name, const std::vector<T>& values) {
  return Tensor::copy_of<T>(name, {values.size()}, values);
}

/// The tensor's elements; fails where there are others than `size` of them.
template <class T>
std::span<const T> elements(const Document& state, const std::string& path, const std::string& name,
                            std::size_t size) {
  const std::span<const T> values = state.at(name).as<T>();
  if (values.size() != size) {
    fail(ExitStatus::bad_input, path, ": tensor '", name, "' has ", values.size(),
         " elements, expected ", size);
  }
  return values;
}

template <class T>
void restore_vector(const Document& state, const std::string& path, const std::string& name,
                    std::vector<T>& values) {
  const auto stored = elements<T>(state, path, name, values.size());
  values.assign(stored.begin(), stored.end());
}

void check_below(std::span<const std::uint32_t> values, std::size_t limit, const std::string& path,
                 const std::string& name) {
  for (const std::uint32_t v : values) {
    if (v >= limit) {
      fail(ExitStatus::bad_input, path, ": tensor '", name, "' has the value ", v,
           ", expected less than ", limit);
    }
  }
}

}  // namespace

void LshIndex::save(Document& state) const {
  std::vector<std::uint32_t> starts, rows;
  for (std::uint32_t t = 0; t < num_tables(); ++t) {
    starts.insert(starts.end(), tables_.starts(t).begin(), tables_.starts(t).end());
    rows.insert(rows.end(), tables_.rows(t).begin(), tables_.rows(t).end());
  }
  state.tensors.push_back(vector_tensor("lsh.starts", starts));
  state.tensors.push_back(vector_tensor("lsh.rows", rows));
  state.tensors.push_back(vector_tensor("lsh.codes", codes_));
  state.tensors.push_back(vector_tensor("lsh.fingerprints", fingerprint_));
  state.tensors.push_back(vector_tensor("lsh.order", order_));
  state.tensors.push_back(vector_tensor("lsh.moved", moved_));
  state.tensors.push_back(vector_tensor("lsh.generations", table_generation_));
  state.tensors.push_back(vector_tensor("lsh.generation", std::vector<std::uint64_t>{generation_}));
  center_.save(state);
}

void LshIndex::restore(const Document& state, const std::string& path) {
  center_.restore(state, path);
  restore_vector(state, path, "lsh.codes", codes_);
  check_below(codes_, std::size_t{1} << tables_.options().range_pow, path, "lsh.codes");
  restore_vector(state, path, "lsh.fingerprints", fingerprint_);
  restore_vector(state, path, "lsh.order", order_);
  check_below(order_, num_rows_, path, "lsh.order");
  const auto moved = state.at("lsh.moved").as<std::uint32_t>();
  check_below(moved, num_rows_, path, "lsh.moved");
  moved_.assign(moved.begin(), moved.end());
  generation_ = elements<std::uint64_t>(state, path, "lsh.generation", 1)[0];
  const auto generations = elements<std::uint64_t>(state, path, "lsh.generations", num_tables());
  const std::size_t num_starts = tables_.starts(0).size();
  const auto starts = elements<std::uint32_t>(state, path, "lsh.starts", num_tables() * num_starts);
  std::span<const std::uint32_t> rows = state.at("lsh.rows").as<std::uint32_t>();
  for (std::uint32_t t = 0; t < num_tables(); ++t) {
    set_generation(t, generations[t]);
    const auto own = starts.subspan(t * num_starts, num_starts);
    const std::size_t count = std::min<std::size_t>(own.back(), rows.size());
    if (!tables_.restore(t, own, rows.first(count), num_rows_)) {
      fail(ExitStatus::bad_input, path,
           ": tensors 'lsh.starts' and 'lsh.rows' do not fit together");
    }
    rows = rows.subspan(count);
  }
}

namespace {

/// Rows that did not lie side by side are copied together before they are hashed.
constexpr std::size_t kRowsAtOnce = 64;

/// Values that fit into fewer buckets than asked for leave the others out.
TableOptions useful_range(TableOptions tables, const HashFamily& family) {
  tables.range_pow = std::min(tables.range_pow, family.options().functions * family.value_bits());
  return tables;
}

}  // namespace

LshIndex::LshIndex(const HashOptions& hash, const TableOptions& tables, bool center,
                   std::size_t num_rows, std::size_t dim)
    : num_rows_(num_rows),
      family_(make_hash_family(hash, dim)),
      tables_(useful_range(tables, *family_)),
      center_(center, dim),
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
  const bool all = center_.follow(rows, rehash != Rehash::moved) || rehash != Rehash::moved;
  std::vector<bool> moved(num_rows_);
  for (std::size_t r = 0; r < num_rows_; ++r) {
    // 0 is kept for rows that were never hashed.
    const std::uint64_t now = hash_bytes(rows.row(r), rows.cols * sizeof(float)) | 1;
    moved[r] = all || now != fingerprint_[r];
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
  if (moved_.size() == num_rows_ && !center_.used()) {
    hash_codes(*family_, rows, begin, end, range_pow,
               {codes_.data() + begin * num_rows_, end - begin, num_rows_});
    return;
  }
  std::vector<float> block(kRowsAtOnce * rows.cols);
  std::vector<std::uint32_t> codes(kRowsAtOnce * (end - begin));
  for (std::size_t first = 0; first < moved_.size(); first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, moved_.size() - first);
    kernels().gather_rows(rows.data, rows.stride, rows.cols, moved_.data() + first, count,
                          block.data(), rows.cols);
    center_.subtract_from({block.data(), count, rows.cols});
    hash_codes(*family_, {block.data(), count, rows.cols}, begin, end, range_pow,
               {codes.data(), end - begin, kRowsAtOnce});
    for (std::uint32_t t = begin; t < end; ++t) {
      for (std::size_t i = 0; i < count; ++i) {
        codes_[t * num_rows_ + moved_[first + i]] = codes[(t - begin) * kRowsAtOnce + i];
      }
    }
  }
}

void LshIndex::codes(MatrixView<const float> x, std::uint32_t* out) const {
  hash_codes(*family_, x, 0, num_tables(), tables_.options().range_pow,
             {out, num_tables(), x.rows});
}

}  // namespace frugal::sparse
