#include "libcore/base/error.h"
#include "tools/sparse-train/lsh/lsh_index.h"

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
}

void LshIndex::restore(const Document& state, const std::string& path) {
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

}  // namespace frugal::sparse
