#include "libcore/cli/progress.h"

#include <doctest/doctest.h>

#include "test_tool.h"

using namespace frugal;

TEST_CASE("progress tells share, rate and time left") {
  const ProgressTask task{"train", 2000, "examples"};
  CHECK(progress_text(task, 500, 10, "loss 0.3") ==
        "train: 25% of 2k examples, 50 examples/s, 30 s left, loss 0.3");
  CHECK(progress_text(task, 2000, 40, "") == "train: 100% of 2k examples, 50 examples/s");
  CHECK(progress_text(task, 0, 0, "") == "train: 0% of 2k examples");
  CHECK(progress_text({"read", 0, "lines"}, 1234567, 1, "") == "read: 1.23M lines, 1.23M lines/s");
  CHECK(progress_text({"fit", 2.5e9, "B"}, 1e9, 10, "") ==
        "fit: 40% of 2.5 GB, 100 MB/s, 15 s left");
  CHECK(progress_text(task, 9999, 1, "") == "train: 100% of 2k examples, 10k examples/s");
}

TEST_CASE("there is no bar where stderr is no terminal, and no colour where it is refused") {
  CHECK(progress_style("never", false) == ProgressStyle::none);
  CHECK(progress_style("auto", true) == ProgressStyle::none);
  CHECK(progress_style("always", false) == ProgressStyle::bar);
  const test::ScopedVariable variable("NO_COLOR", "1");
  CHECK_FALSE(use_color("auto", 2));
  CHECK(use_color("always", 2));
  CHECK_FALSE(use_color("never", 2));
}
