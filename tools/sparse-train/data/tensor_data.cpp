#include "tools/sparse-train/data/tensor_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/temporary_file.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/sparse-train/data/example_formats.h"
#include "tools/sparse-train/data/tensor_check.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;  ///< elements converted at a time
constexpr const char* kSorted = "data.sorted";
constexpr const char* kNormalized = "data.normalized";

/// An array that grows in memory or in a temporary file.
template <class T>
class Growing {
 public:
  explicit Growing(const std::string* folder) {
    if (folder != nullptr) file_ = std::make_unique<TemporaryFile>(*folder);
  }
  void append(const std::vector<T>& values) {
    size_ += values.size();
    if (file_) return file_->write(values.data(), values.size() * sizeof(T));
    own_.insert(own_.end(), values.begin(), values.end());
  }
  Column<T> take() {
    return file_ ? Column<T>(file_->map(), 0, size_) : Column<T>(std::move(own_));
  }

 private:
  std::unique_ptr<TemporaryFile> file_;
  typename Column<T>::Vector own_;
  std::size_t size_ = 0;
};

/// One document, read by rows from a regular file or as a whole from a pipe.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path), reader_(path) {
    std::error_code ignored;
    if (path != "-" && std::filesystem::is_regular_file(path, ignored)) {
      auto info = reader_.next_info();
      if (!info) fail(ExitStatus::bad_input, path, ": has no document, expected one with data");
      info_ = std::move(*info);
      return;
    }
    auto document = reader_.next();
    if (!document) fail(ExitStatus::bad_input, path, ": has no document, expected one with data");
    whole_ = std::move(*document);
    info_.metadata = whole_->metadata;
    for (const Tensor& t : whole_->tensors) info_.tensors.push_back({t.name, t.dtype, t.shape});
  }

  const std::string& path() const { return path_; }
  const DocumentInfo& info() const { return info_; }
  const TensorInfo& at(const std::string& name, std::size_t rank) const {
    const TensorInfo* const found = info_.find(name);
    if (found == nullptr) {
      fail(ExitStatus::bad_input, path_, ": has no tensor '", name,
           "', expected features.indptr and features.indices (or features), labels.indptr and "
           "labels.indices (or labels)");
    }
    if (found->shape.size() != rank) {
      fail(ExitStatus::bad_input, path_, ": tensor '", name, "' is ", shape_text(found->shape),
           ", expected ", rank, rank == 1 ? " dimension" : " dimensions");
    }
    return *found;
  }
  Tensor rows(const std::string& name, std::uint64_t begin, std::uint64_t end) {
    if (!whole_) return reader_.read_rows(name, begin, end);
    const Tensor& tensor = whole_->at(name);
    Shape shape = tensor.shape;
    shape[0] = end - begin;
    Tensor part = Tensor::make(name, tensor.dtype, shape);
    const std::size_t row = tensor.shape[0] == 0 ? 0 : tensor.bytes.size() / tensor.shape[0];
    std::copy_n(tensor.bytes.data() + begin * row, part.bytes.size(), part.bytes.data());
    return part;
  }

 private:
  std::string path_;
  TensorReader reader_;
  DocumentInfo info_;
  std::optional<Document> whole_;
};

/// Elements of any type as T, each checked by `convert` (value, index).
template <class T, class Convert>
void convert_tensor(const Tensor& tensor, std::uint64_t first, std::vector<T>& out,
                    const Convert& convert) {
  const auto run = [&](const auto& values) {
    out.clear();
    for (std::size_t i = 0; i < values.size(); ++i) out.push_back(convert(values[i], first + i));
  };
  switch (tensor.dtype) {
    case Dtype::u32: return run(tensor.as<std::uint32_t>());
    case Dtype::i32: return run(tensor.as<std::int32_t>());
    case Dtype::u64: return run(tensor.as<std::uint64_t>());
    case Dtype::i64: return run(tensor.as<std::int64_t>());
    case Dtype::f32: return run(tensor.as<float>());
    case Dtype::f64: return run(tensor.as<double>());
    case Dtype::f16: return run(tensor.as<Float16>());
    case Dtype::bf16: return run(tensor.as<BFloat16>());
    default:
      fail(ExitStatus::bad_input, "tensor '", tensor.name, "' is of type ",
           dtype_name(tensor.dtype), ", expected I32, I64, U32, U64, F32, F64, F16 or BF16");
  }
}

template <class V>
float as_float(V value) {
  if constexpr (std::is_same_v<V, Float16> || std::is_same_v<V, BFloat16>) {
    return to_float(value);
  } else {
    return static_cast<float>(value);
  }
}

/// -1 and +1 are two classes, as many programs write them; beside other classes -1 is none.
bool has_both_signs_alone(const std::vector<std::int64_t>& labels) {
  const auto count = [&](std::int64_t label) {
    return std::count(labels.begin(), labels.end(), label);
  };
  const auto minus = count(-1), plus = count(1);
  return minus > 0 && plus > 0 && minus + plus == static_cast<std::ptrdiff_t>(labels.size());
}

/// One reading of a file's data.
class DataReader {
 public:
  DataReader(Source& source, std::uint64_t max_memory, const std::string& folder)
      : source_(source) {
    std::uint64_t bytes = 0;
    for (const TensorInfo& t : source.info().tensors) bytes += 8 * num_elements(t.shape);
    if (bytes > max_memory) folder_ = &folder;
  }

  /// Whether the labels are the classes -1 and +1, as 0 and 1.
  bool has_signs() const { return has_signs_; }
  Dataset read() {
    Dataset data;
    if (source_.info().find("features") != nullptr) {
      read_dense(data);
    } else {
      read_features(data);
    }
    read_labels(data);
    return data;
  }

 private:
  [[noreturn]] void refuse(const std::string& name, std::uint64_t i, const std::string& found,
                           const char* expected) const {
    fail(ExitStatus::bad_input, source_.path(), ": tensor '", name, "', element ", i, " is ", found,
         ", expected ", expected);
  }

  /// A tensor of ids or places.
  template <class T>
  Column<T> whole_numbers(const std::string& name) {
    return read_column<T>(name, [&](auto value, std::uint64_t i) {
      using V = decltype(value);
      if constexpr (!std::is_integral_v<V>) {
        refuse(name, i, "a number with decimals", "tensors of type I32, I64, U32 or U64");
        return T{};
      } else {
        const bool good =
            std::in_range<T>(value) && static_cast<T>(value) != std::numeric_limits<T>::max();
        if (!good) refuse(name, i, std::to_string(value), "a number from 0 to 4294967294");
        return static_cast<T>(value);
      }
    });
  }

  Column<float> values(const std::string& name) {
    return read_column<float>(name,
                              [&](auto value, std::uint64_t i) { return finite(name, i, value); });
  }

  template <class V>
  float finite(const std::string& name, std::uint64_t i, V value) const {
    const float number = as_float(value);
    if (!std::isfinite(number)) refuse(name, i, "not finite", "finite numbers");
    return number;
  }

  template <class T, class Convert>
  Column<T> read_column(const std::string& name, const Convert& convert) {
    const std::uint64_t size = source_.at(name, 1).shape[0];
    Growing<T> column(folder_);
    std::vector<T> part;
    for (std::uint64_t begin = 0; begin < size; begin += kChunk) {
      const std::uint64_t end = std::min(size, begin + kChunk);
      convert_tensor(source_.rows(name, begin, end), begin, part, convert);
      column.append(part);
    }
    return column.take();
  }

  void read_features(Dataset& data) {
    data.feature_begin = whole_numbers<std::uint64_t>("features.indptr");
    data.features = whole_numbers<std::uint32_t>("features.indices");
    if (source_.info().find("features.values") != nullptr) {
      data.values = values("features.values");
    } else if (folder_ != nullptr) {
      Growing<float> ones(folder_);
      const std::uint64_t size = data.features.size();
      for (std::uint64_t at = 0; at < size; at += kChunk) {
        ones.append(std::vector<float>(std::min(kChunk, size - at), 1.0F));
      }
      data.values = ones.take();
    }
  }

  void read_dense(Dataset& data) {
    const TensorInfo& info = source_.at("features", 2);
    const std::uint64_t rows = info.shape[0], columns = info.shape[1];
    Growing<std::uint64_t> begins(folder_);
    Growing<std::uint32_t> ids(folder_);
    Growing<float> all(folder_);
    std::uint64_t total = 0;
    begins.append({0});
    std::vector<float> part;
    const std::uint64_t step =
        std::max<std::uint64_t>(1, kChunk / std::max<std::uint64_t>(1, columns));
    for (std::uint64_t begin = 0; begin < rows; begin += step) {
      const std::uint64_t end = std::min(rows, begin + step);
      convert_tensor(source_.rows("features", begin, end), begin * columns, part,
                     [&](auto value, std::uint64_t i) { return finite("features", i, value); });
      std::vector<std::uint64_t> places;
      std::vector<std::uint32_t> columns_of_values;
      std::vector<float> kept;
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] != 0) {
          columns_of_values.push_back(static_cast<std::uint32_t>(i % columns));
          kept.push_back(part[i]);
        }
        if (i % columns + 1 == columns) places.push_back(total + kept.size());
      }
      total += kept.size();
      begins.append(places);
      ids.append(columns_of_values);
      all.append(kept);
    }
    data.feature_begin = begins.take();
    data.features = ids.take();
    data.values = all.take();
    data.num_features = static_cast<std::uint32_t>(columns);
  }

  void read_labels(Dataset& data) {
    if (source_.info().find("labels") == nullptr) {
      data.label_begin = whole_numbers<std::uint64_t>("labels.indptr");
      data.labels = whole_numbers<std::uint32_t>("labels.indices");
      return;
    }
    Column<std::uint32_t>::Vector labels;
    Column<std::uint64_t>::Vector begins = {0};
    const std::uint64_t size = source_.at("labels", 1).shape[0];
    std::vector<std::int64_t> part;
    convert_tensor(source_.rows("labels", 0, size), 0, part, [&](auto value, std::uint64_t i) {
      using V = decltype(value);
      if constexpr (std::is_integral_v<V>) {
        if (std::in_range<std::uint32_t>(value) || std::cmp_equal(value, -1)) {
          return static_cast<std::int64_t>(value);
        }
        refuse("labels", i, std::to_string(value), "-1 or a label from 0 on");
      }
      refuse("labels", i, "a number with decimals", "tensors of type I32, I64, U32 or U64");
      return std::int64_t{};
    });
    has_signs_ = has_both_signs_alone(part);
    if (has_signs_) std::replace(part.begin(), part.end(), std::int64_t{-1}, std::int64_t{0});
    for (const std::int64_t label : part) {
      if (label >= 0) labels.push_back(static_cast<std::uint32_t>(label));
      begins.push_back(labels.size());
    }
    data.label_begin = std::move(begins);
    data.labels = std::move(labels);
  }

  Source& source_;
  const std::string* folder_ = nullptr;
  bool has_signs_ = false;
};

bool is_data(const std::string& name) {
  return name == "features" || name == "labels" || name == "features.indptr" ||
         name == "features.indices" || name == "features.values" || name == "labels.indptr" ||
         name == "labels.indices";
}

void name_signs(TensorData& result) {
  const std::vector<std::uint8_t> names = {'-', '1', '1'};
  const std::vector<std::uint64_t> ends = {2, 3};
  result.data.num_labels = 2;
  result.rest.tensors.push_back(Tensor::copy_of<std::uint8_t>("labels.names", {3}, names));
  result.rest.tensors.push_back(Tensor::copy_of<std::uint64_t>("labels.name_ends", {2}, ends));
}

std::uint32_t number_or_none(const MetadataReader& read, const char* key) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
  return read.has(key) ? static_cast<std::uint32_t>(read.number(key, 0, kMost)) : 0;
}

/// The length of a header, which no text begins with, and the header.
bool begins_as_tensors(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 9> begin{};
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), begin.size()) && begin[7] == 0 && begin[6] == 0 && begin[8] == '{';
}

}  // namespace

bool is_tensor_input(const std::string& format, const std::string& path) {
  if (format != "auto") return format == kTensorFormat;
  return path.ends_with(".safetensors") || path.ends_with(".safetensors.zst") ||
         path.ends_with(".tzs") || begins_as_tensors(path);
}

TensorData read_tensor_data(const std::string& path, std::uint64_t max_memory,
                            const std::string& folder) {
  Source source(path);
  const Metadata& metadata = source.info().metadata;
  check_document(metadata, path,
                 {"data as sparse-train convert writes",
                  {"data", "embeddings", "predictions"},
                  {},
                  ForeignDocuments::welcome});
  const MetadataReader read(metadata, path);
  TensorData result;
  bool has_signs = false;
  if (auto mapped = map_tensor_data(path, source.info())) {
    result.data = std::move(*mapped);
  } else {
    DataReader reader(source, max_memory, folder);
    result.data = reader.read();
    has_signs = reader.has_signs();
  }
  Dataset& data = result.data;
  data.sorted = read.flag(kSorted, false);
  data.normalized = read.flag(kNormalized, false);
  data.num_features = std::max(data.num_features, number_or_none(read, "data.features"));
  data.num_labels = number_or_none(read, "data.labels");
  check_tensor_data(path, data);
  result.rest.metadata = source.info().metadata;
  for (const TensorInfo& info : source.info().tensors) {
    if (is_data(info.name)) continue;
    const std::uint64_t rows = info.shape.empty() ? 1 : info.shape[0];
    result.rest.tensors.push_back(source.rows(info.name, 0, rows));
  }
  if (has_signs && result.rest.find("labels.names") == nullptr) name_signs(result);
  return result;
}

}  // namespace frugal::sparse
