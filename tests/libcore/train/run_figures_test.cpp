#include "libcore/train/run_figures.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace frugal;

TEST_CASE("an epoch takes the median of whole ones, else its part of what was trained") {
  RunFigures figures;
  figures.fit_seconds = 3;
  figures.fit_cpu_seconds = 5;
  CHECK(figures.median_epoch_seconds(0.5) == 6);
  CHECK(figures.median_epoch_seconds(0) == 0);
  figures.epoch_seconds = {9, 1, 2};
  CHECK(figures.median_epoch_seconds(3) == 2);
  figures.epoch_seconds = {9, 1, 2, 4};
  CHECK(figures.median_epoch_seconds(4) == 3);
}

TEST_CASE("results say where their run has ended") {
  RunFigures figures;
  figures.epochs = 3;
  figures.best_epoch = 2;
  figures.steps = 30;
  figures.resumed_from = 10;
  figures.loss = 0.25;
  nlohmann::ordered_json json;
  describe_run_figures(ResultFields(json), figures);
  CHECK(json.dump() ==
        R"({"epochs":3,"best_epoch":2,"steps":30,"resumed_from_step":10,"loss":0.25})");
}

TEST_CASE(
    "the time in which a device computed is told beside the training's, where there was one") {
  RunFigures figures;
  figures.fit_seconds = 3;
  figures.fit_cpu_seconds = 5;
  nlohmann::ordered_json json;
  describe_fit_seconds(ResultFields(json), figures);
  CHECK(json.dump() == R"({"fit_seconds":3.0,"fit_cpu_seconds":5.0,"precision":"f32"})");
  CHECK(device_busy_text(figures).empty());
  figures.device_busy_seconds = 2.5;
  json.clear();
  describe_fit_seconds(ResultFields(json), figures);
  CHECK(json.dump() == R"({"fit_seconds":3.0,"fit_cpu_seconds":5.0,"device_busy_seconds":2.5})");
  CHECK(device_busy_text(figures) == ", device busy for 2.5 s");
}
