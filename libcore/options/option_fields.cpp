#include "libcore/options/option_fields.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::size_t kShown = 200;  ///< characters of a value in an error

constexpr char kListMark = '-';  ///< between the numbers of a list in metadata

std::string joined_texts(const OptionField& field, char separator = ',') {
  std::string text;
  for (const std::string& part : field.texts()) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string metadata_key(const std::string& prefix, const OptionInfo& info) {
  std::string key = info.key;
  std::replace(key.begin(), key.end(), '-', '_');
  return prefix + key;
}

/// Whether a text is one of those that the tools write, or wrote, of such a value. A loss may be no
/// number.
bool is_written(ValueKind kind, const std::string& text) {
  if (kind == ValueKind::boolean) {
    return text == "true" || text == "false" || text == "1" || text == "0";
  }
  return kind == ValueKind::real || looks_like(kind, text);
}

/// Sets the variable to what the metadata have; false where that is none of its values.
bool store_text(const OptionField& field, const std::string& text) {
  const OptionInfo& info = field.info();
  std::vector<std::string> values;
  if (!info.list) {
    values = {text};
  } else if (!text.empty()) {
    for (const std::string_view part : split(text, kListMark)) values.emplace_back(part);
  }
  return std::all_of(values.begin(), values.end(),
                     [&info](const std::string& value) { return is_written(info.kind, value); }) &&
         field.store(values);
}

}  // namespace

OptionFields::OptionFields() : fields_(std::make_shared<std::deque<OptionField>>()) {}

OptionFields OptionFields::group(const std::string& heading) const {
  OptionFields handle = *this;
  handle.group_ = heading;
  return handle;
}

OptionFields OptionFields::going_with(const std::string& what,
                                      std::function<bool()> applies) const {
  OptionFields handle = *this;
  handle.conditions_.emplace_back(what, std::move(applies));
  return handle;
}

OptionField& OptionFields::add_bound(const char* names, ValueKind kind, OptionValuePtr value,
                                     const std::string& help) const {
  OptionField& field = fields_->emplace_back(names, kind, std::move(value), help, group_);
  for (const auto& [what, applies] : conditions_) field.goes_with(what, applies);
  return field;
}

OptionField& OptionFields::add_typed(const char* names, OptionValuePtr plain,
                                     std::vector<std::string>& typed,
                                     const std::string& help) const {
  OptionField& field = add_bound(names, ValueKind::text, bind_typed(std::move(plain), typed), help);
  field.info().list = field.info().typed = true;
  return field.accumulates()
      .delimiter('\n')  // a comma belongs to a value
      .checked("one value, or TYPE=VALUE for each of several types",
               [](const std::string&) { return true; });
}

OptionField& OptionFields::add_size(const char* names, OptionValuePtr value,
                                    const std::string& help) const {
  const auto accepts = [](const std::string& text) { return text.empty() || parse_bytes(text); };
  return add_bound(names, ValueKind::text, std::move(value), help)
      .checked("a size like 4096, 64K or 8MiB", accepts)
      .metavar("SIZE");
}

OptionField& OptionFields::add_bytes(const char* names, std::uint64_t& variable,
                                     const std::string& help) const {
  return add_size(names, bind_bytes(variable), help);
}

OptionField& OptionFields::add_bytes(const char* names, std::optional<std::uint64_t>& variable,
                                     const std::string& help) const {
  return add_size(names, bind_bytes(variable), help);
}

OptionField& OptionFields::add_duration(const char* names, double& variable,
                                        const std::string& help) const {
  const auto accepts = [](const std::string& text) { return text.empty() || parse_seconds(text); };
  return add_bound(names, ValueKind::text, bind_duration(variable), help)
      .checked("a duration like 90s, 5m or 2h", accepts)
      .metavar("TIME");
}

OptionField& OptionFields::add_count(const char* names, int& variable,
                                     const std::string& help) const {
  OptionField& field =
      add_bound(names, ValueKind::unsigned_integer, bind_count(variable), help).accumulates();
  field.info().flag = true;
  field.describe();
  return field;
}

OptionField& OptionFields::field(const std::string& name) const {
  for (OptionField& field : *fields_) {
    for (const std::string& known : field.info().long_names) {
      if (name.starts_with("--") && name.substr(2) == known) return field;
    }
    if (field.info().key == name) return field;
  }
  fail(ExitStatus::internal, "no option '", name, "' is described");
}

void OptionFields::go_with(std::initializer_list<const char*> names, const std::string& what,
                           const std::function<bool()>& applies) const {
  for (const char* name : names) field(name).goes_with(what, applies);
}

void OptionFields::note_given(std::initializer_list<const char*> names,
                              std::vector<std::string>& given) const {
  for (const char* name : names) {
    field(name).goes_with("", [name = std::string(name), &given] {
      given.push_back(name);
      return true;
    });
  }
}

std::string written(const OptionText& option) {
  if (!option.flag) {
    return option.name + " " + (option.value.empty() ? "''" : printable(option.value, kShown));
  }
  if (option.value == "true") return option.name;
  return option.off.empty() ? "no " + option.name : option.off;
}

namespace {

template <class Wanted>
OptionTexts texts_of(const OptionFields& fields, const Wanted& wanted) {
  OptionTexts options;
  for (const OptionField& field : fields.all()) {
    if (!field.changes_result() || !wanted(field)) continue;
    const OptionInfo& info = field.info();
    options.push_back({display_name(info), joined_texts(field), info.flag,
                       info.negations.empty() ? "" : "--" + info.negations.front()});
  }
  return options;
}

}  // namespace

OptionTexts result_options(const OptionFields& fields) {
  return texts_of(fields, [](const OptionField&) { return true; });
}

OptionTexts decided_options(const OptionFields& fields) {
  return texts_of(fields, [](const OptionField& field) {
    const std::string value = joined_texts(field);
    return !value.empty() && value != "auto" && field.missing_condition().empty();
  });
}

std::string option_line(const OptionTexts& options) {
  std::string line;
  for (const OptionText& option : options) {
    line.append(line.empty() ? "" : " ").append(option.name, option.name.find_first_not_of('-'));
    line.append("=").append(option.value);
  }
  return line;
}

void write_metadata(const OptionFields& fields, const std::string& prefix,
                    std::map<std::string, std::string>& metadata) {
  for (const OptionField& field : fields.all()) {
    metadata[metadata_key(prefix, field.info())] = joined_texts(field, kListMark);
  }
}

void read_metadata(const OptionFields& fields, const std::string& prefix,
                   const std::map<std::string, std::string>& metadata, const std::string& path) {
  const std::string where = path.empty() ? "" : path + ": ";
  for (const OptionField& field : fields.all()) {
    const std::string key = metadata_key(prefix, field.info());
    const auto found = metadata.find(key);
    if (found == metadata.end()) {
      fail(ExitStatus::bad_input, where, "metadata '", key, "' is missing");
    }
    if (store_text(field, found->second)) continue;
    fail(ExitStatus::bad_input, where, "metadata '", key, "' is '",
         printable(found->second, kShown), "', expected ",
         field.info().list ? "numbers with '-' between them, each " : "", field.info().expected);
  }
}

const OptionField* given_without_effect(const OptionFields& fields, const OptionFields& plain) {
  for (std::size_t i = 0; i < fields.all().size(); ++i) {
    const OptionField& field = fields.all()[i];
    if (field.texts() == plain.all()[i].texts()) continue;
    if (!field.missing_condition().empty()) return &field;
  }
  return nullptr;
}

void refuse_without_effect(const OptionFields& fields, const OptionFields& plain) {
  const OptionField* const field = given_without_effect(fields, plain);
  if (field == nullptr) return;
  fail(ExitStatus::usage, display_name(field->info()), " goes with ", field->missing_condition());
}

}  // namespace frugal
