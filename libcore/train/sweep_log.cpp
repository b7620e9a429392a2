#include "libcore/train/sweep_log.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/input_stream.h"
#include "libcore/streams/json_text.h"
#include "libcore/system/output_links.h"
#include "libcore/system/output_paths.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

using Json = nlohmann::ordered_json;
constexpr char kIdentity[] = "identity";
constexpr char kValues[] = "values";

[[noreturn]] void refuse(const std::string& path, std::size_t number, const std::string& line) {
  fail(ExitStatus::bad_input, path, ": line ", number, ": '", printable(line),
       "', expected a run of a sweep; name another file");
}

}  // namespace

SweepLog::SweepLog(std::string path) : path_(std::move(path)) {
  if (path_ == "-" || (!is_missing(path_) && !std::filesystem::is_regular_file(path_)))
    fail(ExitStatus::usage, "a sweep goes on from its finished runs, which must be in a file");
  if (!path_.empty()) read();
}

SweepLog::~SweepLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

void SweepLog::read() {
  if (is_missing(path_)) return;
  std::istringstream in(read_whole(path_));
  std::string line;
  for (std::size_t number = 1; std::getline(in, line) && !in.eof(); ++number) {
    const Json run = find_json<Json>(line).value_or(nullptr);
    if (!run.is_object() || !run.contains(kIdentity) || !run[kIdentity].is_string() ||
        !run.contains(kValues) || !run[kValues].is_object()) {
      refuse(path_, number, line);
    }
    NamedValues values;
    for (const auto& [name, value] : run[kValues].items()) {
      if (value.is_number()) values.emplace_back(name, value.get<double>());
    }
    runs_[run[kIdentity].get<std::string>()] = std::move(values);
  }
}

void SweepLog::open_file() {
  descriptor_ = open_in_place(path_, /*truncate=*/false);
  // Another sweep may have added lines since this one read them.
  const std::string text = read_whole(path_);
  const std::size_t whole = text.rfind('\n') + 1;
  if (whole < text.size() && ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) {
    fail(ExitStatus::io_error, path_,
         ": cannot drop a line that is not whole: ", errno_text(errno));
  }
}

const NamedValues* SweepLog::find(const std::string& identity) const {
  const auto found = runs_.find(identity);
  return found == runs_.end() ? nullptr : &found->second;
}

void SweepLog::add(Json setting, const NamedValues& values, const std::string& identity) {
  if (descriptor_ < 0) open_file();
  for (const auto& [name, value] : values) {
    setting[kValues][name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  setting[kIdentity] = identity;
  const std::string text = setting.dump() + '\n';
  if (!write_all(descriptor_, text.data(), text.size()) ||
      (fsync(descriptor_) != 0 && errno != EINVAL)) {
    fail(ExitStatus::io_error, path_, ": cannot write: ", errno_text(errno));
  }
}

}  // namespace frugal
