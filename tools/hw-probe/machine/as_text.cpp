#include "tools/hw-probe/machine/as_text.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "libcore/base/text.h"

namespace frugal::probe {
namespace {

/// Lines of "  name      value" under titles.
class TextTable {
 public:
  void section(const std::string& title) { text_ << title << "\n"; }
  void row(const std::string& name, const std::string& value) {
    constexpr std::size_t kNameWidth = 38;
    std::string cell = "  " + name;
    cell.resize(std::max(kNameWidth, cell.size() + 1), ' ');
    text_ << cell << value << "\n";
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

std::string count_of(int n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string or_none(const std::string& text) { return text.empty() ? "none found" : text; }

std::string cache_name(const CacheLevel& cache) {
  const char* kind = cache.type == "data"          ? " data"
                     : cache.type == "instruction" ? " instructions"
                                                   : "";
  return "L" + std::to_string(cache.level) + kind;
}

/// Exact size in whole MiB or KiB: "18 MiB", "1280 KiB".
std::string cache_size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
  if (bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " MiB";
  return bytes % kKiB == 0 ? std::to_string(bytes / kKiB) + " KiB" : std::to_string(bytes) + " B";
}

std::string cache_value(const CacheLevel& cache) {
  std::string text = cache_size_text(cache.bytes);
  if (cache.instances > 1) text += " x " + std::to_string(cache.instances);
  if (cache.shared_by > 1) text += ", each shared by " + count_of(cache.shared_by, "CPU");
  if (cache.line_bytes > 0) text += ", lines of " + format_bytes(std::uint64_t(cache.line_bytes));
  return text;
}

std::string cpu_limit_name(const std::string& source) {
  if (source == "online") return "CPUs online";
  return source == "affinity" ? "affinity of this process, see taskset(1)" : source;
}

std::string huge_pages_meaning(const std::string& mode) {
  if (mode == "madvise") return mode + ": for programs that ask, as the tools do";
  if (mode == "always") return mode + ": for all programs";
  return mode == "never" ? mode + ": random access to large tables is slower" : or_none(mode);
}

void add_caches(const std::vector<CacheLevel>& caches, const char* indent, TextTable* table) {
  for (const CacheLevel& cache : caches) table->row(indent + cache_name(cache), cache_value(cache));
}

/// "0-7,16": the CPUs in ascending order, runs of consecutive ones as first-last.
std::string cpu_ranges(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (last > i) text += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

/// "8, CPUs 8-15, up to 3.7 GHz, 0.58 times as fast as a performance core".
std::string kind_value(const CoreKind& kind, const CoreKind& fastest) {
  std::string text = std::to_string(kind.cores) + (kind.cpus.size() == 1 ? ", CPU " : ", CPUs ") +
                     cpu_ranges(kind.cpus);
  constexpr double kMegahertz = 1000;
  if (kind.max_mhz > 0) text += ", up to " + format_number(kind.max_mhz / kMegahertz, 2) + " GHz";
  if (kind.speed < 1) {
    text += ", " + format_number(kind.speed, 2) + " times as fast as a " + fastest.name + " core";
  }
  return text;
}

void add_core_kinds(const Topology& topology, TextTable* table) {
  for (const CoreKind& kind : topology.core_kinds) {
    table->row(kind.name + " cores", kind_value(kind, topology.core_kinds.front()));
    add_caches(kind.caches, "  ", table);
  }
  if (topology.core_kinds.empty()) add_caches(topology.caches, "", table);
}

void add_cpus(const Machine& machine, TextTable* table) {
  const Topology& topology = machine.topology;
  table->section("CPUs");
  table->row("usable", std::to_string(machine.cpus.count));
  for (const CpuLimit& limit : machine.cpus.limits) {
    const bool whole = limit.cpus == std::floor(limit.cpus);
    const std::string rounded = std::to_string(std::max(1L, std::lround(limit.cpus)));
    table->row("  limit", format_number(limit.cpus) + (whole ? "" : ", rounded to " + rounded) +
                              " (" + cpu_limit_name(limit.source) + ")");
  }
  table->row("threads of --threads auto",
             std::to_string(machine.threads.threads) + " (" + machine.threads.reason + ")");
  table->row("model", machine.cpu_model + ", " + machine.architecture);
  if (topology.sockets > 0) {
    table->row("structure", count_of(topology.sockets, "socket") + ", " +
                                count_of(topology.cores, "core") + ", " +
                                count_of(topology.cpus_online, "logical CPU"));
  }
  add_core_kinds(topology, table);
}

void add_isa(const Machine& machine, TextTable* table) {
  table->section("Instruction sets (--simd)");
  for (const IsaFinding& level : machine.isa) {
    table->row(level.name + " (" + level.simd + ")",
               (level.usable ? "usable: " : "not usable: ") + level.reason);
  }
}

void add_memory(const Machine& machine, TextTable* table) {
  const Topology& topology = machine.topology;
  table->section("Memory");
  const auto known = [](std::uint64_t bytes) {
    return bytes == 0 ? std::string("unknown") : format_bytes(bytes);
  };
  table->row("installed", known(topology.memory_bytes));
  table->row("available",
             machine.memory.empty() ? "unknown" : format_bytes(machine.memory_available));
  for (const MemoryLimit& limit : machine.memory) {
    table->row("  limit", format_bytes(limit.left) + " left of " + format_bytes(limit.limit) +
                              " (" + limit.source + ")");
  }
  table->row("swap", topology.swap_bytes == 0 ? "none" : format_bytes(topology.swap_bytes));
  for (const NumaNode& node : topology.nodes) {
    table->row("NUMA node " + std::to_string(node.id),
               count_of(static_cast<int>(node.cpus.size()), "CPU") + ", " +
                   format_bytes(node.memory_bytes));
  }
  table->row("transparent huge pages", huge_pages_meaning(topology.transparent_huge_pages));
  for (const HugePagePool& pool : topology.huge_page_pools) {
    if (pool.total == 0) continue;
    table->row("pages of " + format_bytes(pool.page_bytes),
               std::to_string(pool.free) + " free of " + std::to_string(pool.total));
  }
}

void add_devices(const Machine& machine, TextTable* table) {
  table->section("Devices (+ sign found, - not found)");
  for (const DeviceFinding& device : machine.devices) {
    std::string value = device.name;
    if (device.memory_bytes > 0) value += ", " + format_bytes(device.memory_bytes);
    table->row(device.kind, value);
  }
  for (const AcceleratorFinding& accelerator : machine.accelerators) {
    table->row(accelerator.kind,
               (accelerator.usable ? "usable: " : "not usable: ") + accelerator.reason);
    for (const Signal& signal : accelerator.signals) {
      table->row((signal.found ? "  + " : "  - ") + signal.name, signal.detail);
    }
  }
}

void add_rest(const Machine& machine, TextTable* table) {
  table->section("Surroundings");
  table->row("kernel", or_none(machine.kernel));
  table->row("virtual machine", or_none(machine.surroundings.virtualization));
  table->row("container", or_none(machine.surroundings.container));
  table->row("batch system", or_none(machine.surroundings.batch_system));
  table->section("Each tool would use");
  for (const ToolChoice& choice : machine.tools) {
    table->row(choice.tool, "kernels " + choice.kernels + ", device " + choice.device);
  }
}

}  // namespace

std::string machine_text(const Machine& machine) {
  TextTable table;
  if (machine.recorded) table.section("Recorded machine: drivers and CPUID were not asked");
  add_cpus(machine, &table);
  add_isa(machine, &table);
  add_memory(machine, &table);
  add_devices(machine, &table);
  add_rest(machine, &table);
  return table.text();
}

std::string machine_variables(const Machine& machine) {
  std::ostringstream text;
  text << "HW_CPUS_USABLE=" << machine.cpus.count << "\n";
  text << "HW_THREADS=" << machine.threads.threads << "\n";
  text << "HW_CPUS_ONLINE=" << machine.topology.cpus_online << "\n";
  text << "HW_CORES=" << machine.topology.cores << "\n";
  text << "HW_SOCKETS=" << machine.topology.sockets << "\n";
  text << "HW_NUMA_NODES=" << machine.topology.nodes.size() << "\n";
  text << "HW_ARCHITECTURE=" << machine.architecture << "\n";
  text << "HW_SIMD=" << machine.tools.front().kernels << "\n";
  for (const int level : {1, 2, 3}) {
    text << "HW_L" << level << "_BYTES=" << cache_bytes(machine.topology, level) << "\n";
  }
  const auto known = [](bool is_known, std::uint64_t bytes) {
    return is_known ? std::to_string(bytes) : std::string();
  };
  text << "HW_MEMORY_BYTES="
       << known(machine.topology.memory_bytes != 0, machine.topology.memory_bytes) << "\n";
  text << "HW_MEMORY_AVAILABLE_BYTES=" << known(!machine.memory.empty(), machine.memory_available)
       << "\n";
  for (const AcceleratorFinding& accelerator : machine.accelerators) {
    std::string name = accelerator.kind;
    for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
    text << "HW_" << name << "_DEVICES=" << accelerator.devices.size() << "\n";
    text << "HW_" << name << "_USABLE=" << (accelerator.usable ? 1 : 0) << "\n";
  }
  return text.str();
}

}  // namespace frugal::probe
