#include "tools/hw-probe/commands/catalogue.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/apply_setting.h"
#include "libcore/cli/name_guess.h"
#include "libcore/cli/yaml_config.h"
#include "libcore/streams/input_stream.h"
#include "libcore/streams/installed_files.h"
#include "libcore/streams/json_text.h"
#include "tools/hw-probe/bench/bench.h"
#include "tools/hw-probe/bench/bench_report.h"
#include "tools/hw-probe/model/bench_machine.h"

namespace frugal::probe {
namespace {

namespace fs = std::filesystem;

fs::path catalogue_folder(const char* kind) { return installed_folder() / "configs" / kind; }

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_file_name(const std::string& name, const char* extension) {
  return fs::path(name).extension() == extension;
}

/// "c6i.8xlarge" of c6i.8xlarge and of a/c6i.8xlarge.yaml.
std::string without_extension(const std::string& name) {
  const fs::path file = fs::path(name).filename();
  const bool has_one = is_file_name(name, ".yaml") || is_file_name(name, ".json");
  return has_one ? file.stem() : file;
}

/// A file as it is named, or one of the catalogue. endings: of all names of files, for messages.
std::string yaml_path(const std::string& name, const char* kind, const char* what,
                      const char* endings) {
  if (is_file_name(name, ".yaml")) return name;
  const fs::path folder = catalogue_folder(kind);
  const fs::path path = folder / (name + ".yaml");
  std::error_code failure;
  if (fs::is_regular_file(path, failure)) return path;
  if (fs::is_regular_file(name, failure)) {
    fail(ExitStatus::usage, name, ": the name of a ", what, " ends in ", endings);
  }
  const std::vector<std::string> names = names_in(folder);
  std::string known;
  for (const std::string& one : names) known.append(known.empty() ? "" : ", ").append(one);
  fail(ExitStatus::usage, "no ", what, " '", printable(name), "'", name_guess(name, names),
       "; expected a file or one of ", known.empty() ? "none in " + folder.string() : known);
}

/// Stores all settings of a document, which has no other keys than described ones. Fails (usage) on
/// an unknown key with the nearest known one, and where a required one is missing.
void apply_settings(const std::vector<Setting>& settings, const OptionFields& fields,
                    const std::string& path) {
  std::vector<std::string> missing, known;
  for (const OptionField& field : fields.all()) {
    known.push_back(field.info().key);
    if (field.info().required) missing.push_back(field.info().key);
  }
  for (const Setting& setting : settings) {
    const auto found = std::find(known.begin(), known.end(), setting.key);
    if (found == known.end()) {
      fail(ExitStatus::usage, setting.place, "unknown key ", setting.name,
           name_guess(setting.key, known));
    }
    apply_setting(fields.all()[static_cast<std::size_t>(found - known.begin())], setting);
    std::erase(missing, setting.key);
  }
  if (!missing.empty()) fail(ExitStatus::usage, path, ": no '", missing.front(), "'");
}

/// Fails (usage) where a name in the list is no key of the document.
void check_estimates(const std::vector<std::string>& estimates, const OptionFields& fields,
                     const std::string& path) {
  std::set<std::string> known;
  for (const OptionField& field : fields.all()) known.insert(field.info().key);
  for (const std::string& key : estimates) {
    if (known.contains(key)) continue;
    fail(ExitStatus::usage, path, ": 'estimates': no key '", printable(key), "' in this file");
  }
}

MachineSpec read_machine(const std::string& path) {
  MachineSpec machine;
  const OptionFields fields;
  describe(fields, machine);
  apply_settings(read_config(path), fields, path);
  check_estimates(machine.estimates, fields, path);
  check(machine, path);
  return machine;
}

MachineSpec measured_machine(int threads) {
  BenchOptions options;
  options.threads = threads;
  const BenchResult result =
      run_benchmarks(options, [](std::size_t, std::size_t, const std::string&) {});
  if (result.noisy) log_warning("this machine is ", result.verdict);
  nlohmann::ordered_json bench;
  describe_bench(ResultFields(bench), result);
  return machine_of_bench(bench, "this machine");
}

MachineSpec recorded_bench(const std::string& path, bool allow_noisy) {
  const auto bench =
      parse_json<nlohmann::ordered_json>(read_whole(path, kMostJsonBytes), path + ": ");
  MachineSpec machine = machine_of_bench(bench, path);
  if (bench.value("noisy", nlohmann::ordered_json()) == true && !allow_noisy) {
    fail(ExitStatus::bad_input, path,
         ": was measured on a machine too busy to trust; expected figures of 'hw-probe bench "
         "--json' on a quiet machine, or --allow-noisy");
  }
  return machine;
}

Workload read_workload(const std::string& path) {
  Workload workload;
  const OptionFields fields;
  describe(fields, workload);
  const std::vector<Setting> settings = read_config(path);
  // The stages' names come first: the keys of the rest begin with them.
  for (const Setting& setting : settings) {
    if (setting.key == "stages") apply_setting(fields.field("--stages"), setting);
  }
  describe_stages(fields, workload, path);
  apply_settings(settings, fields, path);
  check_estimates(workload.estimates, fields, path);
  check(workload, path);
  return workload;
}

}  // namespace

Workload load_workload(const std::string& name) {
  Workload workload = read_workload(
      yaml_path(name, "workloads", "workload", ".yaml, or .jsonl for a log of --metrics"));
  workload.name = without_extension(name);
  return workload;
}

MachineSpec load_machine(const std::string& name, int threads, bool allow_noisy) {
  const bool is_bench = is_file_name(name, ".json");
  MachineSpec machine = name == "this" ? measured_machine(threads)
                        : is_bench
                            ? recorded_bench(name, allow_noisy)
                            : read_machine(yaml_path(name, "hardware", "machine",
                                                     ".yaml, or .json for a result of bench"));
  machine.name = without_extension(name);
  return machine;
}

std::vector<std::string> catalogue_workloads() { return names_in(catalogue_folder("workloads")); }

std::vector<std::string> catalogue_machines() { return names_in(catalogue_folder("hardware")); }

std::string shipped_calibration() {
  const fs::path path = catalogue_folder("calibration.yaml");
  std::error_code failure;
  return fs::is_regular_file(path, failure) ? path.string() : "";
}

std::vector<std::string> suggested_machines() {
  std::vector<std::string> names = catalogue_machines();
  names.emplace_back("this");
  return names;
}

}  // namespace frugal::probe
