#include "libcore/metrics/named_values.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace frugal;

TEST_CASE("metrics are named by their part of the data, in JSON and in text") {
  const NamedValues values = {{"auc", 0.912345678}, {"log_loss", 0.5}};
  nlohmann::ordered_json json;
  add_metrics(values, "test", json);
  add_metrics(values, "", json);
  CHECK(json.dump() ==
        R"({"test_auc":0.912345678,"test_log_loss":0.5,"auc":0.912345678,"log_loss":0.5})");
  CHECK(metrics_text("test", values) == ", test auc 0.91235, test log_loss 0.5");
  CHECK(metrics_text("", values) == ", auc 0.91235, log_loss 0.5");
}
