#include "libcore/metrics/named_values.h"

#include <doctest/doctest.h>

using namespace frugal;

TEST_CASE("metrics are named by their part of the data, in text too") {
  const NamedValues values = {{"auc", 0.912345678}, {"log_loss", 0.5}};
  CHECK(metric_name("test", "auc") == "test_auc");
  CHECK(metric_name("", "auc") == "auc");
  CHECK(metrics_text("test", values) == ", test auc 0.91235, test log_loss 0.5");
  CHECK(metrics_text("", values) == ", auc 0.91235, log_loss 0.5");
}
