#include "tools/tgn-train/sweep/sweep.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/streams/input_stream.h"
#include "libcore/streams/json_text.h"
#include "libcore/system/output_links.h"
#include "libcore/system/output_paths.h"
#include "libcore/system/restarted_calls.h"
#include "libcore/system/signals.h"
#include "libcore/threading/parallel.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/run/report.h"
#include "tools/tgn-train/settings/train_fields.h"

namespace frugal::tgn {
namespace {

/// All that a run's numbers depend on, its times as well.
std::string identity_of(const TrainOptions& o, const std::string& events) {
  return option_line(training_options(o)) + " ranks=" + o.ranking.kind +
         " ranked=" + std::to_string(o.ranking.count) +
         " rank-seed=" + std::to_string(o.ranking.seed) + " events=" + events +
         " threads=" + std::to_string(num_threads()) + " simd=" + kernels().name;
}

NamedValues values_of(const TrainResult& result) {
  nlohmann::ordered_json json;
  describe_result(ResultFields(json), result);
  NamedValues values;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) values.emplace_back(name, value.get<double>());
  }
  return values;
}

class Sweep {
 public:
  Sweep(const SweepOptions& options, const SweepObserver& observer)
      : log_(options.output),
        observer_(observer),
        keeps_(!options.output.empty()),
        fingerprint_(stream_fingerprint(EventStream(options.events))) {}

  std::vector<SweepRun> run(const std::vector<SweepSetting>& settings,
                            const std::function<TrainOptions(const SweepSetting&)>& options_of) {
    for (const SweepSetting& setting : settings) {
      SweepRun& run = runs_.emplace_back();
      run.setting = setting;
      ExitStatus status = ExitStatus::ok;
      std::string identity;
      try {
        const TrainOptions options = options_of(setting);
        identity = identity_of(options, fingerprint_);
        train_run(run, options, identity);
      } catch (const Error& error) {
        run.failure = error.what();
        status = error.status();
      } catch (const std::bad_alloc&) {
        run.failure = "not enough memory";
        status = ExitStatus::unavailable;
      }
      if (stopped_ || stop_requested()) {
        fail(stop_status(keeps_), "stopped after ", runs_.size() - 1, " of ", settings.size(),
             " runs", keeps_ ? "; the same command goes on" : "; without --output they are lost");
      }
      if (runs_.size() == 1) first_status_ = status;
      if (run.failure.empty() && !run.kept) log_.add(run, identity);
      if (observer_.finished) observer_.finished(run);
    }
    const bool failed = std::all_of(runs_.begin(), runs_.end(),
                                    [](const SweepRun& run) { return !run.failure.empty(); });
    if (failed) fail(first_status_, "no run succeeded: ", runs_.front().failure);
    return std::move(runs_);
  }

 private:
  void train_run(SweepRun& run, const TrainOptions& options, const std::string& identity) {
    if (const NamedValues* values = log_.find(identity)) {
      run.values = *values;
      run.kept = true;
      return;
    }
    TrainObserver observer;
    const double done = static_cast<double>(runs_.size() - 1);
    observer.progress = [&](double epochs, const std::string& note) {
      if (observer_.progress) observer_.progress(done + epochs / options.epochs, note);
    };
    const TrainResult result = train(options, observer);
    stopped_ = result.stopped;
    if (!stopped_) run.values = values_of(result);
  }

  SweepLog log_;
  const SweepObserver& observer_;
  bool keeps_, stopped_ = false;
  std::string fingerprint_;
  ExitStatus first_status_ = ExitStatus::ok;
  std::vector<SweepRun> runs_;
};

template <class T>
std::vector<T> distinct(const std::vector<T>& values) {
  std::vector<T> kept;
  for (const T& value : values) {
    if (std::find(kept.begin(), kept.end(), value) == kept.end()) kept.push_back(value);
  }
  return kept;
}

}  // namespace

std::vector<SweepSetting> sweep_settings(const SweepOptions& options, std::uint64_t first_seed) {
  std::vector<SweepSetting> settings;
  for (const std::string& memory : distinct(options.memories)) {
    for (const std::string& precision : distinct(options.precisions)) {
      for (const std::size_t batch : distinct(options.batches)) {
        for (int seed = 0; seed < options.seeds; ++seed) {
          settings.push_back(
              {memory, precision, batch, first_seed + static_cast<std::uint64_t>(seed)});
        }
      }
    }
  }
  return settings;
}

std::vector<SweepRun> sweep(const SweepOptions& options, const std::vector<SweepSetting>& settings,
                            const std::function<TrainOptions(const SweepSetting&)>& options_of,
                            const SweepObserver& observer) {
  return Sweep(options, observer).run(settings, options_of);
}

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
    fail(ExitStatus::usage, "a sweep goes on from its output, which must be a file");
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
    whole_bytes_ += line.size() + 1;
  }
}

void SweepLog::open_file() {
  descriptor_ = open_in_place(path_, /*truncate=*/false);
  const off_t size = lseek(descriptor_, 0, SEEK_END);
  const auto whole = static_cast<off_t>(whole_bytes_);
  if (size < 0 || (size > whole && ftruncate(descriptor_, whole) != 0)) {
    fail(ExitStatus::io_error, path_,
         ": cannot drop a line that is not whole: ", errno_text(errno));
  }
}

const NamedValues* SweepLog::find(const std::string& identity) const {
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
  if (!write_all(descriptor_, text.data(), text.size()) ||
      (fsync(descriptor_) != 0 && errno != EINVAL)) {
    fail(ExitStatus::io_error, path_, ": cannot write: ", errno_text(errno));
  }
}

}  // namespace frugal::tgn
