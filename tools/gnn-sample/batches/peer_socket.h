#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>

namespace frugal::gnn {

/// A connection to another program on this machine, by a Unix-domain socket of type SOCK_STREAM.
class PeerSocket {
 public:
  /// name: the number of a descriptor that the caller of this program passes on, or the path of a
  /// socket at which the other program listens. `gone` is called once, on any thread, when the
  /// other program closes its end or dies. Errors: usage, cannot_open.
  PeerSocket(std::string name, std::function<void()> gone);
  ~PeerSocket();
  PeerSocket(const PeerSocket&) = delete;
  PeerSocket& operator=(const PeerSocket&) = delete;

  /// Sends all bytes, and the descriptors with them. Fails (io_error) if the other program is gone.
  void send(const void* data, std::size_t size, std::span<const int> descriptors = {});
  /// Waits for a byte. Fails (io_error) if the other program is gone.
  void receive_byte();
  /// Lets the other program close its end from now on: only a send() that fails calls `gone`. To be
  /// called before the last message, at whose arrival the other program may be faster than this.
  void allow_close() { closing_ = true; }

 private:
  [[noreturn]] void fail_to_reach(int error);

  std::string name_;
  int descriptor_ = -1;
  std::function<void()> gone_;
  std::once_flag told_;
  std::atomic<bool> closing_{false};
  std::jthread watcher_;
};

}  // namespace frugal::gnn
