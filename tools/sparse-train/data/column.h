#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "libcore/system/mapped_memory.h"

namespace frugal::sparse {

/// A std::vector that may also lie in a mapped file, for datasets larger than memory. What changes
/// the size of a mapped column, or writes to one that is mapped for reading, copies it into memory
/// first; so does copying the column.
template <class T>
class Column {
 public:
  using value_type = T;

  Column() = default;
  Column(std::initializer_list<T> values) : own_(values) {}
  Column(std::vector<T> values) : own_(std::move(values)) {}  // NOLINT(google-explicit-constructor)
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
    std::vector<T>& own = to_memory();
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
  std::vector<T>& to_memory() {
    if (map_) own_.assign(mapped(), mapped() + mapped_size_);
    map_ = nullptr;
    return own_;
  }

  std::vector<T> own_;
  std::shared_ptr<MappedMemory> map_;
  std::size_t offset_ = 0;
  std::size_t mapped_size_ = 0;
};

}  // namespace frugal::sparse
