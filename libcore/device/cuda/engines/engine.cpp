#include "libcore/device/cuda/engines/engine.h"

#include <cstdlib>

namespace frugal::cuda {

Settings::Settings(const frugal_setting* settings, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values_[settings[i].name] = settings[i].value;
}

std::string Settings::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw Failure(FRUGAL_BAD_ARGUMENT, "no setting '" + name + "'");
  return found->second;
}

std::uint64_t Settings::number(const std::string& name) const {
  const std::string value = text(name);
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0') {
    throw Failure(FRUGAL_BAD_ARGUMENT,
                  "setting '" + name + "' is '" + value + "', expected a number");
  }
  return number;
}

float Settings::real(const std::string& name) const {
  return std::strtof(text(name).c_str(), nullptr);
}

std::vector<std::uint32_t> Settings::sizes(const std::string& name) const {
  std::vector<std::uint32_t> sizes;
  const std::string value = text(name);
  for (std::size_t at = 0; at < value.size();) {
    sizes.push_back(static_cast<std::uint32_t>(std::strtoul(value.c_str() + at, nullptr, 10)));
    const std::size_t next = value.find('-', at);
    at = next == std::string::npos ? value.size() : next + 1;
  }
  return sizes;
}

std::uint64_t array_size(const frugal_array& array) {
  std::uint64_t size = 1;
  for (std::uint32_t d = 0; d < array.rank; ++d) size *= array.shape[d];
  return size;
}

std::uint64_t type_bytes(std::uint32_t type) {
  switch (type) {
    case FRUGAL_U8:
    case FRUGAL_I8: return 1;
    case FRUGAL_BF16: return 2;
    case FRUGAL_U32:
    case FRUGAL_I32:
    case FRUGAL_F32: return 4;
    default: return 8;
  }
}

const NamedArrays::Place& NamedArrays::find(const frugal_array& array) const {
  const auto found = places_.find(array.name);
  if (found == places_.end()) {
    throw Failure(FRUGAL_BAD_ARGUMENT, std::string("no array '") + array.name + "'");
  }
  const Place& place = found->second;
  if (place.type != static_cast<frugal_type>(array.type) || place.size != array_size(array)) {
    throw Failure(FRUGAL_BAD_ARGUMENT, std::string("array '") + array.name + "' has " +
                                           std::to_string(array_size(array)) + " numbers of type " +
                                           std::to_string(array.type) + ", expected " +
                                           std::to_string(place.size) + " of type " +
                                           std::to_string(place.type));
  }
  return place;
}

bool has_array(const frugal_array* batch, std::size_t n, const char* name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (std::strcmp(batch[i].name, name) == 0) return true;
  }
  return false;
}

const frugal_array& find_array(const frugal_array* batch, std::size_t n, const std::string& name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (name == batch[i].name) return batch[i];
  }
  throw Failure(FRUGAL_BAD_ARGUMENT, "the batch has no array '" + name + "'");
}

const frugal_array& batch_array(const frugal_array* batch, std::size_t n, const char* name,
                                frugal_type type, std::uint64_t size) {
  const frugal_array& found = find_array(batch, n, name);
  if (found.type == static_cast<std::uint32_t>(type) && array_size(found) == size) return found;
  throw Failure(FRUGAL_BAD_ARGUMENT, std::string("batch array '") + name + "' has " +
                                         std::to_string(array_size(found)) + " numbers, expected " +
                                         std::to_string(size));
}

void Engine::set(const frugal_array* arrays, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const NamedArrays::Place& place = arrays_.find(arrays[i]);
    stream_.copy(static_cast<char*>(place.data), static_cast<const char*>(arrays[i].data),
                 place.size * type_bytes(arrays[i].type));
  }
  took_arrays();
  stream_.wait();
}

void Engine::get(const frugal_array* arrays, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const NamedArrays::Place& place = arrays_.find(arrays[i]);
    stream_.copy(static_cast<char*>(arrays[i].data), static_cast<const char*>(place.data),
                 place.size * type_bytes(arrays[i].type));
  }
  stream_.wait();
}

namespace {

constexpr EngineKind kKinds[] = {
    {"robe.train", make_robe_training},     {"robe.predict", make_robe_prediction},
    {"sparse.train", make_sparse_training}, {"sparse.predict", make_sparse_prediction},
    {"tgn.train", make_tgn_training},       {"tgn.eval", make_tgn_evaluation},
    {"gnn.train", make_gnn_training},       {"gnn.sample", make_gnn_sampling},
};
constexpr const char* kNames[] = {kKinds[0].name, kKinds[1].name, kKinds[2].name,
                                  kKinds[3].name, kKinds[4].name, kKinds[5].name,
                                  kKinds[6].name, kKinds[7].name, nullptr};

}  // namespace

const EngineKind* find_engine(const std::string& name) {
  for (const EngineKind& kind : kKinds) {
    if (name == kind.name) return &kind;
  }
  return nullptr;
}

const char* const* engine_names() { return kNames; }

}  // namespace frugal::cuda
