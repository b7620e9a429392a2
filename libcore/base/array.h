#pragma once
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace frugal {

/// Allocates num_bytes, aligned to 64 bytes. From 4 MiB on the memory is mapped at 2 MiB boundaries
/// with transparent huge pages, which makes random access into big tables 1.4 to 2.6 times faster.
/// Mapped memory is zero; smaller blocks are uninitialised. Throws std::bad_alloc.
void* allocate_aligned(std::size_t num_bytes);
/// As allocate_aligned(), but every byte is zero. The pages of mapped memory are not allocated
/// before they are first used.
void* allocate_zeroed(std::size_t num_bytes);
void free_aligned(void* memory, std::size_t num_bytes) noexcept;

/// Tag of the constructor that leaves the elements uninitialised; the caller writes all of them.
struct Uninitialized {};
inline constexpr Uninitialized
    uninitialized{};  // NOLINT(readability-identifier-naming): as std::nullopt

/// A fixed number of trivially copyable values, aligned to 64 bytes and owned by the object, unless
/// it is a view. It can be moved; only clone() copies it.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>, "Array holds plain values");

 public:
  Array() = default;
  explicit Array(std::size_t size)
      : data_(size ? static_cast<T*>(allocate_zeroed(bytes_of(size))) : nullptr), size_(size) {}
  Array(std::size_t size, Uninitialized)
      : data_(size ? static_cast<T*>(allocate_aligned(bytes_of(size))) : nullptr), size_(size) {}
  Array(std::size_t size, T value) : Array(size, uninitialized) {
    for (T& x : *this) x = value;
  }
  static Array copy_of(std::span<const T> values) {
    Array a(values.size(), uninitialized);
    if (!values.empty())
      std::memcpy(static_cast<void*>(a.data_), values.data(), values.size_bytes());
    return a;
  }
  /// Takes ownership of memory, whose size must be a multiple of sizeof(T).
  static Array adopt(Array<std::byte>&& bytes) {
    Array a;
    a.size_ = std::exchange(bytes.size_, 0) / sizeof(T);
    a.data_ = reinterpret_cast<T*>(std::exchange(bytes.data_, nullptr));
    a.is_view_ = std::exchange(bytes.is_view_, false);
    return a;
  }
  /// Lets values that lie elsewhere pass for an array. They are only read, at any alignment of T,
  /// and must outlive it.
  static Array view_of(std::span<const T> values) {
    Array a;
    a.data_ = const_cast<T*>(values.data());
    a.size_ = values.size();
    a.is_view_ = true;
    return a;
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (data_ != nullptr && !is_view_) free_aligned(data_, size_ * sizeof(T));
  }

  Array clone() const { return copy_of(*this); }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  template <class>
  friend class Array;

  static std::size_t bytes_of(std::size_t size) {
    if (size > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    return size * sizeof(T);
  }
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(is_view_, other.is_view_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_view_ = false;
};

}  // namespace frugal
