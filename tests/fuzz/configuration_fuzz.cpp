// Feeds bytes to the readers of configurations, of --set, and of hw-probe's files of machines,
// workloads, efficiencies, measurements and logs of runs. The first byte chooses.
#include "libcore/base/error.h"
#include "libcore/cli/yaml_config.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/hw-probe/commands/calibration_file.h"
#include "tools/hw-probe/commands/catalogue.h"
#include "tools/hw-probe/commands/log_file.h"
#include "tools/hw-probe/machine/as_json.h"
#include "tools/hw-probe/model/run_workload.h"

namespace {

using namespace frugal;

/// Other keys are read, and refused as no option's: none of them is ever written.
bool may_be_option(const std::string& key) {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !key.empty() && key.find_first_not_of(kLetters) == std::string::npos;
}

/// What is written of settings is read back as the same settings.
void check_config(const std::string& text) {
  const std::vector<Setting> settings = parse_config(text, "config");
  std::vector<OptionInfo> options(settings.size());
  std::vector<ConfigEntry> entries;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (settings[i].values.size() != 1 || !may_be_option(settings[i].key)) return;
    options[i].key = settings[i].key;
    options[i].kind = ValueKind::text;
    entries.push_back({&options[i], settings[i].values, true});
  }
  const std::vector<Setting> again = parse_config(write_config("title", entries), "config");
  require(again.size() == settings.size(), "no setting is lost");
  for (std::size_t i = 0; i < again.size(); ++i) {
    require(again[i].key == settings[i].key, "keys are kept");
    require(again[i].values == settings[i].values, "values are kept");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const NamedInput file{".yaml", ".json", ".jsonl"};
  const FuzzInput input(data, size, 1);
  const std::string text(input.text());
  reading(ExitStatus::usage, [&] {
    switch (input.choice(0) % 8) {
      case 0: return check_config(text);
      case 1: return static_cast<void>(parse_set(text));
      case 2: return static_cast<void>(probe::load_machine(file.name(".yaml"), 1, true));
      case 3: return static_cast<void>(probe::load_workload(file.name(".yaml")));
      case 4: return static_cast<void>(probe::read_calibration(file.name(".yaml")));
      case 5: return static_cast<void>(probe::load_machine(file.name(".json"), 1, true));
      case 6: return static_cast<void>(probe::run_workload(probe::read_run(file.name(".jsonl"))));
      default:
        require(probe::machine_differences(file.name(".json"), file.name(".json")).empty(),
                "a machine is equal to itself");
    }
  });
  return 0;
}
