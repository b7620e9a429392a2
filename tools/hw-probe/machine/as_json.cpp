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

Json caches_json(const std::vector<CacheLevel>& caches) {
  Json list = Json::array();
  for (const CacheLevel& cache : caches) {
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

Json core_kinds_json(const Topology& topology) {
  Json list = Json::array();
  for (const CoreKind& kind : topology.core_kinds) {
    list.push_back({{"name", kind.name},
                    {"cores", kind.cores},
                    {"cpus", kind.cpus},
                    {"max_mhz", kind.max_mhz},
                    {"speed", kind.speed},
                    {"caches", caches_json(kind.caches)}});
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

void describe_machine(const ResultFields& f, const Machine& machine) {
  const Topology& topology = machine.topology;
  f.add("recorded", machine.recorded, "whether --sysroot describes a recorded machine");
  f.add("cpus_usable", machine.cpus.count, "CPUs that this process may use");
  f.add("cpu_limits", limits_json(machine.cpus), "what limits them");
  f.add("threads_auto", machine.threads.threads, "threads that --threads auto starts");
  f.add("threads_reason", machine.threads.reason, "why so many");
  f.add("cpus_online", topology.cpus_online, "CPUs of the machine");
  f.add("cores", topology.cores, "cores of the machine");
  f.add("sockets", topology.sockets, "sockets of the machine");
  f.add("architecture", machine.architecture, "architecture of the CPU");
  f.add("cpu_model", machine.cpu_model, "name of the CPU");
  f.add("isa", isa_json(machine), "instruction sets, and why each is or is not usable");
  f.add("caches", caches_json(topology.caches),
        "level, type, bytes and sharing of each cache; a level has several entries if its caches "
        "differ in size");
  f.add("core_kinds", core_kinds_json(topology),
        "kinds of cores, fastest first: name, cores, logical CPUs, highest clock frequency in MHz "
        "(0 = unknown), speed of a core relative to the fastest, and caches; empty if all cores "
        "are alike");
  f.add("memory_bytes", topology.memory_bytes, "memory of the machine");
  f.add("memory_available_bytes", machine.memory_available,
        "memory that this process may still use");
  f.add("memory_limits", memory_json(machine), "what limits it");
  f.add("swap_bytes", topology.swap_bytes, "swap space");
  f.add("numa_nodes", nodes_json(topology), "CPUs and memory of each NUMA node");
  f.add("huge_pages", huge_pages_json(topology), "huge pages and their settings");
  f.add("devices", devices_json(machine.devices), "kind, name and memory of each device");
  f.add("accelerators", accelerators_json(machine),
        "for CUDA, ROCm and IPU, whether devices are usable and why, their number, and the signals "
        "for or against them");
  f.add("kernel", machine.kernel, "version of the operating system");
  f.add("virtualization", machine.surroundings.virtualization,
        "kind of virtual machine; \"\" = none");
  f.add("container", machine.surroundings.container, "kind of container; \"\" = none");
  f.add("batch_system", machine.surroundings.batch_system, "batch system; \"\" = none");
  f.add("tools", tools_json(machine),
        "for each tool, the kernels and the device that it would use");
}

}  // namespace frugal::probe
