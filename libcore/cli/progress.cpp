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

/// 1234567 -> "1.23M samples", "1.23 MB", with the digits that a glance takes in.
std::string short_amount(double value, const std::string& unit) {
  static constexpr std::array<const char*, 5> kSuffixes{"", "k", "M", "G", "T"};
  std::size_t i = 0;
  for (; std::abs(value) >= 1000 && i + 1 < kSuffixes.size(); ++i) value /= 1000;
  std::array<char, 32> buffer{};
  const bool whole = i == 0 && value == std::floor(value);
  std::snprintf(buffer.data(), buffer.size(), whole ? "%.0f" : "%.3g", value);
  const std::string number = buffer.data();
  return unit == "B" ? number + " " + kSuffixes[i] + unit : number + kSuffixes[i] + " " + unit;
}

/// `text` without what does not fit into `width` bytes; never half a character.
std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  while (width > 0 && (static_cast<unsigned char>(text[width]) & 0xc0) == 0x80) --width;
  return text.substr(0, width);
}

/// Keeps the rate limit; a subclass shows the text.
class TimedProgress : public Progress {
 public:
  TimedProgress(ProgressTask task, double interval) : task_(std::move(task)), interval_(interval) {}

  void update(double done, const std::string& note) override {
    const std::lock_guard lock(mutex_);
    done_ = done;
    if (!note.empty()) note_ = note;
    const double now = wall_seconds();
    if (now - last_ < interval_) return;
    last_ = now;
    show(share(), progress_text(task_, done_, now - start_, note_));
  }

  void finish() override {
    const std::lock_guard lock(mutex_);
    const double seconds = wall_seconds() - start_;
    if (!finished_) end(seconds, progress_text(task_, done_, seconds, note_));
    finished_ = true;
  }

 protected:
  /// share: 0 to 1, below 0 where the total is unknown.
  virtual void show(double share, const std::string& text) = 0;
  virtual void end(double seconds, const std::string& text) = 0;

 private:
  double share() const { return task_.total > 0 ? std::clamp(done_ / task_.total, 0.0, 1.0) : -1; }

  const ProgressTask task_;
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
  explicit LineProgress(ProgressTask task) : TimedProgress(std::move(task), kLineSeconds) {}

 private:
  void show(double, const std::string& text) override { log_line(LogLevel::normal, text); }
  void end(double seconds, const std::string& text) override {
    // A task that is over before the first line was due says nothing.
    if (seconds >= kLineSeconds) log_line(LogLevel::normal, text);
  }
};

void wipe_bar() { write_stderr("\r\x1b[K"); }

class BarProgress : public TimedProgress {
 public:
  BarProgress(ProgressTask task, bool color)
      : TimedProgress(std::move(task), kBarSeconds), color_(color) {
    set_log_hook(wipe_bar);
  }
  ~BarProgress() override {
    set_log_hook(nullptr);
    wipe_bar();
  }
  BarProgress(const BarProgress&) = delete;
  BarProgress& operator=(const BarProgress&) = delete;

 private:
  static constexpr std::size_t kCells = 20;

  void show(double share, const std::string& text) override {
    const std::size_t width = terminal_width() - 1;  // the last column makes some terminals wrap
    const bool drawn = share >= 0 && width >= 3 * kCells;
    std::string line = "\r\x1b[K";
    if (drawn) line += drawing(static_cast<std::size_t>(share * kCells));
    write_stderr(line + cut(text, drawn ? width - kCells - 3 : width));
  }

  std::string drawing(std::size_t full) const {
    std::string text = color_ ? "[\x1b[32m" : "[";
    text.append(full, '#');
    if (color_) text += "\x1b[0m";
    return text.append(kCells - full, ' ').append("] ");
  }

  void end(double, const std::string&) override { wipe_bar(); }

  const bool color_;
};

class NoProgress : public Progress {
 public:
  void update(double, const std::string&) override {}
  void finish() override {}
};

}  // namespace

void TaskProgress::begin(const ProgressTask& task) {
  if (shown_ != nullptr && task.name == name_) return;
  finish();
  name_ = task.name;
  shown_ = run_.progress(task.name, task.total, task.unit);
}

void TaskProgress::update(const ProgressTask& task, double done, const std::string& note) {
  begin(task);
  shown_->update(done, note);
}

void TaskProgress::finish() {
  if (shown_ != nullptr) shown_->finish();
  shown_.reset();
}

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

std::unique_ptr<Progress> make_progress(ProgressStyle style, bool color, ProgressTask task) {
  switch (style) {
    case ProgressStyle::bar: return std::make_unique<BarProgress>(std::move(task), color);
    case ProgressStyle::lines: return std::make_unique<LineProgress>(std::move(task));
    case ProgressStyle::none: break;
  }
  return std::make_unique<NoProgress>();
}

std::string progress_text(const ProgressTask& task, double done, double seconds,
                          const std::string& note) {
  std::string text = task.name + ": ";
  const auto amount = [&](double value) { return short_amount(value, task.unit); };
  if (task.total > 0) {
    const double percent = std::clamp(100 * done / task.total, 0.0, 100.0);
    text += std::to_string(static_cast<int>(percent)) + "% of " + amount(task.total);
  } else {
    text += amount(done);
  }
  const double rate = seconds > 0 ? done / seconds : 0;
  if (rate > 0) text += ", " + amount(rate) + "/s";
  if (rate > 0 && task.total > done) {
    text += ", " + format_seconds(std::ceil((task.total - done) / rate)) + " left";
  }
  return note.empty() ? text : text + ", " + note;
}

}  // namespace frugal
