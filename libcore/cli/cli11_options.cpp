#include "libcore/cli/cli11_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/cli/conditions.h"

namespace frugal {
namespace {

std::vector<std::string> validator_descriptions(CLI::Option& option) {
  std::vector<std::string> found;
  for (int i = 0;; ++i) {
    try {
      found.push_back(option.get_validator(i)->get_description());
    } catch (const CLI::OptionNotFound&) {
      return found;
    }
  }
}

/// The type's own name: get_type_name() without what each validator appended.
std::string base_type_name(CLI::Option& option, const std::vector<std::string>& validators) {
  std::string name = option.get_type_name();
  std::size_t suffix = 0;
  for (const std::string& text : validators) suffix += text.empty() ? 0 : text.size() + 1;
  name.resize(name.size() - std::min(suffix, name.size()));
  return name;
}

ValueKind kind_of(const std::string& type) {
  if (type == "INT") return ValueKind::integer;
  if (type == "UINT") return ValueKind::unsigned_integer;
  if (type == "FLOAT") return ValueKind::real;
  if (type == "BOOLEAN") return ValueKind::boolean;
  return ValueKind::text;
}

const char* kind_in_words(ValueKind kind) {
  switch (kind) {
    case ValueKind::integer: return "a whole number";
    case ValueKind::unsigned_integer: return "a whole number, 0 or more";
    case ValueKind::real: return "a number";
    case ValueKind::boolean: return "true or false";
    case ValueKind::text: break;
  }
  return "";
}

/// "{a,b}" -> a, b; "{1->x,2->y}" -> 1, 2. Nothing for other texts.
std::vector<std::string> parse_choices(const std::string& text) {
  std::vector<std::string> choices;
  if (text.size() < 2 || text.front() != '{') return choices;
  const std::string_view inside(text.data() + 1, text.find('}') - 1);
  for (const std::string_view part : split(inside, ',')) {
    choices.emplace_back(part.substr(0, part.find("->")));
  }
  return choices;
}

std::string join(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

/// CLI11 describes its validators in a code of its own ("INT in [1 - 24]", "POSITIVE"); ours
/// describe themselves in words.
std::string validator_in_words(const std::string& text, ValueKind kind) {
  const std::string noun =
      kind == ValueKind::real || kind == ValueKind::text ? "a number" : "a whole number";
  if (text == "POSITIVE") return noun + " above 0";
  if (text == "NONNEGATIVE") return noun + ", 0 or more";
  const std::size_t open = text.find(" in [");
  const std::size_t dash = text.find(" - ", open);
  if (open != std::string::npos && dash != std::string::npos && text.back() == ']') {
    return noun + " from " + text.substr(open + 5, dash - open - 5) + " to " +
           text.substr(dash + 3, text.size() - dash - 4);
  }
  return text;
}

void describe_values(OptionInfo& info, const std::vector<std::string>& validators) {
  info.expected = kind_in_words(info.kind);
  for (const std::string& text : validators) {
    if (text.empty()) continue;
    info.choices = parse_choices(text);
    info.constraint = info.choices.empty() ? validator_in_words(text, info.kind)
                                           : "one of " + join(info.choices, ", ");
    info.expected = info.constraint;
  }
}

void read_default(OptionInfo& info, const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (info.list && text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
    if (text.empty()) return;
    for (const std::string_view part : split(text, ',')) info.defaults.emplace_back(part);
  } else if (!text.empty() && text != "{}") {
    info.defaults = {text};
  }
  info.has_default = !info.defaults.empty();
}

/// Lists of choices up to this length stand where the value stands: --loss softmax|bce.
constexpr std::size_t kMaxChoices = 32;

std::string placeholder(const OptionInfo& info, const std::string& type) {
  if (info.flag) return "";
  std::string choices = info.positional ? "" : join(info.choices, "|");
  if (!choices.empty() && choices.size() <= kMaxChoices) return choices;
  const bool named_by_kind =
      type == "INT" || type == "UINT" || type == "FLOAT" || type == "BOOLEAN";
  if (!named_by_kind) return type.empty() ? "TEXT" : type;
  if (info.kind == ValueKind::boolean) return "BOOL";
  return info.kind == ValueKind::real ? "X" : "N";
}

OptionInfo inspect_option(CLI::Option& option) {
  OptionInfo info;
  info.positional = option.get_positional();
  for (const std::string& name : option.get_fnames()) {
    if (option.get_flag_value(name, "") == "false") info.negations.push_back(name);
  }
  info.short_names = option.get_snames();
  info.long_names = option.get_lnames();
  info.key = !info.long_names.empty() ? info.long_names.front()
             : info.positional        ? option.get_name(true)
                                      : info.short_names.front();
  info.flag = option.get_items_expected_max() == 0;
  info.list = option.get_items_expected_max() > 1;
  info.accumulates = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  const std::vector<std::string> validators = validator_descriptions(option);
  const std::string type = base_type_name(option, validators);
  info.kind = info.flag ? ValueKind::boolean : kind_of(type);
  if (info.flag && info.accumulates) info.kind = ValueKind::unsigned_integer;
  describe_values(info, validators);
  info.metavar = placeholder(info, type);
  info.description = option.get_description();
  info.group = info.positional ? "Arguments" : option.get_group();
  info.environment = option.get_envname();
  info.required = option.get_required();
  info.configurable = option.get_configurable();
  if (option.get_delimiter() != '\0') info.delimiter = option.get_delimiter();
  read_default(info, option);
  option.delimiter('\0');
  option.allow_extra_args(false);
  return info;
}

/// Option groups are nameless apps inside the app.
void collect_options(CLI::App& app, std::vector<CLI::Option*>& options) {
  for (CLI::Option* option : app.get_options()) options.push_back(option);
  for (CLI::App* group : app.get_subcommands([](CLI::App* a) { return a->get_name().empty(); })) {
    collect_options(*group, options);
  }
}

/// A variable that CLI11 knows.
class Cli11Value : public OptionValue {
 public:
  Cli11Value(std::shared_ptr<CLI::App> app, CLI::Option& option)
      : app_(std::move(app)), option_(option) {}
  bool store(const std::vector<std::string>& texts) override {
    option_.clear();
    option_.add_result(texts);
    if (texts.empty()) return store_empty();
    try {
      option_.run_callback();
    } catch (const CLI::Error&) {
      return false;
    }
    return true;
  }
  std::vector<std::string> texts() const override { return {}; }

 private:
  /// CLI11 empties the variable and then calls an empty list a failure.
  bool store_empty() {
    const CLI::MultiOptionPolicy policy = option_.get_multi_option_policy();
    option_.multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    try {
      option_.run_callback();
    } catch (const CLI::ConversionError&) {
      option_.clear();
    }
    option_.multi_option_policy(policy);
    return true;
  }

  std::shared_ptr<CLI::App> app_;  ///< has the option
  CLI::Option& option_;
};

}  // namespace

void add_cli11_options(const OptionFields& fields,
                       const std::function<void(CLI::App&)>& add_options) {
  const auto app = std::make_shared<CLI::App>();
  app->set_help_flag();
  app->option_defaults()->always_capture_default();
  add_options(*app);
  std::vector<CLI::Option*> options;
  collect_options(*app, options);
  for (CLI::Option* option : options) {
    OptionInfo info = inspect_option(*option);
    OptionField& field = fields.add_bound(
        info.key.c_str(), info.kind, std::make_unique<Cli11Value>(app, *option), info.description);
    field.info() = std::move(info);
    for (const CLI::Option* other : option->get_needs()) field.needs(other->get_lnames().at(0));
    for (const CLI::Option* other : option->get_excludes()) {
      field.excludes(other->get_lnames().at(0));
    }
    field.goes_with_missing([option] { return missing_condition(*option); });
  }
}

}  // namespace frugal
