#include "libcore/base/log.h"

#include <unistd.h>

#include <atomic>

#include "libcore/base/terminal_text.h"

namespace frugal {
namespace {

// The log level and the program's name are the only mutable globals besides the kernel table.
std::atomic<LogLevel> current_level{LogLevel::normal};
std::atomic<void (*)()> before_line_hook{nullptr};
std::string& program_name() {
  static std::string name = "frugal";
  return name;
}

}  // namespace

void set_log(LogLevel level, const std::string& program) {
  current_level = level;
  program_name() = program;
}

LogLevel log_level() { return current_level; }

void set_log_hook(void (*before_line)()) { before_line_hook = before_line; }

void log_line(LogLevel level, const std::string& message) {
  if (current_level < level) return;
  if (auto* hook = before_line_hook.load()) hook();
  const std::string line = program_name() + ": " + terminal_text(message) + "\n";
  // A lost message must not stop the work, so the result is not looked at.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace frugal
