#include "libcore/system/mapped_memory.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/restarted_calls.h"
#include "libcore/system/unfinished_files.h"

namespace frugal {
namespace {

/// A mapping that the signal handler can look up. If all slots are taken, a lost page of a further
/// mapping ends the process by the plain signal.
struct Slot {
  std::atomic<std::uintptr_t> begin{0};  ///< 0: free
  std::uintptr_t end = 0;
  std::array<char, 512> name{};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

std::array<Slot, 64> slots;
std::mutex slots_mutex;                    // of those who change them
std::atomic_flag ends = ATOMIC_FLAG_INIT;  ///< a thread has found a lost page and ends the process

/// The first byte of the page that contains this one.
std::byte* page_of(const std::byte* data) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return const_cast<std::byte*>(data) - reinterpret_cast<std::uintptr_t>(data) % page;
}

void say(const char* text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

/// Ends the process with an I/O error: the file has lost the page, or the disk cannot read it.
void explain_lost_page(int signal_number, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin;
    if (begin == 0 || at < begin || at >= slot.end) continue;
    while (ends.test_and_set()) pause();  // another thread found one, too: once is enough
    say(program_invocation_short_name);
    say(": ");
    say(slot.name.data());
    say(": a part of it cannot be read any more: the file became shorter while it was in use, or "
        "its disk failed\n");
    remove_unfinished();
    _exit(static_cast<int>(ExitStatus::io_error));
  }
  signal(signal_number, SIG_DFL);  // the access is repeated, unless a process sent the signal
  if (info->si_code <= 0) raise(signal_number);
}

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = explain_lost_page;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

void remember_mapping(const std::byte* data, std::size_t size, const std::string& name) {
  static const bool installed = (install_handler(), true);
  static_cast<void>(installed);
  const std::string shown = terminal_text(name);
  const std::lock_guard lock(slots_mutex);
  const auto slot =
      std::find_if(slots.begin(), slots.end(), [](const Slot& s) { return s.begin == 0; });
  if (slot == slots.end()) return;
  const std::size_t length = std::min(shown.size(), slot->name.size() - 1);
  std::memcpy(slot->name.data(), shown.data(), length);
  slot->name[length] = '\0';
  slot->end = reinterpret_cast<std::uintptr_t>(data) + size;
  slot->begin = reinterpret_cast<std::uintptr_t>(data);
}

void forget_mapping(const std::byte* data) {
  const std::lock_guard lock(slots_mutex);
  for (Slot& slot : slots) {
    if (slot.begin == reinterpret_cast<std::uintptr_t>(data)) slot.begin = 0;
  }
}

}  // namespace

MappedMemory::MappedMemory(int descriptor, std::size_t size, bool writable, const std::string& name)
    : size_(size), writable_(writable) {
  map(descriptor, name);
}

MappedMemory::MappedMemory(const std::string& path) {
  const int descriptor = open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(ExitStatus::cannot_open, path, ": cannot open: ", errno_text(errno));
  struct stat status = {};
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  try {
    if (!regular) fail(ExitStatus::bad_input, path, ": is not a regular file");
    size_ = static_cast<std::size_t>(status.st_size);
    map(descriptor, path);
  } catch (...) {
    close(descriptor);
    throw;
  }
  close(descriptor);
}

MappedMemory::~MappedMemory() {
  if (data_ == nullptr) return;
  forget_mapping(data_);
  munmap(data_, size_);
}

void MappedMemory::expect_random_reads(std::size_t begin, std::size_t size) const {
  advise(begin, size, MADV_RANDOM);
}

void MappedMemory::expect_reads_in_order(std::size_t begin, std::size_t size) const {
  advise(begin, size, MADV_SEQUENTIAL);
}

void MappedMemory::prefetch(std::size_t begin, std::size_t size) const {
  start_reading(data_ + begin, data_ + begin + size);
}

void MappedMemory::advise(std::size_t begin, std::size_t size, int advice) const {
  if (size == 0) return;
  std::byte* const first = page_of(data_ + begin);
  madvise(first, static_cast<std::size_t>(data_ + begin + size - first), advice);
}

bool is_resident(const std::byte* data) {
  unsigned char page = 1;
  return mincore(page_of(data), 1, &page) != 0 || (page & 1) != 0;
}

void start_reading(const std::byte* begin, const std::byte* end) {
  if (begin == end) return;
  std::byte* const first = page_of(begin);
  madvise(first, static_cast<std::size_t>(end - first), MADV_WILLNEED);
}

void MappedMemory::map(int descriptor, const std::string& name) {
  if (size_ == 0) return;
  const int protection = PROT_READ | (writable_ ? PROT_WRITE : 0);
  void* const memory = mmap(nullptr, size_, protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    fail(ExitStatus::unavailable, name, ": cannot map ", format_bytes(size_),
         " into memory: ", errno_text(errno));
  }
  data_ = static_cast<std::byte*>(memory);
  remember_mapping(data_, size_, name);
}

}  // namespace frugal
