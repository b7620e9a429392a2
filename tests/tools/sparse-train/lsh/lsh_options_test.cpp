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

TEST_CASE("decided settings leave nothing open and are decided no further") {
  LshSettings settings;
  for (const char* mode : {"auto", "vanilla", "top-k", "threshold"}) {
    settings.mode = mode;
    settings.random = 0.5;
    const LshOptions options = choose_lsh(settings, 983);
    const LshSettings& s = options.settings;
    const bool agreement = settings.mode == "auto";
    CHECK(s.mode == (agreement ? "agreement" : mode));
    CHECK(s.hash == (agreement ? "simhash" : "dwta"));
    CHECK(s.bucket_policy == "fifo");
    CHECK(std::vector{s.tables, s.range, s.bucket, s.threshold, s.new_hashes} ==
          std::vector{50U, 18U, 128U, 2U, 20U});
    CHECK(std::vector{s.active, s.min_active} == std::vector{148U, 148U});
    const LshOptions again = choose_lsh(s, 983);
    CHECK(again.query.wanted == 74);
    CHECK(again.query.wanted == options.query.wanted);
    CHECK(again.query.mode == options.query.mode);
    CHECK(again.least_drawn == options.least_drawn);
    CHECK(again.hash.functions == options.hash.functions);
    CHECK(again.hash.kind == options.hash.kind);
  }
  settings.active = 0;
  CHECK(choose_lsh(settings, 20).settings.active == 0);
  CHECK(choose_lsh(settings, 20).settings.min_active == 3);
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
    return choose_lsh(settings, labels).settings.min_active;
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
  CHECK(choose_lsh(settings, 983).settings.min_active == 148);
}

TEST_CASE("a rebuild must end before the next begins") {
  LshSettings settings;
  settings.rebuild = 10;
  settings.rebuild_steps = 11;
  CHECK(error_of([&] { choose_lsh(settings, 100); }) ==
        "2 --lsh-rebuild-steps 11 is more than --lsh-rebuild 10: expected a rebuild to end before "
        "the next begins");
}
