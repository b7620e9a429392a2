#include "tools/hw-probe/machine/as_json.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "libcore/base/error.h"
#include "libcore/streams/input_stream.h"
#include "libcore/streams/json_text.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

Json read_machine(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 1 << 20;  // hundreds of times what a large machine needs
  Json machine = parse_json<Json>(read_whole(path, kMostBytes), path + ": ");
  if (!machine.is_object() || !machine.contains("cpus_usable")) {
    fail(ExitStatus::bad_input, path, ": expected an object written by 'hw-probe detect --json'");
  }
  check_joined_names(machine, path + ": ");
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

namespace {

using Json = nlohmann::ordered_json;

Json limits_json(const UsableCpus& cpus) {
  Json list = Json::array();
  for (const CpuLimit& limit : cpus.limits) {
    list.push_back({{"source", limit.source}, {"cpus", limit.cpus}});
  }
  return list;
}

Json isa_json(const Machine& machine) {
  Json isa = Json::object();
  for (const IsaFinding& level : machine.isa) {
    isa[level.name] = {{"usable", level.usable}, {"reason", level.reason}, {"simd", level.simd}};
  }
  return isa;
}

Json caches_json(const Topology& topology) {
  Json list = Json::array();
  for (const CacheLevel& cache : topology.caches) {
    list.push_back({{"level", cache.level},
                    {"type", cache.type},
                    {"bytes", cache.bytes},
                    {"instances", cache.instances},
                    {"shared_by", cache.shared_by},
                    {"line_bytes", cache.line_bytes},
                    {"ways", cache.ways}});
  }
  return list;
}

Json memory_json(const Machine& machine) {
  Json list = Json::array();
  for (const MemoryLimit& limit : machine.memory) {
    list.push_back({{"source", limit.source}, {"bytes", limit.limit}, {"left_bytes", limit.left}});
  }
  return list;
}

Json nodes_json(const Topology& topology) {
  Json list = Json::array();
  for (const NumaNode& node : topology.nodes) {
    list.push_back({{"id", node.id},
                    {"cpus", node.cpus},
                    {"memory_bytes", node.memory_bytes},
                    {"distances", node.distances}});
  }
  return list;
}

Json huge_pages_json(const Topology& topology) {
  Json pools = Json::array();
  for (const HugePagePool& pool : topology.huge_page_pools) {
    pools.push_back({{"page_bytes", pool.page_bytes}, {"total", pool.total}, {"free", pool.free}});
  }
  return {{"transparent", topology.transparent_huge_pages}, {"pools", pools}};
}

Json devices_json(const std::vector<DeviceFinding>& devices) {
  Json list = Json::array();
  for (const DeviceFinding& device : devices) {
    list.push_back(
        {{"kind", device.kind}, {"name", device.name}, {"memory_bytes", device.memory_bytes}});
  }
  return list;
}

Json accelerators_json(const Machine& machine) {
  Json all = Json::object();
  for (const AcceleratorFinding& accelerator : machine.accelerators) {
    Json signals = Json::array();
    for (const Signal& signal : accelerator.signals) {
      signals.push_back(
          {{"name", signal.name}, {"found", signal.found}, {"detail", signal.detail}});
    }
    all[accelerator.kind] = {{"usable", accelerator.usable},
                             {"reason", accelerator.reason},
                             {"devices", accelerator.devices.size()},
                             {"signals", signals}};
  }
  return all;
}

Json tools_json(const Machine& machine) {
  Json all = Json::object();
  for (const ToolChoice& choice : machine.tools) {
    all[choice.tool] = {{"kernels", choice.kernels}, {"device", choice.device}};
  }
  return all;
}

}  // namespace

void add_machine(const Machine& machine, nlohmann::ordered_json* object) {
  Json& out = *object;
  const Topology& topology = machine.topology;
  out["recorded"] = machine.recorded;
  out["cpus_usable"] = machine.cpus.count;
  out["cpu_limits"] = limits_json(machine.cpus);
  out["cpus_online"] = topology.cpus_online;
  out["cores"] = topology.cores;
  out["sockets"] = topology.sockets;
  out["architecture"] = machine.architecture;
  out["cpu_model"] = machine.cpu_model;
  out["isa"] = isa_json(machine);
  out["caches"] = caches_json(topology);
  out["memory_bytes"] = topology.memory_bytes;
  out["memory_available_bytes"] = machine.memory_available;
  out["memory_limits"] = memory_json(machine);
  out["swap_bytes"] = topology.swap_bytes;
  out["numa_nodes"] = nodes_json(topology);
  out["huge_pages"] = huge_pages_json(topology);
  out["devices"] = devices_json(machine.devices);
  out["accelerators"] = accelerators_json(machine);
  out["kernel"] = machine.kernel;
  out["virtualization"] = machine.surroundings.virtualization;
  out["container"] = machine.surroundings.container;
  out["batch_system"] = machine.surroundings.batch_system;
  out["tools"] = tools_json(machine);
}

}  // namespace frugal::probe
