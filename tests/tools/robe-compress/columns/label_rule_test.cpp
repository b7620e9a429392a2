#include <doctest/doctest.h>

#include "tests/support/text_file.h"
#include "tools/robe-compress/columns/click_schema.h"

using namespace frugal;
using namespace frugal::robe;

TEST_CASE("without a rule 1 is a click, 0 and -1 are none, nothing else is a label") {
  const LabelRule rule;
  for (const char* click : {"1", "+1", "1.0", " 1 ", "True", "true", "TRUE"})
    CHECK(rule.label(click) == 1.0F);
  for (const char* none : {"0", "-1", "0.0", "-1.0", "False", "false", "FALSE"})
    CHECK(rule.label(none) == 0.0F);
  for (const char* wrong : {"", "2", "yes", "nan", "0.5"}) CHECK(!rule.label(wrong));
}

TEST_CASE("a rule compares numbers, or texts") {
  const LabelRule rating("rating>=4");
  CHECK(rating.column() == "rating");
  CHECK(rating.label("4") == 1.0F);
  CHECK(rating.label("4.5") == 1.0F);
  CHECK(rating.label("3.5") == 0.0F);
  CHECK(!rating.label("good"));
  CHECK(!rating.label("True"));
  CHECK(!rating.label("nan"));
  CHECK(LabelRule("<=2").label("2") == 1.0F);
  CHECK(LabelRule("<2").label("2") == 0.0F);
  CHECK(LabelRule("y > 0.5").label("1") == 1.0F);
  CHECK(LabelRule("y > 0.5").column() == "y");
  const LabelRule income(">50K");
  CHECK(income.column().empty());
  CHECK(income.label(" >50K") == 1.0F);
  CHECK(income.label("<=50K") == 0.0F);
  CHECK(!income.label(""));
  CHECK(LabelRule("income=>50K").column() == "income");
  CHECK(LabelRule("income=>50K").label(">50K") == 1.0F);
  for (const char* text : {"rating>=x", "rating=>4", "rating>=4 and x<5", "rating>="}) {
    CHECK_THROWS_WITH(LabelRule(text).check_comparison(),
                      doctest::Contains("expected a number behind"));
  }
  CHECK(LabelRule("readmitted==<30").label("<30") == 1.0F);
  LabelRule("readmitted==<30").check_comparison();
  CHECK(LabelRule("Viewed>Bought").label("Viewed>Bought") == 1.0F);  // as models may have it
  CHECK(LabelRule("answer=1").label("1") == 1.0F);
  for (const char* at_zero : {">=0", "<=0", "=0", "<1", ">-1"}) {  // 0 is no word for "none" then
    CAPTURE(at_zero);
    CHECK(LabelRule(at_zero).label("0") == 1.0F);
  }
  CHECK(LabelRule(">0").label("0") == 0.0F);
  CHECK(LabelRule("<1").label("1") == 0.0F);
  CHECK(LabelRule("answer=no").label("1") == 0.0F);
}

TEST_CASE("a rule that names a number means every way to write it") {
  const LabelRule five("rating==5");
  CHECK(five.column() == "rating");
  for (const char* click : {"5", "5.0", "05", "+5", " 5 "}) CHECK(five.label(click) == 1.0F);
  for (const char* none : {"4", "50", "-5", "five", "nan"}) CHECK(five.label(none) == 0.0F);
  CHECK(LabelRule("rating=5").label("5.0") == 1.0F);
  CHECK(LabelRule("5").label("5.0") == 1.0F);
  CHECK(LabelRule("rating==good").label("good") == 1.0F);
  CHECK(LabelRule("nan").label("nan") == 1.0F);
  CHECK(LabelRule("seen==True").label("true") == 1.0F);
  CHECK(LabelRule("seen==True").label("FALSE") == 0.0F);
}

TEST_CASE("a rule without a value is refused") {
  CHECK(error_of([] { LabelRule("answer="); }) ==
        "2 --positive is 'answer=', expected a condition like rating>=4 or the text of a click "
        "like >50K");
}
