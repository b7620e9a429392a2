#include "libcore/cli/apply_setting.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/name_guess.h"

namespace frugal {
namespace {

std::vector<std::string> split_values(const OptionInfo& info, const Setting& setting) {
  if (!info.list || !setting.split || setting.values.size() != 1) return setting.values;
  std::vector<std::string> values;
  for (const std::string_view part : split(setting.values[0], info.delimiter)) {
    values.emplace_back(trim(part));
  }
  if (values.size() == 1 && values[0].empty()) values.clear();
  return values;
}

[[noreturn]] void refuse(const Setting& setting, const std::string& value,
                         const std::string& reason) {
  fail(ExitStatus::usage, setting.place, setting.name, " is '", printable(value), "', ", reason);
}

/// Fails (usage) naming the place where the values come from.
void store(const OptionField& field, const Setting& setting,
           const std::vector<std::string>& values) {
  const OptionInfo& info = field.info();
  if (values.empty() && (!info.list || field.fixed_count() != 0)) {
    fail(ExitStatus::usage, setting.place, setting.name, " is empty");
  }
  if (field.fixed_count() != 0 && values.size() != field.fixed_count()) {
    fail(ExitStatus::usage, setting.place, setting.name, " has ", values.size(),
         " values, expected ", field.fixed_count());
  }
  std::string shown;
  for (const std::string& value : values) (shown += shown.empty() ? "" : ",") += value;
  if (!field.store(values)) refuse(setting, shown, "expected " + info.expected);
}

}  // namespace

std::vector<std::string> apply_setting(const OptionField& field, const Setting& setting) {
  const OptionInfo& info = field.info();
  std::vector<std::string> values = split_values(info, setting);
  if (!info.list && !info.accumulates && values.size() != 1) {
    fail(ExitStatus::usage, setting.place, setting.name, " is a list, expected one value");
  }
  for (const std::string& value : values) {
    const bool counted = info.flag && info.accumulates && (value == "true" || value == "false");
    if (!counted && !looks_like(info.kind, value))
      refuse(setting, value, "expected " + info.expected);
  }
  store(field, setting, values);
  return values;
}

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

}  // namespace frugal
