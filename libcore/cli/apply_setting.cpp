#include "libcore/cli/apply_setting.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

/// A YAML list as the one value "A,B" of an option.
std::string joined_plain(const std::vector<std::string>& values) {
  std::string one;
  for (const std::string& value : values) one.append(one.empty() ? "" : ",").append(value);
  return one;
}

/// Values of a YAML list for an option of one value and TYPE=VALUE: plain values are the parts of
/// one, as in [15, 10, 5].
std::vector<std::string> with_one_plain(const std::vector<std::string>& values) {
  std::vector<std::string> joined, plain;
  for (const std::string& value : values) (is_typed(value) ? joined : plain).push_back(value);
  if (!plain.empty()) joined.push_back(joined_plain(plain));
  return joined;
}

std::vector<std::string> split_values(const OptionInfo& info, const Setting& setting) {
  if (info.typed && setting.layer != Layer::flags && !setting.split)
    return with_one_plain(setting.values);
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
    const std::string example = info.kind == ValueKind::text && !values.empty()
                                    ? ", such as '" + printable(joined_plain(values)) + "'"
                                    : "";
    fail(ExitStatus::usage, setting.place, setting.name, " is a list, expected one value", example);
  }
  for (const std::string& value : values) {
    const bool counted = info.flag && info.accumulates && (value == "true" || value == "false");
    if (!counted && !looks_like(info.kind, value))
      refuse(setting, value, "expected " + info.expected);
  }
  store(field, setting, values);
  return values;
}

}  // namespace frugal
