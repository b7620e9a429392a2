#include "libcore/cli/yaml_config.h"

#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

// Far above any configuration of ours; they bound what aliases that repeat each other can cost.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxSettings = 4096;
constexpr int kMaxDepth = 16;

class ConfigReader {
 public:
  explicit ConfigReader(std::string path) : path_(std::move(path)) {}

  std::vector<Setting> read(const std::string& text) {
    std::vector<YAML::Node> documents;
    try {
      documents = YAML::LoadAll(text);
    } catch (const YAML::Exception& error) {
      fail(ExitStatus::usage, place(error.mark), "not valid YAML: ", error.msg);
    }
    if (documents.size() > 1)
      fail(ExitStatus::usage, path_, ": expected one YAML document, found ", documents.size());
    if (documents.empty() || documents[0].IsNull()) return {};
    if (!documents[0].IsMap()) {
      fail(ExitStatus::usage, place(documents[0].Mark()), "expected 'name: value' lines");
    }
    add_map(documents[0], "", 0);
    return std::move(settings_);
  }

 private:
  std::string place(const YAML::Mark& mark) const {
    if (mark.is_null()) return path_ + ": ";
    return path_ + ": line " + std::to_string(mark.line + 1) + ": ";
  }

  void add_map(const YAML::Node& map, const std::string& prefix, int depth) {
    if (depth > kMaxDepth) {
      fail(ExitStatus::usage, place(map.Mark()), "nested more than ", kMaxDepth, " deep");
    }
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) {
        fail(ExitStatus::usage, place(entry.first.Mark()), "expected a name before ':'");
      }
      add(prefix + entry.first.Scalar(), entry.first.Mark(), entry.second, depth);
    }
  }

  void add(const std::string& key, const YAML::Mark& mark, const YAML::Node& value, int depth) {
    if (value.IsMap()) {
      add_map(value, key + "-", depth + 1);
      return;
    }
    if (!keys_.insert(key).second)
      fail(ExitStatus::usage, place(mark), "'", printable(key), "' is given twice");
    if (keys_.size() > kMaxSettings) {
      fail(ExitStatus::usage, place(mark), "more than ", kMaxSettings, " settings");
    }
    Setting setting{
        Layer::config, key,         {},
        true,          place(mark), std::string("'").append(printable(key)).append("'")};
    if (value.IsScalar()) {
      setting.values.push_back(value.Scalar());
    } else if (value.IsSequence()) {
      setting.split = false;
      add_elements(value, setting);
    } else {
      fail(ExitStatus::usage, place(mark), "'", printable(key),
           "' has no value; write \"\" for an empty one");
    }
    settings_.push_back(std::move(setting));
  }

  void add_elements(const YAML::Node& list, Setting& setting) const {
    for (const YAML::Node& element : list) {
      if (!element.IsScalar()) {
        fail(ExitStatus::usage, place(element.Mark()), setting.name, " may hold plain values only");
      }
      setting.values.push_back(element.Scalar());
    }
  }

  std::string path_;
  std::set<std::string> keys_;
  std::vector<Setting> settings_;
};

std::string read_text(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) fail(ExitStatus::cannot_open, path, ": ", errno_text(errno));
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::string text(kMaxBytes + 1, '\0');
  errno = 0;
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) fail(ExitStatus::cannot_open, path, ": ", errno_text(errno));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxBytes) {
    fail(ExitStatus::usage, path, ": larger than ", format_bytes(kMaxBytes),
         ", not a configuration");
  }
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
  const bool plain = option.kind != ValueKind::text && looks_like(option.kind, value);
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

/// What is written after "name: " for an option that has neither value nor default.
std::string placeholder(const OptionInfo& option) {
  if (option.flag) return "false";
  return option.list ? "[]" : option.required ? "REQUIRED" : "\"\"";
}

bool writable(const ConfigEntry& entry) {
  for (const std::string& value : entry.values) {
    if (!is_utf8(value)) return false;
  }
  return entry.given || !entry.values.empty();
}

}  // namespace

std::vector<Setting> read_config(const std::string& path) {
  return parse_config(read_text(path), path);
}

std::vector<Setting> parse_config(const std::string& text, const std::string& path) {
  if (!is_utf8(text)) fail(ExitStatus::usage, path, ": not UTF-8 text");
  return ConfigReader(path).read(text);
}

std::vector<std::string> parse_flow_list(const std::string& text, const std::string& name) {
  try {
    std::vector<std::string> values;
    for (const YAML::Node& element : YAML::Load(text)) {
      if (!element.IsScalar()) fail(ExitStatus::usage, name, " may hold plain values only");
      values.push_back(element.Scalar());
    }
    return values;
  } catch (const YAML::Exception& error) {
    fail(ExitStatus::usage, name, ": '", printable(text), "' is not a list: ", error.msg);
  }
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
