#include "libcore/cli/run_summary.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace frugal;

namespace {

RunSummary summary_of(const char* result, const std::string& config = "") {
  RunSummary summary;
  complete_summary(nlohmann::ordered_json::parse(result), config, summary);
  return summary;
}

}  // namespace

TEST_CASE("the row of a run has the metrics of the test, else of the validation") {
  CHECK(summary_of(R"({"loss": 1, "validation_auc": 0.7, "test_auc": 0.8, "test_log_loss": 0.25})")
            .result == "test AUC 0.8, log-loss 0.25");
  CHECK(summary_of(R"({"validation_accuracy": 0.75, "validation_p_at_1": 0.75,
                       "validation_p_at_5": 0.15})")
            .result == "validation accuracy 0.75");
  CHECK(summary_of(R"({"p_at_1": 0.5, "p_at_5": 0.25})").result == "P@1 0.5, P@5 0.25");
  CHECK(summary_of(R"({"auc": null, "log_loss": 0.5})").result == "log-loss 0.5");
  CHECK(summary_of(R"({"nodes": 3})").result == "");
}

TEST_CASE("the row of a run says what is reached without learning") {
  CHECK(summary_of(R"({"auc": 0.7, "log_loss": 0.5, "normalized_entropy": 0.8})").baseline ==
        "AUC 0.5, log-loss 0.625");
  CHECK(summary_of(R"({"test_auc": 0.7, "baselines": {"a": {"average_precision": 0.6},
                       "b": {"average_precision": 0.9, "detail": "x"}}})")
            .baseline == "average precision 0.9, b");
}

TEST_CASE("the row of a run has its times and speed, its data and its model") {
  const RunSummary trained = summary_of(R"({"samples_per_second": 41287, "train_seconds": 2})",
                                        "# x\ndata: \"folder/a b.csv\"  # samples\n"
                                        "architecture: \"dcn\"  # dlrm, dcn\n");
  CHECK(trained.speed == "41,300 samples/s");
  CHECK(trained.time == "2 s");
  CHECK(trained.data == "data file a b.csv");
  CHECK(trained.model == "dcn");
  CHECK(summary_of(R"({"examples": 100, "seconds": 0.5})").speed == "200 examples/s");
  CHECK(summary_of(R"({"epoch_seconds": 0.25})").speed == "250 ms an epoch");
  CHECK(summary_of("{}", "events: \"-\"\nmodel: \"x/tgn.model\"\n").data == "events of stdin");
  CHECK(summary_of("{}", "events: \"-\"\nmodel: \"x/tgn.model\"\n").model ==
        "model file tgn.model");
  RunSummary given;
  given.model = "ours";
  complete_summary({}, "architecture: \"dcn\"\n", given);
  CHECK(given.model == "ours");
}
