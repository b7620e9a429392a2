#pragma once
/// Base class of the plug-in's engines (plugin_abi.h), and the classes that engines are built from.
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libcore/device/cuda/resources.h"
#include "libcore/device/plugin_abi.h"

namespace frugal::cuda {

/// Settings by name. Accessors fail if one is missing or not a number.
class Settings {
 public:
  Settings(const frugal_setting* settings, std::size_t n);
  std::string text(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;
  float real(const std::string& name) const;
  /// True for "true" or "1".
  bool flag(const std::string& name) const { return text(name) == "true" || text(name) == "1"; }
  /// Parses a list of sizes: "512-256" -> {512, 256}.
  std::vector<std::uint32_t> sizes(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

/// Allocates device memory, or only counts it: the same code so computes what an engine needs and
/// allocates it.
class Room {
 public:
  explicit Room(bool counts_only) : counts_only_(counts_only) {}
  template <class T>
  DeviceArray<T> take(std::uint64_t n) {
    bytes_ += n * sizeof(T);
    return counts_only_ ? DeviceArray<T>() : DeviceArray<T>(n);
  }
  /// Allocates n numbers that are all zero.
  template <class T>
  DeviceArray<T> take_zeros(std::uint64_t n) {
    DeviceArray<T> array = take<T>(n);
    const Stream stream;
    stream.zero(array.data(), array.bytes());
    stream.wait();
    return array;
  }
  bool counts_only() const { return counts_only_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  bool counts_only_;
  std::uint64_t bytes_ = 0;
};

/// Arrays on the device that set() and get() access by name.
class NamedArrays {
 public:
  struct Place {
    void* data;
    frugal_type type;
    std::uint64_t size;  ///< numbers
  };
  template <class T>
  void add(const std::string& name, const DeviceArray<T>& array) {
    places_[name] = {array.data(), type_of(static_cast<T*>(nullptr)), array.size()};
  }
  template <class T>
  void add(const std::string& name, T* data, std::uint64_t size) {
    places_[name] = {data, type_of(data), size};
  }
  void add(const std::string& name, const Place& place) { places_[name] = place; }
  /// Fails if the name is unknown, or if type or size differ.
  const Place& find(const frugal_array& array) const;

 private:
  static frugal_type type_of(const float*) { return FRUGAL_F32; }
  static frugal_type type_of(const double*) { return FRUGAL_F64; }
  static frugal_type type_of(const std::uint64_t*) { return FRUGAL_U64; }
  static frugal_type type_of(const std::uint32_t*) { return FRUGAL_U32; }
  static frugal_type type_of(const std::uint16_t*) { return FRUGAL_BF16; }
  static frugal_type type_of(const std::int8_t*) { return FRUGAL_I8; }
  static frugal_type type_of(const std::uint8_t*) { return FRUGAL_U8; }

  std::map<std::string, Place> places_;
};

/// The array of that name in a batch. Fails unless it has that type and number of elements.
const frugal_array& batch_array(const frugal_array* batch, std::size_t n, const char* name,
                                frugal_type type, std::uint64_t size);
/// The array of that name, of any size. Fails if there is none.
const frugal_array& find_array(const frugal_array* batch, std::size_t n, const std::string& name);
/// Whether a batch has an array of that name.
bool has_array(const frugal_array* batch, std::size_t n, const char* name);
std::uint64_t array_size(const frugal_array& array);
std::uint64_t type_bytes(std::uint32_t type);

class Engine {
 public:
  virtual ~Engine() = default;
  void set(const frugal_array* arrays, std::size_t n);
  void get(const frugal_array* arrays, std::size_t n);
  virtual void submit(const double* numbers, std::size_t num_numbers, const frugal_array* batch,
                      std::size_t n) = 0;
  virtual void collect(bool wait, frugal_sums& sums) = 0;
  virtual void run(const frugal_array* batch, std::size_t n, const frugal_array* answers,
                   std::size_t num_answers) = 0;

 protected:
  /// Called after arrays were set.
  virtual void took_arrays() {}

  NamedArrays arrays_;
  Stream stream_;  ///< stream of all kernels
};

/// A kind of engine, by name.
struct EngineKind {
  const char* name;
  /// Makes an engine. If `room` only counts, the engine has no memory and must not be used.
  std::unique_ptr<Engine> (*make)(const Settings& settings, Room& room);
};
const EngineKind* find_engine(const std::string& name);
const char* const* engine_names();

std::unique_ptr<Engine> make_robe_training(const Settings& settings, Room& room);
std::unique_ptr<Engine> make_robe_prediction(const Settings& settings, Room& room);
std::unique_ptr<Engine> make_sparse_training(const Settings& settings, Room& room);
std::unique_ptr<Engine> make_sparse_prediction(const Settings& settings, Room& room);
std::unique_ptr<Engine> make_gnn_training(const Settings& settings, Room& room);
std::unique_ptr<Engine> make_gnn_sampling(const Settings& settings, Room& room);
std::unique_ptr<Engine> make_tgn_training(const Settings& settings, Room& room);
std::unique_ptr<Engine> make_tgn_evaluation(const Settings& settings, Room& room);

}  // namespace frugal::cuda
