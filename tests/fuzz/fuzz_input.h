#pragma once
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/threading/parallel.h"

// What fuzz targets share.
namespace frugal {

/// A file in memory that is rewritten for each input. Its pages stay: new ones are slow.
class MemoryFile {
 public:
  MemoryFile()
      : descriptor_(memfd_create("fuzz", 0)),
        path_("/proc/self/fd/" + std::to_string(descriptor_)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  void set(const void* data, std::size_t size) {
    const bool good = pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size) &&
                      ftruncate(descriptor_, static_cast<off_t>(size)) == 0;
    if (!good) std::abort();
  }
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// The bytes of one execution: the first ones choose what is read and how (0 where there are none),
/// the others are the file that is read. Runs are of one thread, and print nothing.
class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size, std::size_t num_choices) {
    static const bool quiet = [] {
      set_num_threads(1);
      set_log(LogLevel::quiet, "fuzz");
      return true;
    }();
    static_cast<void>(quiet);
    for (std::size_t i = 0; i < num_choices && i < size; ++i) choices_.at(i) = data[i];
    const std::size_t used = num_choices < size ? num_choices : size;
    text_ = {reinterpret_cast<const char*>(data) + used, size - used};
    file().set(text_.data(), text_.size());
  }
  unsigned choice(std::size_t i) const { return choices_.at(i); }
  std::string_view text() const { return text_; }
  const std::string& path() const { return file().path(); }
  static MemoryFile& file() {
    static MemoryFile file;
    return file;
  }

 private:
  std::array<std::uint8_t, 2> choices_{};
  std::string_view text_;
};

/// Names with endings, by which readers know a form, for the file of FuzzInput. In a folder that is
/// gone at the end.
class NamedInput {
 public:
  NamedInput(std::initializer_list<const char*> endings) {
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
    for (const char* ending : endings) {
      std::filesystem::create_symlink(FuzzInput::file().path(), name(ending));
    }
  }
  ~NamedInput() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  NamedInput(const NamedInput&) = delete;
  NamedInput& operator=(const NamedInput&) = delete;
  std::string name(const char* ending) const { return folder_ + "/input" + ending; }

 private:
  std::string folder_ = "/tmp/frugal-fuzz.XXXXXX";
};

/// Ends the run, which the fuzzer reports, where a promise is broken.
inline void require(bool promise, const char* what) {
  if (promise) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

/// Refusing an input is fine, as bad or for one reason more; any other exception or status ends the
/// run.
template <class Body>
void reading(ExitStatus also_fine, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    require(error.status() == ExitStatus::bad_input || error.status() == also_fine,
            "an input is refused with a status that says why");
    require(std::string_view(error.what()).find('\n') == std::string_view::npos,
            "an error is one line");
  }
}

}  // namespace frugal
