#include "libcore/device/cuda/engines/step_list.h"

#include <algorithm>
#include <iterator>

namespace frugal::cuda {

RuleChoice rule_from(const Settings& settings) {
  const std::string name = settings.text("optimizer");
  RuleChoice choice;
  const auto found = std::find_if(std::begin(kRuleFacts), std::end(kRuleFacts),
                                  [&](const RuleFacts& facts) { return name == facts.name; });
  if (found == std::end(kRuleFacts)) {
    throw Failure(FRUGAL_UNSUPPORTED, "it has no optimizer " + name);
  }
  choice.rule = static_cast<Rule>(found - kRuleFacts);
  choice.numbers = {settings.real("epsilon"), settings.real("beta1"), settings.real("beta2"),
                    settings.real("weight_decay")};
  return choice;
}

void StepList::run(const RuleChoice& rule, cudaStream_t stream) const {
  for (std::size_t begin = 0; begin < entries_.size(); begin += kStepEntries) {
    StepTable table{};
    table.count =
        static_cast<std::uint32_t>(std::min<std::size_t>(kStepEntries, entries_.size() - begin));
    std::uint32_t blocks = 0;
    for (std::uint32_t i = 0; i < table.count; ++i) {
      StepEntry& entry = table.entries[i] = entries_[begin + i];
      entry.first_block = blocks;
      blocks += grid_for(entry.size).x;
    }
    with_rule(rule.rule, [&](auto kind) {
      launch(step_all<decltype(kind)::value>, dim3(blocks), dim3(kThreads), stream, table,
             rule.numbers);
    });
  }
}

}  // namespace frugal::cuda
