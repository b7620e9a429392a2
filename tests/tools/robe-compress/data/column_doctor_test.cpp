#include "tools/robe-compress/data/column_doctor.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"
#include "tools/robe-compress/data/click_data.h"

using namespace frugal;

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
  return doubtful_columns(data.encoder(), data.size());
}

}  // namespace

TEST_CASE("columns that are near-unique or of a doubtful type are named with what to declare") {
  const auto found = doubts(sample_text());
  REQUIRE(found.size() == 3);
  CHECK(found[0] ==
        "column 'session' has 198 different values in 200 samples: what nearly every sample has "
        "for itself teaches little about others; --columns session:ignore leaves it out");
  CHECK(found[1] ==
        "whole numbers are read as categories: age; declare those that measure or count "
        "something, like --columns age:number");
  CHECK(found[2] ==
        "whole numbers with a decimal point are read as quantities: code; declare those that are "
        "codes, like --columns code:category");
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
  CHECK(all.encoder().num_values(0) == 198);
  CHECK(all.encoder().num_values(1) == 40);
  CHECK(all.encoder().field_rows(0) == 1);
  const std::string said = all.encoder().describe()[2];
  CHECK(said == "categories (and their values): session (198), user_id (40), age (30), grade (5)");
  const ClickData part(file.path(), {.held_out = "last:0.5"});
  CHECK(part.encoder().num_values(0) == 100);
  const ClickData hashed(file.path(), {.ids = "hash"});
  CHECK(hashed.encoder().describe()[2] == "categories: session, user_id, age, grade");
}
