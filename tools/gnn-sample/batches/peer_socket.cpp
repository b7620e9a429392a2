#include "tools/gnn-sample/batches/peer_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/restarted_calls.h"

namespace frugal::gnn {
namespace {

int inherited(const std::string& name, int descriptor) {
  const auto is = [descriptor](int option, int expected) {
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 && value == expected;
  };
  sockaddr_un peer{};
  socklen_t size = sizeof peer;
  if (!is(SO_DOMAIN, AF_UNIX) || !is(SO_TYPE, SOCK_STREAM) ||
      getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0) {
    fail(ExitStatus::usage, "--shared ", name,
         ": this descriptor is no connected Unix-domain socket of type SOCK_STREAM; the program "
         "that reads mini-batches passes one end of a socket pair on");
  }
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

int connected(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    fail(ExitStatus::usage, "--shared: a path of ", path.size(), " bytes, expected fewer than ",
         sizeof address.sun_path, " for a socket");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 ||
      connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    fail(ExitStatus::cannot_open, path, ": cannot connect: ", errno_text(error),
         "; expected a socket at which the program that reads mini-batches listens");
  }
  return descriptor;
}

}  // namespace

PeerSocket::PeerSocket(std::string name, std::function<void()> gone)
    : name_(std::move(name)), gone_(std::move(gone)) {
  const auto number = parse_number<int>(name_);
  descriptor_ = number ? inherited(name_, *number) : connected(name_);
  fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
  watcher_ = std::jthread([this] {
    pollfd hang_up{descriptor_, POLLRDHUP, 0};
    restarted([&] { return poll(&hang_up, 1, -1); });
    if (!closing_) std::call_once(told_, gone_);
  });
}

PeerSocket::~PeerSocket() {
  closing_ = true;
  shutdown(descriptor_, SHUT_RDWR);  // wakes the watcher
  watcher_.join();
  close(descriptor_);
}

void PeerSocket::fail_to_reach(int error) {
  std::call_once(told_, gone_);  // or waits for the watcher, so that the program ends in one way
  fail(ExitStatus::io_error, "--shared ", name_,
       ": the program that reads mini-batches is gone: ", errno_text(error));
}

void PeerSocket::send(const void* data, std::size_t size, std::span<const int> descriptors) {
  const auto* bytes = static_cast<const char*>(data);
  std::vector<char> control(descriptors.empty() ? 0 : CMSG_SPACE(descriptors.size_bytes()));
  while (size != 0) {
    iovec piece{const_cast<char*>(bytes), size};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!control.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    const auto sent = restarted([&] { return sendmsg(descriptor_, &message, MSG_NOSIGNAL); });
    if (sent < 0) fail_to_reach(errno);
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
    control.clear();  // they went with the first byte
  }
}

void PeerSocket::receive_byte() {
  char byte = 0;
  const auto received = restarted([&] { return recv(descriptor_, &byte, 1, 0); });
  if (received != 1) fail_to_reach(received == 0 ? ECONNRESET : errno);
}

}  // namespace frugal::gnn
