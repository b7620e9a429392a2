#include "tools/hw-probe/bench/bench_device.h"

#include <memory>

#include "libcore/base/error.h"
#include "libcore/device/registry.h"

namespace frugal::probe {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 25;
constexpr int kLaunches = 256;

/// Copies between pinned memory of the host and the first device.
class TransferBody : public WorkBody {
 public:
  TransferBody(const frugal_device_table* table, bool back, std::size_t bytes, std::uint32_t times)
      : table_(table), back_(back), bytes_(bytes), times_(times) {}
  void prepare() override { call(0, 0); }
  void call(int, int) override {
    if (table_->transfer(0, back_ ? 1 : 0, bytes_, times_, message_.room()) == FRUGAL_OK) return;
    fail(ExitStatus::unavailable, "device: ", message_.text());
  }

 private:
  const frugal_device_table* table_;
  bool back_;
  std::size_t bytes_;
  std::uint32_t times_;
  PluginMessage message_;
};

Work rate_work(const std::string& name, const frugal_device_table* table, bool back) {
  return {name, "GB/s", kBytes * 1e-9, 1, std::make_unique<TransferBody>(table, back, kBytes, 1),
          {},   true};
}

/// Time to put an operation onto a stream: copies of one number.
Work launch_work(const std::string& name, const frugal_device_table* table) {
  return {name,
          "ns",
          kLaunches,
          1,
          std::make_unique<TransferBody>(table, false, sizeof(int), kLaunches),
          {},
          true};
}

}  // namespace

std::vector<Work> device_works(std::string* why) {
  for (const std::string& name : plugin_names()) {
    const PluginStatus plugin = load_plugin(name);
    if (!plugin.usable) {
      *why += (why->empty() ? "" : "; ") + name + ": " + plugin.reason;
      continue;
    }
    std::vector<Work> works;
    works.push_back(rate_work("device/to/1", plugin.device, false));
    works.push_back(rate_work("device/from/1", plugin.device, true));
    works.push_back(launch_work("device/launch/1", plugin.device));
    return works;
  }
  return {};
}

}  // namespace frugal::probe
