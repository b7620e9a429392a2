#include "libcore/system/unfinished_files.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace frugal {
namespace {

enum class Use : int { free, changing, taken };

/// A name where a signal handler can read it. There are few: outputs are written one by one.
struct FileSlot {
  std::atomic<Use> use{Use::free};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<Use>::is_always_lock_free);

std::array<FileSlot, 16> file_slots;

void install_handlers() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;
    action = {};
    action.sa_handler = remove_unfinished_and_die;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

}  // namespace

void remember_unfinished(const std::string& path) {
  install_handlers();
  if (path.size() >= PATH_MAX) return;
  for (FileSlot& slot : file_slots) {
    Use expected = Use::free;
    if (!slot.use.compare_exchange_strong(expected, Use::changing)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.use = Use::taken;
    return;
  }
}

void forget_unfinished(const std::string& path) {
  for (FileSlot& slot : file_slots) {
    if (slot.use == Use::taken && path == slot.path.data()) slot.use = Use::free;
  }
}

void remove_unfinished() {
  for (FileSlot& slot : file_slots) {
    if (slot.use == Use::taken) unlink(slot.path.data());
  }
}

void remove_unfinished_and_die(int signal_number) {
  remove_unfinished();
  // The signal is blocked while its handler runs: the raised one is delivered, with its default
  // action, when the handler returns.
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

}  // namespace frugal
