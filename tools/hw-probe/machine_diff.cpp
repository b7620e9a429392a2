#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "libcore/base/error.h"
#include "tools/hw-probe/machine_json.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

Json read_machine(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(ExitStatus::cannot_open, path, ": cannot open");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json machine = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!machine.is_object() || !machine.contains("cpus_usable")) {
    fail(ExitStatus::bad_input, path, ": expected an object written by 'hw-probe detect --json'");
  }
  return machine;
}

bool changes_all_the_time(const std::string& key) {
  return key == "memory_available_bytes" || key == "left_bytes" || key == "free";
}

/// Elements of lists are called by what names them, so that one more limit or signal does not make
/// all later ones differ.
std::string element_name(const Json& element, std::size_t index) {
  if (element.is_object()) {
    for (const char* key : {"source", "name"}) {
      const auto found = element.find(key);
      if (found != element.end() && found->is_string()) return found->get<std::string>();
    }
  }
  return std::to_string(index);
}

void flatten(const Json& value, const std::string& path, std::map<std::string, std::string>* out) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      if (!changes_all_the_time(key)) flatten(child, path.empty() ? key : path + "." + key, out);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      flatten(value[i], path + "[" + element_name(value[i], i) + "]", out);
    }
  } else {
    (*out)[path] = value.dump();
  }
}

}  // namespace

std::string machine_differences(const std::string& path_a, const std::string& path_b) {
  std::map<std::string, std::string> a, b;
  flatten(read_machine(path_a), "", &a);
  flatten(read_machine(path_b), "", &b);
  std::string text;
  for (const auto& [path, value] : a) {
    const auto other = b.find(path);
    const std::string there = other == b.end() ? "missing" : other->second;
    if (there != value) text += path + ": " + value + " -> " + there + "\n";
  }
  for (const auto& [path, value] : b) {
    if (!a.contains(path)) text += path + ": missing -> " + value + "\n";
  }
  return text;
}

}  // namespace frugal::probe
