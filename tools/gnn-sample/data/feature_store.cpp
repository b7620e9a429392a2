#include "tools/gnn-sample/data/feature_store.h"

#include "libcore/base/text.h"
#include "libcore/system/limits.h"

namespace frugal::gnn {

FeatureStore::FeatureStore(std::size_t rows, std::size_t dim, bool in_file)
    : rows_(rows), dim_(dim) {
  const std::uint64_t bytes = std::uint64_t{rows} * dim * sizeof(float);
  if (in_file) {
    file_ = std::make_shared<TemporaryFile>(temporary_folder());
    file_->reserve(bytes);
    map_ = file_->map();
    // Read ahead, rows in random order push each other out of a small memory.
    map_->expect_random_reads(0, map_->size());
    return;
  }
  check_memory("features of " + format_count(rows, "node") + ", " + std::to_string(dim) + " each,",
               bytes);
  memory_ = Array<float>(rows * dim, uninitialized);
}

FeatureView FeatureStore::view() const {
  if (dim_ == 0) return sparse_.view();
  FeatureView view;
  view.data = in_file() ? map_->data() : reinterpret_cast<const std::byte*>(memory_.data());
  view.rows = rows_;
  view.dim = dim_;
  view.in_file = in_file();
  return view;
}

}  // namespace frugal::gnn
