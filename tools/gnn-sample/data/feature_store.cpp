#include "tools/gnn-sample/data/feature_store.h"

#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/system/temporary_file.h"

namespace frugal::gnn {

FeatureStore::FeatureStore(std::size_t rows, std::size_t dim, bool in_file)
    : rows_(rows), dim_(dim) {
  const std::uint64_t bytes = std::uint64_t{rows} * dim * sizeof(float);
  if (in_file) {
    TemporaryFile file(temporary_folder());
    file.reserve(bytes);
    map_ = file.map();
    return;
  }
  check_memory("features of " + format_count(rows, "node") + ", " + std::to_string(dim) + " each,",
               bytes);
  memory_ = Array<float>(rows * dim, uninitialized);
}

MatrixView<float> FeatureStore::dense() {
  float* const data = in_file() ? reinterpret_cast<float*>(map_->data()) : memory_.data();
  return {data, rows_, dim_, dim_};
}

FeatureView FeatureStore::view() const {
  if (dim_ == 0) return sparse_.view();
  FeatureView view;
  view.data = in_file() ? map_->data() : reinterpret_cast<const std::byte*>(memory_.data());
  view.rows = rows_;
  view.dim = dim_;
  return view;
}

}  // namespace frugal::gnn
