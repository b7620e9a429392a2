#include "libcore/metrics/run_log.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/metrics/event_file.h"
#include "libcore/streams/input_stream.h"
#include "libcore/streams/json_text.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_links.h"
#include "libcore/system/output_paths.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {

using Json = nlohmann::ordered_json;

namespace {

std::string typed_begin(const std::string& type) { return "{\"type\":\"" + type + "\""; }

}  // namespace

struct RunLog::State {
  std::string path;
  std::string header;
  std::optional<EventFile> events;
  int descriptor = -1;
  double start = wall_seconds();
  std::vector<std::pair<std::int64_t, StepValues>> steps;

  void open_file(bool keep) {
    if (!path.empty()) descriptor = open_in_place(path, /*truncate=*/!keep);
  }

  /// One write a line: readers see whole lines, and a crash loses one at most. What a full disk did
  /// not take of it is tried again, for the reason.
  void line(std::string text) const {
    if (descriptor < 0) return;
    text += '\n';
    if (!write_all(descriptor, text.data(), text.size())) {
      fail(ExitStatus::io_error, path, ": cannot write: ", errno_text(errno));
    }
  }

  void typed_line(const char* type, const std::string& json) const {
    const bool has_members = json.size() > 2;
    line(typed_begin(type) + (has_members ? "," + json.substr(1) : "}"));
  }
  void write_header() const { typed_line("run", header); }
};

namespace {

/// The part of a log that a resumed run keeps.
struct KeptPart {
  std::uintmax_t bytes = 0;
  double wall = 0;  // of the last step
  std::vector<std::pair<std::int64_t, StepValues>> steps;
};

/// A number of a line; `otherwise` if the line has no number of that name.
double number_in(const Json& object, const char* name, double otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

StepValues values_in(const Json& object) {
  StepValues values;
  for (const auto& [name, value] : object.items()) {
    if (name != "step" && name != "wall" && value.is_number()) values.emplace_back(name, value);
  }
  return values;
}

/// Reads the lines up to the first metric later than `step`, or up to an incomplete line.
KeptPart kept_part(const std::string& path, std::int64_t step) {
  std::istringstream in(read_whole(path));
  KeptPart kept;
  for (std::string text; std::getline(in, text) && !in.eof();) {
    const Json object = find_json<Json>(text).value_or(nullptr);
    if (!object.is_object() || !object.contains("type") || object["type"] == "result") break;
    if (object["type"] == "metric") {
      const double named = number_in(object, "step", 0);
      if (!(named >= 0 && named <= static_cast<double>(step))) break;
      kept.steps.emplace_back(static_cast<std::int64_t>(named), values_in(object));
      kept.wall = number_in(object, "wall", kept.wall);
    }
    kept.bytes += text.size() + 1;
  }
  return kept;
}

}  // namespace

bool is_run_log(const std::string& path) {
  if (is_missing(path)) return false;
  const std::string expected = typed_begin("run");
  std::string begin(expected.size(), '\0');
  begin.resize(InputStream(path).read(begin.data(), begin.size()));
  return begin == expected;
}

RunLog::RunLog(const std::string& metrics_path, const std::string& tensorboard_dir,
               const std::string& header_json)
    : state_(std::make_unique<State>()) {
  state_->path = metrics_path;
  state_->header = header_json;
  if (!tensorboard_dir.empty()) state_->events.emplace(tensorboard_dir);
}

RunLog::~RunLog() {
  if (state_->descriptor >= 0) close(state_->descriptor);
}

void RunLog::resume_after(std::int64_t step) {
  State& s = *state_;
  if (s.events) s.events->restart_at(step + 1);
  if (s.path.empty() || is_missing(s.path)) return;
  KeptPart kept = kept_part(s.path, step);
  s.steps = std::move(kept.steps);
  s.start = wall_seconds() - kept.wall;  // time goes on where the kept part ends
  s.open_file(/*keep=*/true);
  if (ftruncate(s.descriptor, static_cast<off_t>(kept.bytes)) != 0) {
    fail(ExitStatus::io_error, s.path, ": cannot cut back to step ", step, ": ", errno_text(errno));
  }
  if (kept.bytes == 0) s.write_header();
}

void RunLog::step(std::int64_t step, const StepValues& values) {
  State& s = *state_;
  if (s.descriptor < 0 && !s.path.empty()) {
    s.open_file(/*keep=*/false);
    s.write_header();
  }
  Json object{{"type", "metric"}, {"step", step}, {"wall", wall_seconds() - s.start}};
  for (const auto& [name, value] : values) {
    object[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
    if (s.events) s.events->scalar(step, name, static_cast<float>(value));
  }
  s.line(object.dump(-1, ' ', false, Json::error_handler_t::replace));
  s.steps.emplace_back(step, values);
}

void RunLog::result(const std::string& result_json) { state_->typed_line("result", result_json); }

std::vector<std::pair<double, double>> RunLog::series(std::string_view name) const {
  std::vector<std::pair<double, double>> points;
  for (const auto& [step, values] : state_->steps) {
    for (const auto& [key, value] : values) {
      if (key == name) points.emplace_back(static_cast<double>(step), value);
    }
  }
  return points;
}

}  // namespace frugal
