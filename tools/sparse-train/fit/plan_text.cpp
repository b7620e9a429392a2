#include "tools/sparse-train/fit/plan_text.h"

#include <algorithm>
#include <map>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/sparse-train/settings/train_fields.h"

namespace frugal::sparse {
namespace {

constexpr char kPlan[] = "sparse-train.plan";
constexpr char kEarlierPlan[] = "checkpoint.run.plan";
constexpr std::size_t kPlanShown = 200;  ///< characters of a plan in an error

std::map<std::string, std::string> settings_of(std::string_view text) {
  std::map<std::string, std::string> settings;
  for (const std::string_view setting : split(text, ' ')) {
    const std::size_t end = std::min(setting.find('='), setting.size());
    settings.emplace(setting.substr(0, end), setting.substr(end));
  }
  return settings;
}

/// True if the plan of an earlier version's checkpoint agrees with `settings` in all names that
/// both have. The other names follow from the options, which are compared, too. lsh-active was the
/// number of labels to look up.
bool agrees_with_earlier(const std::string& text, const std::string& settings) {
  const auto earlier = settings_of(text), now = settings_of(settings);
  if (!earlier.contains("architecture")) return false;
  for (const auto& [name, value] : earlier) {
    const auto found = now.find(name);
    if (found == now.end() || name == "lsh-active") continue;
    if (found->second != value) return false;
  }
  return true;
}

/// " name=value" of a factor that is no option, unless it is 1.
std::string factor_text(const char* name, double value) {
  return value == 1 ? "" : std::string(" ") + name + "=" + format_number(value);
}

}  // namespace

std::string plan_text(const Plan& plan) {
  TrainSettings settings = static_cast<const TrainSettings&>(plan);
  const OptionFields fields;
  describe_network_settings(fields, settings);
  if (plan.uses_tables()) describe_lsh(fields, settings);
  if (plan.has_trees()) describe_trees(fields, settings);
  const NodeTrainerOptions& nodes = plan.forest.nodes;
  return option_line(decided_options(fields)) + factor_text("new-share", nodes.new_share) +
         factor_text("known-cost", nodes.known_cost) + factor_text("fresh-cost", nodes.fresh_cost);
}

void store_plan(const Plan& plan, Metadata& metadata) { metadata[kPlan] = plan_text(plan); }

void check_stored_plan(const Plan& plan, const Metadata& metadata, const std::string& path) {
  const std::string now = plan_text(plan);
  const auto stored = metadata.find(kPlan), earlier = metadata.find(kEarlierPlan);
  std::string found;
  if (stored != metadata.end()) {
    found = stored->second;
    if (found == now) return;
  } else if (earlier != metadata.end()) {
    found = earlier->second;
    if (agrees_with_earlier(found, now)) return;
  }
  fail(ExitStatus::usage, path,
       ": cannot resume: the plan differs (checkpoint: ", printable(found, kPlanShown),
       "; this run: ", printable(now, kPlanShown), ")");
}

}  // namespace frugal::sparse
