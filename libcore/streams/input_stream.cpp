#include "libcore/streams/input_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

/// Small, so that little is copied: reads of more than this bypass the buffer.
constexpr std::size_t kBufferSize = std::size_t{16} << 10;

int open_input(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int descriptor = open_file(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    fail(ExitStatus::cannot_open, path, ": cannot open: ", errno_text(errno));
  }
  return descriptor;
}

}  // namespace

InputStream::InputStream(std::string path)
    : path_(std::move(path)), descriptor_(open_input(path_)), buffer_(kBufferSize, uninitialized) {
  struct stat info {};
  const bool known = fstat(descriptor_, &info) == 0;
  const bool folder = known && S_ISDIR(info.st_mode), regular = known && S_ISREG(info.st_mode);
  const off_t position = regular ? lseek(descriptor_, 0, SEEK_CUR) : 0;
  if (!known || folder || position < 0) {
    const std::string reason = folder ? "is a folder" : errno_text(errno);
    if (path_ != "-") close(descriptor_);
    fail(folder ? ExitStatus::cannot_open : ExitStatus::io_error, path_, ": cannot open: ", reason);
  }
  regular_ = regular && position == 0;  // stdin that was read from before is treated as a pipe
  if (regular_) size_ = static_cast<std::uint64_t>(info.st_size);
}

InputStream::~InputStream() {
  if (path_ != "-") close(descriptor_);
}

std::size_t InputStream::read_some(void* to, std::size_t size) {
  const ssize_t n = restarted([&] { return ::read(descriptor_, to, size); });
  if (n < 0) fail(ExitStatus::io_error, path_, ": cannot read: ", errno_text(errno));
  return static_cast<std::size_t>(n);
}

std::size_t InputStream::read(void* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    std::byte* const at = static_cast<std::byte*>(to) + done;
    const std::size_t wanted = size - done;
    std::size_t n = 0;
    if (begin_ == end_ && wanted >= kBufferSize) {
      n = read_some(at, wanted);
      position_ += n;
    } else {
      const auto ready = peek();
      n = std::min(wanted, ready.size());
      if (n != 0) std::memcpy(at, ready.data(), n);
      consume(n);
    }
    if (n == 0) break;
    done += n;
  }
  return done;
}

std::span<const std::byte> InputStream::peek(std::size_t at_least) {
  assert(at_least <= kBufferSize);
  if (begin_ == end_) begin_ = end_ = 0;
  while (end_ - begin_ < at_least) {
    if (begin_ != 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    const std::size_t n = read_some(buffer_.data() + end_, kBufferSize - end_);
    if (n == 0) break;
    end_ += n;
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

void InputStream::consume(std::size_t n) {
  assert(n <= end_ - begin_);
  begin_ += n;
  position_ += n;
}

std::uint64_t InputStream::skip(std::uint64_t n) {
  if (regular_ && n > end_ - begin_) {
    const std::uint64_t skipped = std::min(n, size_ - std::min(size_, position_));
    seek(position_ + skipped);
    return skipped;
  }
  std::uint64_t done = 0;
  while (done < n) {
    const auto ready = peek();
    if (ready.empty()) break;
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(n - done, ready.size()));
    consume(step);
    done += step;
  }
  return done;
}

void InputStream::seek(std::uint64_t position) {
  assert(regular_);
  if (lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0) {
    fail(ExitStatus::io_error, path_, ": cannot seek: ", errno_text(errno));
  }
  position_ = position;
  begin_ = end_ = 0;
}

std::string read_whole(const std::string& path, std::uint64_t most) {
  InputStream in(path);
  std::string bytes;
  for (auto ready = in.peek(); !ready.empty(); ready = in.peek()) {
    bytes.append(reinterpret_cast<const char*>(ready.data()), ready.size());
    if (bytes.size() > most) {
      fail(ExitStatus::bad_input, path, ": larger than ", format_bytes(most));
    }
    in.consume(ready.size());
  }
  return bytes;
}

}  // namespace frugal
