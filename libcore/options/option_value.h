#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/options/option_info.h"

namespace frugal {

/// The variable that an option is bound to, as text.
class OptionValue {
 public:
  virtual ~OptionValue() = default;
  /// False where a text is no value of the variable's type; the variable is as before then.
  virtual bool store(const std::vector<std::string>& texts) = 0;
  /// As a user writes them: reading them back gives the same value. None: nothing to be written.
  virtual std::vector<std::string> texts() const = 0;
};

using OptionValuePtr = std::unique_ptr<OptionValue>;

/// Bound to a variable, which must outlive the value. `word` stands for an empty optional.
OptionValuePtr bind_value(bool& variable);
OptionValuePtr bind_value(int& variable);
OptionValuePtr bind_value(std::int64_t& variable);
OptionValuePtr bind_value(std::uint32_t& variable);
OptionValuePtr bind_value(std::uint64_t& variable);
OptionValuePtr bind_value(float& variable);
OptionValuePtr bind_value(double& variable);
OptionValuePtr bind_value(std::string& variable);
OptionValuePtr bind_value(std::vector<int>& variable);
OptionValuePtr bind_value(std::vector<std::uint32_t>& variable);
OptionValuePtr bind_value(std::vector<std::uint64_t>& variable);
OptionValuePtr bind_value(std::vector<double>& variable);
OptionValuePtr bind_value(std::vector<std::string>& variable);
OptionValuePtr bind_value(std::optional<int>& variable, const std::string& word);
OptionValuePtr bind_value(std::optional<std::uint64_t>& variable, const std::string& word);
OptionValuePtr bind_value(std::optional<double>& variable, const std::string& word);

/// How often a flag is given, or a number.
OptionValuePtr bind_count(int& variable);
/// "64K", "8MiB"; 0 is written as nothing.
OptionValuePtr bind_bytes(std::uint64_t& variable);
OptionValuePtr bind_bytes(std::optional<std::uint64_t>& variable);
/// Seconds as "90s", "5m"; 0 is written as nothing.
OptionValuePtr bind_duration(double& variable);
/// One of `names` by its place there.
OptionValuePtr bind_choice(std::function<std::size_t()> get, std::function<void(std::size_t)> set,
                           std::vector<std::string> names);

}  // namespace frugal
