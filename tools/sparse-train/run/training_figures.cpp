#include "tools/sparse-train/run/training_figures.h"

#include <nlohmann/json.hpp>

#include "tools/sparse-train/fit/plan_text.h"
#include "tools/sparse-train/run/train_result.h"
#include "tools/sparse-train/search/text_report.h"

namespace frugal::sparse {

std::string training_figures(const TrainResult& result) {
  nlohmann::ordered_json json = {{"plan", plan_text(result.plan)}, {"steps", result.steps}};
  if (result.cut_short) {
    json["cut_short"] = true;
    if (result.plan.has_trees()) json["trees"] = result.trees;
    if (result.plan.has_network()) json["epochs"] = result.epochs;
  }
  if (result.validation) {
    json["validation_examples"] = result.validation->examples;
    json["validation_p_at_1"] = result.validation->precision[0];
    json["validation_p_at_5"] = result.validation->precision[2];
  }
  if (result.search) json["search"] = choice_json(*result.search, false);
  return json.dump();
}

}  // namespace frugal::sparse
