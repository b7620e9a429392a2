#include "tools/robe-compress/data/column_warnings.h"

#include <doctest/doctest.h>

#include "libcore/base/hash.h"
#include "tests/support/text_file.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/click_fit.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

/// 200 samples: a session for each but two, 40 users, 30 ages, 5 grades, codes like 3.0, prices.
std::string sample_text(const std::string& user = "user_id") {
  std::string text = "click,session," + user + ",age,grade,code,price\n";
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(i % 2) + ",s" + std::to_string(i % 198) + "," + std::to_string(i % 40) +
            "," + std::to_string(20 + i % 30) + "," + std::to_string(i % 5) + "," +
            std::to_string(i % 7) + ".0," + std::to_string(i % 9) + ".5\n";
  }
  return text;
}

std::vector<std::string> doubts(const std::string& text, const ClickOptions& options = {}) {
  const TextFile file(text, ".csv");
  const ClickData data(file.path(), options);
  return doubtful_columns(data.encoder());
}

}  // namespace

TEST_CASE("columns that are near-unique or of a doubtful type are named with what to declare") {
  const auto found = doubts(sample_text());
  REQUIRE(found.size() == 2);
  CHECK(found[0] ==
        "column 'session' has 198 different values in 200 samples: what nearly every sample has "
        "for itself teaches little about others; --columns session:ignore leaves it out");
  CHECK(found[1] ==
        "whole numbers are read as categories: age; declare those that measure or count "
        "something, like --columns age:number");
  CHECK(doubts(sample_text("visits"))[1].find("categories: visits, age;") != std::string::npos);
  for (const char* id : {"movieId", "user", "item"}) CHECK(doubts(sample_text(id)) == found);
}

TEST_CASE("what is declared or has few values is not in doubt") {
  CHECK(doubts(sample_text(), {.columns = "session:ignore,age:number,code:category"}).empty());
  CHECK(doubts(sample_text(), {.columns = "session:ignore,*:category"}).empty());
  CHECK(doubts("click,a\n1,x\n0,y\n").empty());  // two samples say nothing
}

TEST_CASE("values are counted, rare ones too, and those of samples held out are not") {
  const TextFile file(sample_text(), ".csv");
  const ClickData all(file.path(), {.min_count = 3});
  CHECK(all.encoder().num_values(0).values == 198);
  CHECK(all.encoder().num_values(1).values == 40);
  CHECK(all.encoder().field_rows(0) == 1);
  const std::string said = all.encoder().describe()[2];
  CHECK(
      said ==
      "categories (and their values): session (198), user_id (40), age (30), grade (5), code (7)");
  const ClickData part(file.path(), {.held_out = "last:0.5"});
  CHECK(part.encoder().num_values(0).values == 100);
  const ClickData hashed(file.path(), {.ids = "hash"});
  CHECK(hashed.encoder().describe()[2] == said);
  CHECK(hashed.encoder().describe()[1] == "numbers (and their values): price (9)");
  CHECK(doubts(sample_text(), {.ids = "hash"}) == doubts(sample_text()));
  // What becomes of the values does not change their number.
  const ClickData folded(file.path(), {.ids = "hash", .hash_rows = 20});
  CHECK(folded.encoder().describe()[2] == said);
  CHECK(doubts(sample_text(), {.ids = "hash", .hash_rows = 20}) == doubts(sample_text()));
  const TextFile ids("click,a\n1,0\n0,5\n1,10\n0,15\n", ".csv");
  const ClickData modulo(ids.path(), {.columns = "a:category", .ids = "number", .max_rows = 5});
  CHECK(modulo.encoder().field_rows(0) == 1);
  CHECK(modulo.encoder().num_values(0).values == 4);
  const auto columns = hashed.encoder().columns();
  REQUIRE(columns.size() == 7);
  CHECK(columns[0].use == "label");
  CHECK(columns[0].count.samples == 0);
  CHECK(columns[1].name == "price");
  CHECK(columns[1].count.values == 9);
  CHECK(columns[2].name == "session");
  CHECK(columns[2].count.values == 198);
}

TEST_CASE("different values are counted exactly up to some thousands, then nearly") {
  DistinctCount count;
  for (const std::uint64_t values : {8192, 100000, 1000000}) {
    for (std::uint64_t round = 0; round < 2; ++round) {
      for (std::uint64_t i = 0; i < values; ++i) count.add(mix64(i));
    }
    const double share = static_cast<double>(count.count()) / static_cast<double>(values);
    CHECK(count.is_exact() == (values == 8192));
    CHECK_MESSAGE((count.is_exact() ? share == 1 : share > 0.95 && share < 1.05), values, share);
  }
  CHECK(ValueCount{27953, 50000, false}.text() == "about 28000");
  CHECK(ValueCount{27953, 50000, true}.text() == "27953");
  CHECK(ValueCount{}.text().empty());
}
