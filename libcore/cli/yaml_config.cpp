#include "libcore/cli/yaml_config.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/input_stream.h"

namespace frugal {
namespace {

// Far above any configuration of ours.
constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxSettings = 4096;
constexpr std::size_t kMaxDepth = 16;

/// Turns YAML's events into settings. Events and not yaml-cpp's nodes: a node tree can be far
/// larger than its text, and some texts of a few bytes make LoadAll() run for ever.
class ConfigHandler : public YAML::EventHandler {
 public:
  explicit ConfigHandler(std::string path) : path_(std::move(path)) {}

  std::string place(const YAML::Mark& mark) const {
    if (mark.is_null()) return path_ + ": ";
    return path_ + ": line " + std::to_string(mark.line + 1) + ": ";
  }

  std::vector<Setting> take_settings() { return std::move(settings_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (ended_) fail(ExitStatus::usage, place(mark), "expected one YAML document, found more");
  }
  void OnDocumentEnd() override { ended_ = true; }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    if (!is_utf8(value)) fail(ExitStatus::usage, place(mark), "YAML's \\N and \\_ are not read");
    if (in_list_) {
      settings_.back().values.push_back(value);
    } else if (prefixes_.empty()) {
      fail(ExitStatus::usage, place(mark), "expected 'name: value' lines");
    } else if (!key_) {
      key_ = prefixes_.back() + value;
      key_mark_ = mark;
    } else {
      begin_setting().values.push_back(value);
    }
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (in_list_) plain_values_only(mark);
    if (prefixes_.empty()) return;  // an empty file
    need_key(mark);
    fail(ExitStatus::usage, place(key_mark_), "'", printable(*key_),
         "' has no value; write \"\" for an empty one");
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(ExitStatus::usage, place(mark), "YAML aliases are not read");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    if (in_list_) plain_values_only(mark);
    if (prefixes_.empty()) fail(ExitStatus::usage, place(mark), "expected 'name: value' lines");
    need_key(mark);
    begin_setting().split = false;
    in_list_ = true;
  }
  void OnSequenceEnd() override { in_list_ = false; }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    if (in_list_) plain_values_only(mark);
    if (!prefixes_.empty()) need_key(mark);
    if (prefixes_.size() == kMaxDepth) {
      fail(ExitStatus::usage, place(mark), "nested more than ", kMaxDepth, " deep");
    }
    prefixes_.push_back(key_ ? *key_ + "-" : "");
    key_.reset();
  }
  void OnMapEnd() override { prefixes_.pop_back(); }

 private:
  void need_key(const YAML::Mark& mark) const {
    if (!key_) fail(ExitStatus::usage, place(mark), "expected a name before ':'");
  }

  [[noreturn]] void plain_values_only(const YAML::Mark& mark) const {
    fail(ExitStatus::usage, place(mark), settings_.back().name, " may hold plain values only");
  }

  Setting& begin_setting() {
    const std::string name = std::string("'").append(printable(*key_)).append("'");
    if (!seen_.insert(*key_).second)
      fail(ExitStatus::usage, place(key_mark_), name, " is given twice");
    if (seen_.size() > kMaxSettings) {
      fail(ExitStatus::usage, place(key_mark_), "more than ", kMaxSettings, " settings");
    }
    settings_.push_back({Layer::config, *key_, {}, true, place(key_mark_), name});
    key_.reset();
    return settings_.back();
  }

  const std::string path_;
  std::vector<std::string> prefixes_;  ///< of the maps that are open, "lsh-" for {lsh: ...}
  std::optional<std::string> key_;     ///< whose value comes next
  YAML::Mark key_mark_;
  bool in_list_ = false;
  bool ended_ = false;
  std::set<std::string> seen_;
  std::vector<Setting> settings_;
};

/// Ignores all events. A tree of nodes would take hundreds of times the text.
class SyntaxHandler : public YAML::EventHandler {
  using Mark = YAML::Mark;
  using Style = YAML::EmitterStyle::value;

  void OnDocumentStart(const Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const Mark&, YAML::anchor_t) override {}
  void OnAlias(const Mark&, YAML::anchor_t) override {}
  void OnScalar(const Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const Mark&, const std::string&, YAML::anchor_t, Style) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const Mark&, const std::string&, YAML::anchor_t, Style) override {}
  void OnMapEnd() override {}
};

/// Reads one byte more than a configuration may have, at most.
std::string read_text(const std::string& path) {
  InputStream in(path);
  std::string text(kMaxBytes + 1, '\0');
  text.resize(in.read(text.data(), text.size()));
  return text;
}

/// Double-quoted whatever it holds, so that "yes", "1e3", "-" and "" stay strings.
std::string quoted(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

std::string yaml_value(const OptionInfo& option, const std::string& value) {
  const bool plain = option.numbers != ValueKind::text && looks_like(option.numbers, value);
  return plain ? value : quoted(value);
}

std::string yaml_values(const ConfigEntry& entry) {
  const OptionInfo& option = *entry.option;
  if (!option.list) return yaml_value(option, entry.values.empty() ? "" : entry.values.front());
  std::string text = "[";
  for (const std::string& value : entry.values) {
    text.append(text.size() == 1 ? "" : ", ").append(yaml_value(option, value));
  }
  text += ']';
  return text;
}

/// Value written in the comment of an option without value and default.
std::string placeholder(const OptionInfo& option) {
  if (option.flag) return "false";
  return option.list ? "[]" : option.required ? "REQUIRED" : "\"\"";
}

bool writable(const ConfigEntry& entry) {
  return (entry.given || !entry.values.empty()) && std::ranges::all_of(entry.values, is_utf8);
}

}  // namespace

std::vector<Setting> read_config(const std::string& path) {
  return parse_config(read_text(path), path);
}

std::vector<Setting> parse_config(const std::string& text, const std::string& path) {
  if (text.size() > kMaxBytes) {
    fail(ExitStatus::usage, path, ": larger than ", format_bytes(kMaxBytes),
         ", not a configuration");
  }
  if (!is_utf8(text)) fail(ExitStatus::usage, path, ": not UTF-8 text");
  if (text.find('\0') != text.npos) fail(ExitStatus::usage, path, ": a NUL byte, not text");
  ConfigHandler handler(path);
  try {
    // Syntax comes first: the events before an error are guesses.
    SyntaxHandler syntax;
    std::istringstream checked(text);
    YAML::Parser(checked).HandleNextDocument(syntax);
    std::istringstream in(text);
    YAML::Parser parser(in);
    if (parser.HandleNextDocument(handler)) parser.HandleNextDocument(handler);
  } catch (const YAML::DeepRecursion& error) {
    fail(ExitStatus::usage, handler.place(error.mark), "not valid YAML: nested too deep");
  } catch (const YAML::Exception& error) {
    fail(ExitStatus::usage, handler.place(error.mark),
         "not valid YAML: ", printable(error.msg, 200));
  }
  return handler.take_settings();
}

std::vector<std::string> parse_flow_list(const std::string& text, const std::string& name) {
  std::vector<Setting> settings = parse_config("list: " + text, name);
  if (settings.size() != 1 || settings[0].split) {
    fail(ExitStatus::usage, name, ": '", printable(text), "' is not a list");
  }
  return settings[0].values;
}

Setting parse_set(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail(ExitStatus::usage, "--set '", printable(text), "': expected NAME=VALUE");
  }
  std::string key = text.substr(0, equals);
  std::replace(key.begin(), key.end(), '.', '-');
  const std::string value = text.substr(equals + 1);
  Setting setting{Layer::set, key, {value}, true, "", "--set " + printable(text.substr(0, equals))};
  if (value.size() >= 2 && value.front() == '[' && value.back() == ']') {
    setting.values = parse_flow_list(value, setting.name);
    setting.split = false;
  }
  return setting;
}

std::string write_config(const std::string& title, const std::vector<ConfigEntry>& entries) {
  std::string text = "# " + title + "\n";
  std::string group;
  for (const ConfigEntry& entry : entries) {
    const OptionInfo& option = *entry.option;
    if (option.group != group) text += "\n# " + (group = option.group) + "\n";
    text += writable(entry) ? option.key + ": " + yaml_values(entry)
                            : "# " + option.key + ": " + placeholder(option);
    text += "  # " + option.description + "\n";
  }
  return text;
}

}  // namespace frugal
