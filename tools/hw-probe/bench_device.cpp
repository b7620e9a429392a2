#include "tools/hw-probe/bench_device.h"

#include <memory>

#include "libcore/base/error.h"
#include "libcore/device/registry.h"

namespace frugal::probe {
namespace {

enum class Transfer { to_device, from_device, launches };

/// Pinned memory of the host, memory of the device and a stream between them.
class TransferBody : public WorkBody {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 25;
  static constexpr int kLaunches = 256;
  TransferBody(const frugal_device_table* table, Transfer transfer)
      : table_(table), transfer_(transfer) {}
  ~TransferBody() override {
    if (event_ != nullptr) table_->event_release(event_);
    if (stream_ != nullptr) table_->stream_release(stream_);
    if (device_ != nullptr) table_->release(0, device_);
    if (host_ != nullptr) table_->pinned_release(host_);
  }
  TransferBody(const TransferBody&) = delete;
  TransferBody& operator=(const TransferBody&) = delete;

  void prepare() override {
    check(table_->pinned_allocate(kBytes, &host_, message_.room()));
    check(table_->allocate(0, kBytes, &device_, message_.room()));
    check(table_->stream_create(0, &stream_, message_.room()));
  }
  void call(int, int) override {
    const bool back = transfer_ == Transfer::from_device;
    const int copies = transfer_ == Transfer::launches ? kLaunches : 1;
    const std::size_t bytes = transfer_ == Transfer::launches ? sizeof(int) : kBytes;
    for (int i = 0; i < copies; ++i) {
      check(table_->copy(stream_, back ? host_ : device_, back ? device_ : host_, bytes,
                         message_.room()));
    }
    check(table_->event_record(stream_, &event_, message_.room()));
    check(table_->event_wait(event_, message_.room()));
  }

 private:
  void check(int failure) const {
    if (failure != 0) fail(ExitStatus::unavailable, "device: ", message_.text());
  }

  const frugal_device_table* table_;
  Transfer transfer_;
  PluginMessage message_;
  void* host_ = nullptr;
  void* device_ = nullptr;
  frugal_stream* stream_ = nullptr;
  frugal_event* event_ = nullptr;
};

Work transfer_work(const std::string& name, const frugal_device_table* table, Transfer transfer) {
  const bool rate = transfer != Transfer::launches;
  return {name, rate ? "GB/s" : "ns", rate ? TransferBody::kBytes * 1e-9 : TransferBody::kLaunches,
          1, std::make_unique<TransferBody>(table, transfer)};
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
    works.push_back(transfer_work("device/to/1", plugin.device, Transfer::to_device));
    works.push_back(transfer_work("device/from/1", plugin.device, Transfer::from_device));
    works.push_back(transfer_work("device/launch/1", plugin.device, Transfer::launches));
    return works;
  }
  return {};
}

}  // namespace frugal::probe
