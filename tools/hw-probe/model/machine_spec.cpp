#include "tools/hw-probe/model/machine_spec.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal::probe {
namespace {

void describe(const OptionFields& f, const std::string& where, Processor& p) {
  const auto name = [&](const char* key) { return "--" + where + "-" + key; };
  f.add(name("f32-gflops").c_str(), p.f32_gflops, "peak speed of products in f32, in GFLOP/s")
      .not_negative();
  f.add(name("bf16-gflops").c_str(), p.bf16_gflops,
        "peak speed of products in 16 bits, in GFLOP/s; 0: these products are computed in f32")
      .not_negative();
  f.add(name("units").c_str(), p.units,
        "number of cores, multiprocessors or tiles that work at once")
      .range(1.0, 1e7);
  f.add(name("tile").c_str(), p.tile,
        "number of rows and of columns of a product's result that keep one unit busy; smaller "
        "products leave units idle")
      .range(1.0, 4096.0);
  f.add(name("level-bytes").c_str(), p.level_bytes,
        "bytes of each level of its memory (caches, then RAM), the smallest first");
  f.add(name("level-gb-per-s").c_str(), p.level_gb_per_s,
        "bandwidth of long reads from each level, in GB/s, for all units together");
  f.add(name("level-ns").c_str(), p.level_ns,
        "latency of a read from each level that depends on the previous one, in ns");
  f.add(name("level-in-flight").c_str(), p.level_in_flight,
        "number of independent reads of each level that overlap, for all units together");
  f.add(name("launch-us").c_str(), p.launch_us, "time to start a kernel, in microseconds")
      .not_negative();
  f.add(name("compiled").c_str(), p.compiled,
        "whether programs are compiled as a whole, so that operations of a framework cost only "
        "launches");
}

void check(const Processor& p, const std::string& where, const std::string& path) {
  const auto refuse = [&](const std::string& key, const std::string& expected) {
    fail(ExitStatus::usage, path, ": '", where, "-", key, "': expected ", expected);
  };
  if (!p.exists()) {
    if (where == "host") refuse("f32-gflops", "a peak above 0");
    return;
  }
  const std::size_t levels = p.level_bytes.size();
  if (levels == 0) refuse("level-bytes", "one level of memory at least");
  if (levels > kMostLevels) {
    refuse("level-bytes", "at most " + std::to_string(kMostLevels) + " levels of memory");
  }
  const std::pair<const char*, const std::vector<double>*> lists[] = {
      {"level-bytes", &p.level_bytes},
      {"level-gb-per-s", &p.level_gb_per_s},
      {"level-ns", &p.level_ns},
      {"level-in-flight", &p.level_in_flight}};
  for (const auto& [key, list] : lists) {
    if (list->size() != levels) refuse(key, std::to_string(levels) + " values, one a level");
    if (std::any_of(list->begin(), list->end(), [](double x) { return !(x > 0); })) {
      refuse(key, "values above 0");
    }
  }
  if (!std::is_sorted(p.level_bytes.begin(), p.level_bytes.end())) {
    refuse("level-bytes", "the smallest level first");
  }
}

}  // namespace

void describe(const OptionFields& f, MachineSpec& m) {
  f.add("--title", m.title, "description of the machine in one line").required();
  f.add("--date", m.date, "date on which its figures were looked up").required();
  describe(f, "host", m.host);
  describe(f, "device", m.device);
  f.add("--devices", m.devices,
        "number of equal devices in the machine, which share its host; each runs a rank of its own")
      .range(1.0, 1024.0);
  f.add("--link-gb-per-s", m.link_gb_per_s, "bandwidth of copies from host to device, in GB/s")
      .not_negative();
  f.add("--link-us", m.link_us, "latency of a copy, in microseconds").not_negative();
  f.add("--network-gbit", m.network_gbit,
        "bandwidth of the network between nodes, in Gb/s; 0: no network")
      .not_negative();
  f.add("--network-us", m.network_us, "latency of a message between nodes, in microseconds")
      .not_negative();
  f.add("--dollars-per-hour", m.dollars_per_hour,
        "price per hour on demand, in dollars; 0: not known")
      .not_negative();
  f.add("--price-date", m.price_date,
        "date and place of the price; advise says so where its year is over for a year or more");
  f.add("--watts", m.watts,
        "power of the host's processors and of all devices under load, as their makers publish it, "
        "in W; 0: not published")
      .not_negative();
  f.add("--estimates", m.estimates,
        "names of the keys whose values are estimates, not from a data sheet");
}

void check(const MachineSpec& machine, const std::string& path) {
  check(machine.host, "host", path);
  check(machine.device, "device", path);
  if (machine.device.exists() && machine.link_gb_per_s <= 0) {
    fail(ExitStatus::usage, path, ": 'link-gb-per-s': expected a rate above 0 beside a device");
  }
  if (machine.dollars_per_hour > 0 && machine.price_date.empty()) {
    fail(ExitStatus::usage, path, ": 'price-date': expected when the price held");
  }
}

}  // namespace frugal::probe
