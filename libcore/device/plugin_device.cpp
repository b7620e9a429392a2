#include <array>

#include "libcore/base/error.h"
#include "libcore/device/device.h"

namespace frugal {
namespace {

/// Room for a plug-in's words.
class Message {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): an argument of the plug-in's functions
  operator frugal_message() { return {text_.data(), text_.size()}; }
  std::string str() const { return text_.data(); }

 private:
  std::array<char, 256> text_{};
};

class PluginBuffer : public DeviceBuffer {
 public:
  PluginBuffer(const frugal_plugin& plugin, frugal_buffer* buffer, std::size_t bytes)
      : DeviceBuffer(bytes), plugin_(plugin), buffer_(buffer) {}
  ~PluginBuffer() override { plugin_.release(buffer_); }
  PluginBuffer(const PluginBuffer&) = delete;
  PluginBuffer& operator=(const PluginBuffer&) = delete;
  frugal_buffer* get() const { return buffer_; }

 private:
  const frugal_plugin& plugin_;
  frugal_buffer* buffer_;
};

frugal_buffer* raw(const DeviceBuffer& buffer) {
  return static_cast<const PluginBuffer&>(buffer).get();
}

class PluginDevice : public Device {
 public:
  PluginDevice(const frugal_plugin& plugin, int index) : plugin_(plugin), index_(index) {
    Message name;
    check(plugin_.device_info(index_, name, &memory_bytes_), "device_info", name);
    name_ = name.str();
  }
  std::string kind() const override { return plugin_.name; }
  std::string name() const override { return name_; }
  std::uint64_t memory_bytes() const override { return memory_bytes_; }
  bool supports(frugal_operation operation) const override {
    return plugin_.supports(index_, operation) != 0;
  }

  std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) override {
    Message error;
    frugal_buffer* buffer = nullptr;
    check(plugin_.allocate(index_, bytes, &buffer, error), "allocate", error);
    return std::make_unique<PluginBuffer>(plugin_, buffer, bytes);
  }
  void upload(DeviceBuffer& to, const void* from, std::size_t bytes) override {
    Message error;
    check(plugin_.upload(raw(to), from, bytes, error), "upload", error);
  }
  void download(void* to, const DeviceBuffer& from, std::size_t bytes) override {
    Message error;
    check(plugin_.download(to, raw(from), bytes, error), "download", error);
  }
  void axpy(float a, const DeviceBuffer& x, DeviceBuffer& y, std::size_t n) override {
    Message error;
    check(plugin_.axpy_f32(a, raw(x), raw(y), n, error), "axpy", error);
  }
  void gather_rows(const DeviceBuffer& table, std::size_t dim, const DeviceBuffer& rows,
                   std::size_t n, DeviceBuffer& out) override {
    Message error;
    check(plugin_.gather_rows_f32(raw(table), dim, raw(rows), n, raw(out), error), "gather_rows",
          error);
  }
  void gemm(const DeviceBuffer& a, const DeviceBuffer& b, DeviceBuffer& c,
            GemmShape shape) override {
    Message error;
    check(plugin_.gemm_f32(raw(a), raw(b), raw(c), shape.m, shape.n, shape.k, error), "gemm",
          error);
  }

 private:
  void check(int status, const char* call, const Message& message) const {
    if (status != 0) {
      fail(ExitStatus::unavailable, "device ", plugin_.name, " ", index_, ": ", call, ": ",
           message.str());
    }
  }

  const frugal_plugin& plugin_;
  int index_;
  std::string name_;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_plugin_device(const frugal_plugin& plugin, int index) {
  return std::make_unique<PluginDevice>(plugin, index);
}

}  // namespace frugal
