#include "libcore/base/log.h"

#include <unistd.h>

#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <set>

#include "libcore/base/text.h"

namespace frugal {
namespace {

// The log level, the program's name and the warnings of a WarningsOnce are the only mutable globals
// besides the kernel table.
std::atomic<LogLevel> current_level{LogLevel::normal};
std::atomic<void (*)()> before_line_hook{nullptr};
std::string& program_name() {
  static std::string name = "frugal";
  return name;
}

/// Warnings printed while a WarningsOnce exists; `texts` has no value otherwise.
struct SaidWarnings {
  std::mutex mutex;
  std::optional<std::set<std::string>> texts;
};
SaidWarnings& said_warnings() {
  static SaidWarnings said;
  return said;
}

bool is_repeated_warning(const std::string& message) {
  if (!message.starts_with("warning: ")) return false;
  SaidWarnings& said = said_warnings();
  const std::lock_guard<std::mutex> lock(said.mutex);
  return said.texts && !said.texts->insert(message).second;
}

}  // namespace

void set_log(LogLevel level, const std::string& program) {
  current_level = level;
  program_name() = program;
}

LogLevel log_level() { return current_level; }

void set_log_hook(void (*before_line)()) { before_line_hook = before_line; }

void log_line(LogLevel level, const std::string& message) {
  if (current_level < level || is_repeated_warning(message)) return;
  if (auto* hook = before_line_hook.load()) hook();
  const std::string line = program_name() + ": " + terminal_text(message) + "\n";
  // A lost message must not stop the work, so the result is not looked at.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

WarningsOnce::WarningsOnce() {
  SaidWarnings& said = said_warnings();
  const std::lock_guard<std::mutex> lock(said.mutex);
  assert(!said.texts);
  said.texts.emplace();
}

WarningsOnce::~WarningsOnce() {
  SaidWarnings& said = said_warnings();
  const std::lock_guard<std::mutex> lock(said.mutex);
  said.texts.reset();
}

}  // namespace frugal
