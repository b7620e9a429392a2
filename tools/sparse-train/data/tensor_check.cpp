#include "tools/sparse-train/data/tensor_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>

#include "libcore/base/error.h"

namespace frugal::sparse {
namespace {

void check_places(const std::string& path, const char* name, const Column<std::uint64_t>& begin,
                  std::size_t size) {
  if (begin.empty() || begin[0] != 0 || begin.back() != size) {
    fail(ExitStatus::bad_input, path, ": tensor '", name, "' goes ",
         begin.empty() ? "from nowhere"
                       : "from " + std::to_string(begin[0]) + " to " + std::to_string(begin.back()),
         ", expected 0 to ", size, ", the number of indices");
  }
  const auto falls = std::adjacent_find(begin.begin(), begin.end(), std::greater<>());
  if (falls == begin.end()) return;
  fail(ExitStatus::bad_input, path, ": tensor '", name, "', element ", falls - begin.begin() + 1,
       " is ", falls[1], " after ", falls[0], ", expected places that ascend");
}

/// Ids below `limit`; 0: sets it.
void check_ids(const std::string& path, const char* name, const Column<std::uint32_t>& ids,
               std::uint32_t& limit) {
  std::uint32_t highest = 0;
  for (const std::uint32_t id : ids) highest = std::max(highest, id);
  if (limit == 0) limit = ids.empty() ? 0 : highest + 1;
  if (ids.empty() || highest < limit) return;
  const auto found =
      std::find_if(ids.begin(), ids.end(), [&](std::uint32_t id) { return id >= limit; });
  fail(ExitStatus::bad_input, path, ": tensor '", name, "', element ", found - ids.begin(), " is ",
       *found, ", expected an id below ", limit);
}

/// The bytes of a tensor as a column of the mapped file.
template <class T>
Column<T> mapped_column(const std::shared_ptr<MappedMemory>& map, std::uint64_t data_begin,
                        const TensorInfo& info) {
  return Column<T>(map, data_begin + info.begin, num_elements(info.shape));
}

/// Length of the header of a raw safetensors file, with the 8 bytes before it; 0 where there is
/// none.
std::uint64_t header_length(const MappedMemory& map, std::uint64_t data_bytes) {
  std::uint64_t length = 0;
  if (map.size() < sizeof length) return 0;
  std::memcpy(&length, map.data(), sizeof length);
  const bool fits = length <= map.size() && length + 8 + data_bytes == map.size();
  return fits ? length + 8 : 0;
}

}  // namespace

void check_tensor_data(const std::string& path, Dataset& d) {
  const Dataset& data = d;
  check_places(path, "features.indptr", data.feature_begin, data.features.size());
  check_places(path, "labels.indptr", data.label_begin, data.labels.size());
  if (data.feature_begin.size() != data.label_begin.size()) {
    fail(ExitStatus::bad_input, path, ": has features of ", data.feature_begin.size() - 1,
         " examples and labels of ", data.label_begin.size() - 1, ", expected equally many");
  }
  if (!data.values.empty() && data.values.size() != data.features.size()) {
    fail(ExitStatus::bad_input, path, ": tensor 'features.values' has ", data.values.size(),
         " elements, expected ", data.features.size());
  }
  check_ids(path, "features.indices", data.features, d.num_features);
  check_ids(path, "labels.indices", data.labels, d.num_labels);
  const auto wild = std::find_if(data.values.begin(), data.values.end(),
                                 [](float value) { return !std::isfinite(value); });
  if (wild == data.values.end()) return;
  fail(ExitStatus::bad_input, path, ": tensor 'features.values', element ",
       wild - data.values.begin(), " is not finite, expected finite numbers");
}

std::optional<Dataset> map_tensor_data(const std::string& path, const DocumentInfo& info) {
  std::error_code ignored;
  if (std::endian::native != std::endian::little ||
      !std::filesystem::is_regular_file(path, ignored)) {
    return std::nullopt;
  }
  const TensorInfo* const feature_begin = info.find("features.indptr");
  const TensorInfo* const features = info.find("features.indices");
  const TensorInfo* const values = info.find("features.values");
  const TensorInfo* const label_begin = info.find("labels.indptr");
  const TensorInfo* const labels = info.find("labels.indices");
  const auto is = [](const TensorInfo* tensor, Dtype dtype) {
    return tensor != nullptr && tensor->dtype == dtype && tensor->packing == Packing::none &&
           tensor->shape.size() == 1;
  };
  if (!is(feature_begin, Dtype::u64) || !is(features, Dtype::u32) || !is(values, Dtype::f32) ||
      !is(label_begin, Dtype::u64) || !is(labels, Dtype::u32)) {
    return std::nullopt;
  }
  const auto map = std::make_shared<MappedMemory>(path);
  const std::uint64_t begin = header_length(*map, info.tensors.back().end);
  const bool aligned = begin % 8 == 0 && feature_begin->begin % 8 == 0 &&
                       label_begin->begin % 8 == 0 && features->begin % 4 == 0 &&
                       values->begin % 4 == 0 && labels->begin % 4 == 0;
  if (begin == 0 || !aligned) return std::nullopt;
  Dataset data;
  data.feature_begin = mapped_column<std::uint64_t>(map, begin, *feature_begin);
  data.features = mapped_column<std::uint32_t>(map, begin, *features);
  data.values = mapped_column<float>(map, begin, *values);
  data.label_begin = mapped_column<std::uint64_t>(map, begin, *label_begin);
  data.labels = mapped_column<std::uint32_t>(map, begin, *labels);
  return data;
}

}  // namespace frugal::sparse
