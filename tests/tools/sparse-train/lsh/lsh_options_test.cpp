#include "tools/sparse-train/lsh/lsh_options.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("functions are chosen by the number of labels and the bits that each gives") {
  LshSettings settings;
  CHECK(choose_lsh(settings, 670091).hash.functions == 6);
  CHECK(choose_lsh(settings, 10).hash.functions == 1);
  settings.hash = "simhash";
  CHECK(choose_lsh(settings, 205443).hash.functions == 16);
  settings.functions = 9;
  CHECK(choose_lsh(settings, 205443).hash.functions == 9);
}

TEST_CASE("everything that changes the training is in the text of the options") {
  LshSettings settings;
  settings.functions = 8;
  CHECK(lsh_text(choose_lsh(settings, 670091)) ==
        "lsh-hash=dwta lsh-k=8 lsh-tables=50 lsh-range=18 lsh-bucket=128 lsh-bucket-policy=fifo "
        "lsh-mode=vanilla lsh-active=0 lsh-threshold=2 lsh-min-active=1000 "
        "lsh-correct-sampling=false lsh-rebuild=50 lsh-rebuild-growth=1.1 lsh-rebuild-steps=1 "
        "lsh-new-hashes=20 lsh-freeze-after=0 lsh-hard=0");
  CHECK(choose_lsh(settings, 20).min_active == 20);
}

TEST_CASE("a rebuild must end before the next begins") {
  LshSettings settings;
  settings.rebuild = 10;
  settings.rebuild_steps = 11;
  CHECK(error_of([&] { choose_lsh(settings, 100); }) ==
        "2 --lsh-rebuild-steps 11 is more than --lsh-rebuild 10: expected a rebuild to end before "
        "the next begins");
}
