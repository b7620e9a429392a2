#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/tool_table.h"
#include "libcore/streams/json_text.h"

namespace frugal {
namespace {

using Json = nlohmann::ordered_json;

const char* json_type(ValueKind kind) {
  switch (kind) {
    case ValueKind::integer:
    case ValueKind::unsigned_integer: return "integer";
    case ValueKind::real: return "number";
    case ValueKind::boolean: return "boolean";
    case ValueKind::text: break;
  }
  return "string";
}

Json json_value(ValueKind kind, const std::string& text) {
  if (kind == ValueKind::text) return text;
  return find_json<Json>(text).value_or(text);
}

Json value_schema(const OptionInfo& option) {
  if (!option.word.empty() && option.choices.empty()) {
    const Json word{{"const", option.word}}, number{{"type", json_type(option.numbers)}};
    return {{"anyOf", Json::array({word, number})}};
  }
  Json schema{{"type", json_type(option.kind)}};
  if (!option.choices.empty()) schema["enum"] = option.choices;
  if (option.kind == ValueKind::unsigned_integer) schema["minimum"] = 0;
  return schema;
}

Json option_schema(const OptionInfo& option) {
  Json schema =
      option.list ? Json{{"type", "array"}, {"items", value_schema(option)}} : value_schema(option);
  schema["description"] = option.constraint.empty() ? option.description
                                                    : option.description + "; " + option.constraint;
  if (!option.has_default) return schema;
  Json values = Json::array();
  for (const std::string& text : option.defaults) values.push_back(json_value(option.kind, text));
  schema["default"] = option.list ? values : values.front();
  return schema;
}

/// {lsh: {tables: 7}} says lsh-tables: every beginning of a name may be a map.
void add_nested_names(Json& properties, const std::string& key) {
  for (std::size_t dash = key.find('-'); dash != std::string::npos;
       dash = key.find('-', dash + 1)) {
    const std::string prefix = key.substr(0, dash);
    if (!properties.contains(prefix)) properties[prefix] = {{"type", "object"}};
  }
}

Json command_schema(const Command& command, const std::vector<OptionInfo>& options) {
  Json properties = Json::object();
  for (const OptionInfo& option : options) {
    if (option.configurable) properties[option.key] = option_schema(option);
  }
  for (const OptionInfo& option : options) {
    if (option.configurable) add_nested_names(properties, option.key);
  }
  return {{"title", command.summary},
          {"type", "object"},
          {"properties", properties},
          {"additionalProperties", false}};
}

}  // namespace

std::string json_schema(const ToolTable& table) {
  Json definitions = Json::object(), any = Json::array();
  for (std::size_t i = 0; i < table.options.size(); ++i) {
    const Command& command = table.tool->commands[i];
    definitions[command.name] = command_schema(command, table.options[i]);
    any.push_back({{"$ref", "#/$defs/" + command.name}});
  }
  const Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "configuration of " + table.tool->name},
                    {"anyOf", any},
                    {"$defs", definitions}};
  return schema.dump(2) + "\n";
}

}  // namespace frugal
