#pragma once
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "libcore/base/error.h"

/// A file in the temporary folder, gone with the object.
class TextFile {
 public:
  explicit TextFile(std::string_view content, const std::string& suffix = ".txt") {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") + "/frugal-test-XXXXXX" + suffix;
    const int descriptor = mkstemps(path_.data(), static_cast<int>(suffix.size()));
    if (descriptor >= 0) close(descriptor);
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TextFile() { unlink(path_.c_str()); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// While it lives, stdin is a pipe that delivers `content` in small parts.
class PipedStdin {
 public:
  explicit PipedStdin(std::string content) : saved_(dup(STDIN_FILENO)) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    writer_ = std::thread([content = std::move(content), out = ends[1]] {
      for (std::size_t at = 0; at < content.size();) {
        const ssize_t n =
            write(out, content.data() + at, std::min<std::size_t>(777, content.size() - at));
        if (n <= 0) break;
        at += static_cast<std::size_t>(n);
      }
      close(out);
    });
  }
  ~PipedStdin() {
    writer_.join();
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  PipedStdin(const PipedStdin&) = delete;
  PipedStdin& operator=(const PipedStdin&) = delete;

 private:
  int saved_;
  std::thread writer_;
};

/// "65 message", or "no error".
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const frugal::Error& error) {
    return std::to_string(static_cast<int>(error.status())) + " " + error.what();
  }
  return "no error";
}
