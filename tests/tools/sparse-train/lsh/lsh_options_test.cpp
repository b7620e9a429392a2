#include "tools/sparse-train/lsh/lsh_options.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("functions are chosen by the number of labels and the bits that each gives") {
  LshSettings settings;
  settings.mode = "vanilla";
  CHECK(choose_lsh(settings, 670091).hash.functions == 6);
  CHECK(choose_lsh(settings, 10).hash.functions == 1);
  settings.hash = "simhash";
  CHECK(choose_lsh(settings, 205443).hash.functions == 16);
  settings.functions = 9;
  CHECK(choose_lsh(settings, 205443).hash.functions == 9);
}

TEST_CASE("everything that changes the training is in the text of the options") {
  LshSettings settings;
  settings.mode = "vanilla";
  settings.functions = 8;
  settings.active = 0;
  settings.min_active = 1000;
  settings.center = settings.share_random = settings.correct_sampling = false;
  CHECK(lsh_text(choose_lsh(settings, 670091)) ==
        "lsh-hash=dwta lsh-k=8 lsh-tables=50 lsh-range=18 lsh-bucket=128 lsh-bucket-policy=fifo "
        "lsh-mode=vanilla lsh-active=0 lsh-center=false lsh-bits=320 lsh-least-drawn=0 "
        "lsh-share-random=false "
        "lsh-threshold=2 lsh-min-active=1000 "
        "lsh-correct-sampling=false lsh-rebuild=50 lsh-rebuild-growth=1.1 lsh-rebuild-steps=1 "
        "lsh-new-hashes=20 lsh-freeze-after=0 lsh-hard=0");
  CHECK(choose_lsh(settings, 20).min_active == 20);
}

TEST_CASE("signs are compared unless tables are asked for") {
  LshSettings settings;
  CHECK(choose_lsh(settings, 100).query.mode == QueryMode::agreement);
  CHECK(choose_lsh(settings, 100).hash.kind == HashKind::simhash);
  settings.hash = "wta";
  CHECK(choose_lsh(settings, 100).query.mode == QueryMode::top_k);
  settings.mode = "agreement";
  CHECK(error_of([&] { choose_lsh(settings, 100); }) ==
        "2 --lsh-mode agreement compares signs: expected --lsh-hash simhash or simhash-dense, "
        "found wta");
  settings = {};
  settings.freeze_after = 1;
  CHECK(choose_lsh(settings, 100).query.mode == QueryMode::top_k);
  CHECK(choose_lsh(settings, 100).hash.kind == HashKind::dwta);
  settings = {};
  settings.tables = 50;
  CHECK(settings.uses_tables());
  settings = {};
  settings.active = 0;
  CHECK(settings.uses_tables());
  settings = {};
  settings.mode = "threshold";
  CHECK(choose_lsh(settings, 100).hash.kind == HashKind::dwta);
}

TEST_CASE("the smaller number of labels that was asked for holds, else a share of all") {
  CHECK(default_active(159) == 24);
  CHECK(default_active(983) == 148);
  CHECK(default_active(9916) == 340);
  const auto outputs = [](std::uint32_t active, std::uint32_t min_active, std::uint32_t labels) {
    LshSettings settings;
    settings.active = active;
    settings.min_active = min_active;
    return choose_lsh(settings, labels).min_active;
  };
  constexpr std::uint32_t kAuto = LshSettings::kAuto;
  CHECK(outputs(kAuto, kAuto, 983) == 148);
  CHECK(outputs(49, kAuto, 983) == 49);
  CHECK(outputs(kAuto, 200, 983) == 200);
  CHECK(outputs(49, 1000, 983) == 49);
  CHECK(outputs(1000, 49, 983) == 49);
  CHECK(outputs(5000, kAuto, 983) == 983);
  LshSettings settings;
  settings.active = 100;
  settings.random = 0.5;
  CHECK(choose_lsh(settings, 983).query.wanted == 50);
  CHECK(choose_lsh(settings, 983).least_drawn == 25);
  settings.random = 0.9;
  CHECK(choose_lsh(settings, 983).query.wanted == 10);
  settings.random = 1;
  CHECK(choose_lsh(settings, 983).query.wanted == 1);
  settings.active = 0;
  settings.mode = "agreement";
  CHECK(error_of([&] { choose_lsh(settings, 983); }) ==
        "2 --lsh-active 0 takes all labels that tables find: expected --lsh-mode vanilla, top-k or "
        "threshold, or a number of labels");
  settings.mode = "top-k";
  CHECK(choose_lsh(settings, 983).query.wanted == 0);
  CHECK(choose_lsh(settings, 983).min_active == 148);
}

TEST_CASE("a rebuild must end before the next begins") {
  LshSettings settings;
  settings.rebuild = 10;
  settings.rebuild_steps = 11;
  CHECK(error_of([&] { choose_lsh(settings, 100); }) ==
        "2 --lsh-rebuild-steps 11 is more than --lsh-rebuild 10: expected a rebuild to end before "
        "the next begins");
}
