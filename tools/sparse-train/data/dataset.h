#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/bulk_allocator.h"
#include "libcore/system/mapped_memory.h"

namespace frugal::sparse {

/// A std::vector that may also lie in a mapped file, for datasets larger than memory. What changes
/// the size of a mapped column, or writes to one that is mapped for reading, copies it into memory
/// first; so does copying the column. resize() leaves new values uninitialised.
template <class T>
class Column {
 public:
  using value_type = T;
  using Vector = std::vector<T, BulkAllocator<T>>;

  Column() = default;
  Column(std::initializer_list<T> values) : own_(values) {}
  Column(Vector values) : own_(std::move(values)) {}  // NOLINT(google-explicit-constructor)
  Column(const std::vector<T>& values)                // NOLINT(google-explicit-constructor)
      : own_(values.begin(), values.end()) {}
  /// `size` values that lie in `map` from `offset` (bytes, a multiple of the alignment of T) on.
  Column(std::shared_ptr<MappedMemory> map, std::size_t offset, std::size_t size)
      : map_(std::move(map)), offset_(offset), mapped_size_(size) {
    assert(offset % alignof(T) == 0 && offset + size * sizeof(T) <= map_->size());
  }
  Column(const Column& other) : own_(other.begin(), other.end()) {}
  Column& operator=(const Column& other) { return *this = Column(other); }
  Column(Column&& other) noexcept
      : own_(std::move(other.own_)),
        map_(std::move(other.map_)),
        offset_(std::exchange(other.offset_, 0)),
        mapped_size_(std::exchange(other.mapped_size_, 0)) {
    other.own_.clear();
  }
  Column& operator=(Column&& other) noexcept {
    own_.swap(other.own_);
    map_.swap(other.map_);
    std::swap(offset_, other.offset_);
    std::swap(mapped_size_, other.mapped_size_);
    return *this;
  }
  ~Column() = default;

  bool is_mapped() const { return map_ != nullptr; }
  std::size_t size() const { return map_ ? mapped_size_ : own_.size(); }
  bool empty() const { return size() == 0; }
  const T* data() const { return map_ ? mapped() : own_.data(); }
  T* data() {
    if (!map_) return own_.data();
    if (!map_->is_writable()) return to_memory().data();
    return const_cast<T*>(mapped());
  }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& back() const { return data()[size() - 1]; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }

  void push_back(T value) { to_memory().push_back(value); }
  void resize(std::size_t size) { to_memory().resize(size); }
  void reserve(std::size_t size) { to_memory().reserve(size); }
  void assign(std::size_t size, T value) { to_memory().assign(size, value); }
  /// Only at the end.
  template <class Iterator>
  void insert(const T* position, Iterator first, Iterator last) {
    assert(position == std::as_const(*this).end());
    static_cast<void>(position);
    Vector& own = to_memory();
    own.insert(own.end(), first, last);
  }
  void clear() { *this = Column(); }

  friend bool operator==(const Column& a, const Column& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  const T* mapped() const {
    return reinterpret_cast<const T*>(std::as_const(*map_).data() + offset_);
  }
  Vector& to_memory() {
    if (map_) own_.assign(mapped(), mapped() + mapped_size_);
    map_ = nullptr;
    return own_;
  }

  Vector own_;
  std::shared_ptr<MappedMemory> map_;
  std::size_t offset_ = 0;
  std::size_t mapped_size_ = 0;
};

/// Values of a column of categories, and how many of them the model does not know.
struct ColumnValues {
  std::string column;
  std::uint64_t values = 0;
  std::uint64_t unknown = 0;
};
/// Adds counts of the same columns.
void add_values(const std::vector<ColumnValues>& more, std::vector<ColumnValues>& sum);

/// Labelled sparse examples, in the order of the input: two CSR matrices, in memory or in a mapped
/// file. Example i has features[feature_begin[i] .. feature_begin[i+1]) with the same range of
/// values (no values at all: every value is 1) and labels[label_begin[i] .. label_begin[i+1]).
struct Dataset {
  Column<std::uint64_t> feature_begin{0};
  Column<std::uint32_t> features;
  Column<float> values;
  Column<std::uint64_t> label_begin{0};
  Column<std::uint32_t> labels;
  Column<float> weights;           ///< of examples in training, of mean 1; empty: all 1
  std::uint32_t num_features = 0;  ///< features are in [0, num_features)
  std::uint32_t num_labels = 0;    ///< labels are in [0, num_labels), but for
  /// labels that the model does not know, of data to compare with: these names, by id - num_labels.
  std::vector<std::string> unknown_labels;
  std::vector<ColumnValues> column_values;  ///< of data to compare with: all its categories
  bool sorted = false;                      ///< sort_features() was here: it need not come again
  bool normalized = false;                  ///< normalize_rows() was here
  /// Examples whose order an epoch may mix freely; 0 = all. Set where they lie in a file that is
  /// larger than memory.
  std::size_t shuffle_block = 0;

  std::size_t size() const { return feature_begin.size() - 1; }
  std::size_t num_all_labels() const { return num_labels + unknown_labels.size(); }
  bool is_known(std::uint32_t label) const { return label < num_labels; }
  std::span<const std::uint32_t> features_of(std::size_t i) const {
    return {features.data() + feature_begin[i], features.data() + feature_begin[i + 1]};
  }
  /// Empty where every value is 1.
  std::span<const float> values_of(std::size_t i) const {
    if (values.empty()) return {};
    return {values.data() + feature_begin[i], values.data() + feature_begin[i + 1]};
  }
  std::span<const std::uint32_t> labels_of(std::size_t i) const {
    return {labels.data() + label_begin[i], labels.data() + label_begin[i + 1]};
  }
};

/// Sorts the features of each example, with their values.
void sort_features(Dataset& data);

/// Scales the values of each example to length 1 (examples without features stay).
void normalize_rows(Dataset& data);

/// Number of examples and a hash of all arrays: equal texts mean equal data.
std::string fingerprint(const Dataset& data);

/// Copies of some examples, in the order given, with the features and labels of all.
Dataset part_of(const Dataset& data, std::span<const std::uint32_t> examples);

}  // namespace frugal::sparse
