#include "tools/tgn-train/sweep_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/open_file.h"

namespace frugal::tgn {
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
  if (path_ == "-")
    fail(ExitStatus::usage, "a sweep goes on from its output, which must be a file");
  if (!path_.empty()) read();
}

SweepLog::~SweepLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

void SweepLog::read() {
  std::ifstream in(path_, std::ios::binary);
  std::string line;
  for (std::size_t number = 1; std::getline(in, line) && !in.eof(); ++number) {
    const Json run = Json::parse(line, nullptr, false);
    if (!run.is_object() || !run.contains(kIdentity) || !run[kIdentity].is_string() ||
        !run.contains(kValues) || !run[kValues].is_object()) {
      refuse(path_, number, line);
    }
    MetricValues values;
    for (const auto& [name, value] : run[kValues].items()) {
      if (value.is_number()) values.emplace_back(name, value.get<double>());
    }
    runs_[run[kIdentity].get<std::string>()] = std::move(values);
    whole_bytes_ += line.size() + 1;
  }
}

void SweepLog::open_file() {
  descriptor_ = frugal::open_file(path_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail(ExitStatus::cannot_create, path_, ": cannot create: ", errno_text(errno));
  }
  const off_t size = lseek(descriptor_, 0, SEEK_END);
  if (size > static_cast<off_t>(whole_bytes_) &&
      ftruncate(descriptor_, static_cast<off_t>(whole_bytes_)) != 0) {
    fail(ExitStatus::io_error, path_,
         ": cannot drop a line that is not whole: ", errno_text(errno));
  }
}

const MetricValues* SweepLog::find(const std::string& identity) const {
  const auto found = runs_.find(identity);
  return found == runs_.end() ? nullptr : &found->second;
}

void SweepLog::add(const SweepRun& run, const std::string& identity) {
  if (path_.empty()) return;
  if (descriptor_ < 0) open_file();
  Json line{{"memory", run.setting.memory},
            {"precision", run.setting.precision},
            {"batch_size", run.setting.batch},
            {"seed", run.setting.seed}};
  for (const auto& [name, value] : run.values) {
    line[kValues][name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  line[kIdentity] = identity;
  const std::string text = line.dump() + '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(descriptor_, text.data() + done, text.size() - done);
    if (n < 0) fail(ExitStatus::io_error, path_, ": cannot write: ", errno_text(errno));
    done += static_cast<std::size_t>(n);
  }
  if (fsync(descriptor_) != 0 && errno != EINVAL) {
    fail(ExitStatus::io_error, path_, ": cannot write: ", errno_text(errno));
  }
}

}  // namespace frugal::tgn
