#include "libcore/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"

namespace frugal {
namespace {

constexpr double kBarSeconds = 0.1;
constexpr double kLineSeconds = 10;

bool dumb_terminal() {
  const char* term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
}

void write_stderr(const std::string& text) {
  // A lost bar must not stop the work.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

/// 1234567 -> "1.23M", with the digits that a glance takes in.
std::string short_count(double value) {
  static constexpr std::array<const char*, 5> suffixes{"", "k", "M", "G", "T"};
  std::size_t i = 0;
  for (; std::abs(value) >= 1000 && i + 1 < suffixes.size(); ++i) value /= 1000;
  std::array<char, 32> buffer;
  const bool whole = i == 0 && value == std::floor(value);
  std::snprintf(buffer.data(), buffer.size(), whole ? "%.0f" : "%.3g", value);
  return buffer.data() + std::string(suffixes[i]);
}

/// Keeps the rate limit; a subclass shows the text.
class TimedProgress : public Progress {
 public:
  TimedProgress(std::string task, double total, std::string unit, double interval)
      : task_(std::move(task)), total_(total), unit_(std::move(unit)), interval_(interval) {}

  void update(double done, const std::string& note) override {
    const std::lock_guard lock(mutex_);
    done_ = done;
    if (!note.empty()) note_ = note;
    const double now = wall_seconds();
    if (now - last_ < interval_) return;
    last_ = now;
    show(text(now));
  }

  void finish() override {
    const std::lock_guard lock(mutex_);
    if (!finished_) end(text(wall_seconds()));
    finished_ = true;
  }

 protected:
  virtual void show(const std::string& text) = 0;
  virtual void end(const std::string& text) = 0;
  double start() const { return start_; }

 private:
  std::string text(double now) const {
    return progress_text(task_, unit_, done_, total_, now - start_, note_);
  }

  const std::string task_;
  const double total_;
  const std::string unit_;
  const double interval_;
  const double start_ = wall_seconds();
  std::mutex mutex_;
  double last_ = start_;
  double done_ = 0;
  bool finished_ = false;
  std::string note_;
};

class LineProgress : public TimedProgress {
 public:
  LineProgress(std::string task, double total, std::string unit)
      : TimedProgress(std::move(task), total, std::move(unit), kLineSeconds) {}

 private:
  void show(const std::string& text) override { log_line(LogLevel::normal, text); }
  void end(const std::string& text) override {
    // A task that is over before the first line was due says nothing.
    if (wall_seconds() - start() >= kLineSeconds) log_line(LogLevel::normal, text);
  }
};

void wipe_bar() { write_stderr("\r\x1b[K"); }

class BarProgress : public TimedProgress {
 public:
  BarProgress(std::string task, double total, std::string unit)
      : TimedProgress(std::move(task), total, std::move(unit), kBarSeconds) {
    set_log_hook(wipe_bar);
  }
  ~BarProgress() override {
    set_log_hook(nullptr);
    wipe_bar();
  }
  BarProgress(const BarProgress&) = delete;
  BarProgress& operator=(const BarProgress&) = delete;

 private:
  void show(const std::string& text) override {
    const std::size_t width = terminal_width();
    write_stderr("\r\x1b[K" + text.substr(0, width > 1 ? width - 1 : 1));
  }
  void end(const std::string&) override { wipe_bar(); }
};

class NoProgress : public Progress {
 public:
  void update(double, const std::string&) override {}
  void finish() override {}
};

}  // namespace

ProgressStyle progress_style(const std::string& option, bool quiet) {
  if (option == "never" || quiet) return ProgressStyle::none;
  const bool terminal = isatty(STDERR_FILENO) != 0 && !dumb_terminal();
  return terminal || option == "always" ? ProgressStyle::bar : ProgressStyle::lines;
}

bool use_color(const std::string& option, int descriptor) {
  if (option != "auto") return option == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  return !refused && !dumb_terminal() && isatty(descriptor) != 0;
}

std::unique_ptr<Progress> make_progress(ProgressStyle style, const std::string& task, double total,
                                        const std::string& unit) {
  switch (style) {
    case ProgressStyle::bar: return std::make_unique<BarProgress>(task, total, unit);
    case ProgressStyle::lines: return std::make_unique<LineProgress>(task, total, unit);
    case ProgressStyle::none: break;
  }
  return std::make_unique<NoProgress>();
}

std::string progress_text(const std::string& task, const std::string& unit, double done,
                          double total, double seconds, const std::string& note) {
  std::string text = task + ": ";
  if (total > 0) {
    const double share = std::clamp(done / total, 0.0, 1.0);
    text +=
        std::to_string(static_cast<int>(share * 100)) + "% of " + short_count(total) + " " + unit;
  } else {
    text += short_count(done) + " " + unit;
  }
  const double rate = seconds > 0 ? done / seconds : 0;
  if (rate > 0) text += ", " + short_count(rate) + "/s";
  if (rate > 0 && total > done)
    text += ", " + format_seconds(std::round((total - done) / rate)) + " left";
  return note.empty() ? text : text + ", " + note;
}

}  // namespace frugal
