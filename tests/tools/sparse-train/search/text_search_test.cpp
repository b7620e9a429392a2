#include "tools/sparse-train/search/text_search.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "tests/support/text_file.h"
#include "tools/sparse-train/data/records.h"
#include "tools/sparse-train/search/search_outcome.h"
#include "tools/sparse-train/search/text_report.h"
#include "tools/sparse-train/text/folds.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

std::string letters(Rng& rng, int n) {
  std::string word;
  for (int i = 0; i < n; ++i) word += static_cast<char>('a' + rng.below(26));
  return word;
}

/// Words that nobody saw before, whose ends tell the label: only characters help.
std::string endings(int examples) {
  Rng rng(7);
  std::ostringstream text;
  for (int i = 0; i < examples; ++i)
    text << (i % 2 == 0 ? "bird," : "fish,") << letters(rng, 6) << (i % 2 == 0 ? "wing" : "gill")
         << "\n";
  return text.str();
}

/// The same, some with a second label.
std::string several_endings(int examples) {
  std::istringstream lines(endings(examples));
  std::string text, line;
  while (std::getline(lines, line)) text += (text.size() % 3 == 0 ? "big;" : "") + line + "\n";
  return text;
}

/// All have the same words; which stand together tells the label.
std::string orders(int examples) {
  Rng rng(8);
  std::ostringstream text;
  for (int i = 0; i < examples; ++i)
    text << (i % 2 == 0 ? "yes,is not bad and was" : "no,not is and bad was") << " w"
         << rng.below(50) << "\n";
  return text.str();
}

/// With everything left to the data.
TrainOptions open_options(const std::string& data) {
  TrainOptions options;
  options.data = data;
  options.features.weighting = "auto";
  options.features.word_ngrams = kNgramsByData;
  options.features.char_ngrams = kCharsByData;
  options.features.min_count = 0;
  options.seed = 3;
  return options;
}

std::vector<std::pair<std::uint32_t, float>> scores(const TrialModel& trial) {
  std::vector<std::pair<std::uint32_t, float>> all;
  for (const ScoredLabel& s :
       trial.model.scorer(3)->predict(trial.held_out, 0, trial.held_out.size()))
    all.emplace_back(s.label, s.score);
  return all;
}

TextCandidate chosen(const TextChoice& choice) { return choice.trials[choice.best].candidate; }

}  // namespace

TEST_CASE("characters are chosen where words are always new") {
  const TextFile data(endings(600), ".csv");
  const auto choice = search_text(open_options(data.path()), {});
  REQUIRE(choice);
  CHECK(chosen(*choice).char_ngrams == "3:5");
  CHECK(choice->trials[choice->best].score > 0.99);
  CHECK(choice->trials[0].candidate.word_ngrams == 1);
  CHECK(choice->trials[0].score < 0.8);
  CHECK(choice->examples == 600);
  CHECK_FALSE(choice->sampled);
}

TEST_CASE("a network far behind in the first half of its epochs is given up, others are not") {
  const auto networks = [](const std::string& text) {
    const TextFile data(text, ".csv");
    std::vector<TextTrial> found = search_text(open_options(data.path()), {})->trials;
    std::erase_if(found, [](const TextTrial& trial) { return trial.candidate.linear; });
    return found;
  };
  for (const TextTrial& trial : networks(orders(600))) CHECK_FALSE(trial.given_up);
  std::istringstream lines(endings(600));
  std::string text, line;
  while (std::getline(lines, line)) text += line + " with words of all\n";
  const std::vector<TextTrial> tried = networks(text);
  REQUIRE(tried.size() == 2);  // of words alone, and of the characters that linear classifiers need
  CHECK(tried[0].given_up);
  CHECK(tried[0].score < 0.8);
  CHECK(trial_text(tried[0]).find("given up early") != std::string::npos);
  CHECK_FALSE(tried[1].given_up);
}

TEST_CASE("a hundred examples are enough to choose by") {
  const TextFile data(endings(100), ".csv");
  const auto choice = search_text(open_options(data.path()), {});
  REQUIRE(choice);
  CHECK(chosen(*choice).char_ngrams == "3:5");
  CHECK(choice->trials[choice->best].score > 0.95);
}

TEST_CASE("pairs of words are chosen where their order decides") {
  const TextFile data(orders(600), ".csv");
  const auto choice = search_text(open_options(data.path()), {});
  REQUIRE(choice);
  CHECK(chosen(*choice).word_ngrams == 2);
  CHECK(chosen(*choice).char_ngrams.empty());
  CHECK(choice->trials[choice->best].score == 1);
}

TEST_CASE("pairs of words are kept where others are no better, or by chance alone") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += i % 3 == 0 ? "bird,wing\n" : "fish,gill\n";
  const TextFile one(text + "bird,xwing\n", ".csv"), many(text + endings(100), ".csv");
  const TextCandidate same = chosen(*search_text(open_options(one.path()), {}));
  CHECK(same.char_ngrams.empty());
  CHECK(same.word_ngrams == 2);
  CHECK(chosen(*search_text(open_options(many.path()), {})).char_ngrams == "3:5");
}

TEST_CASE("a candidate that can hardly win any more has no further folds") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += i % 3 == 0 ? "bird,wing\n" : "fish,gill\n";
  const TextFile data(text, ".csv");
  const auto choice = search_text(open_options(data.path()), {});
  REQUIRE(choice);
  const TextTrial& best = choice->trials[choice->best];
  std::size_t with_characters = 0;
  for (const TextTrial& trial : choice->trials) {
    if (trial.candidate.char_ngrams.empty()) continue;
    ++with_characters;
    CHECK(trial.examples > 0);
    CHECK(trial.examples < 300);
  }
  CHECK(with_characters > 0);
  CHECK(best.candidate.char_ngrams.empty());
}

TEST_CASE("what an option fixes is not searched for") {
  const TextFile data(endings(600), ".csv");
  TrainOptions options = open_options(data.path());
  options.features.char_ngrams = "";
  options.features.word_ngrams = 1;
  options.settings.forest.nodes.solver.cost = 0.25;
  options.settings.architecture = "tree";
  auto choice = search_text(options, {});
  REQUIRE(choice);
  for (const TextTrial& trial : choice->trials) {
    CHECK(trial.candidate.char_ngrams.empty());
    CHECK(trial.candidate.word_ngrams == 1);
    CHECK(trial.candidate.cost == 0.25);
    CHECK(trial.candidate.linear);
  }
  options = open_options(data.path());
  options.settings.hidden = 3;  // only a network has this
  choice = search_text(options, {});
  REQUIRE(choice);
  for (const TextTrial& trial : choice->trials) CHECK_FALSE(trial.candidate.linear);
  apply_candidate(chosen(*choice), options);
  CHECK(options.settings.architecture == "auto");
  CHECK(options.features.char_ngrams == "3:5");
}

TEST_CASE("the trial of the choice is kept for thresholds, and made again to the bit") {
  const TextFile one(endings(600), ".csv"), several("label,text\n" + several_endings(600), ".csv");
  TrainOptions single = open_options(one.path());
  for (const char* calibration : {"auto", "none"}) {
    single.calibration = calibration;
    CHECK((search_text(single, {})->trained != nullptr) == (single.calibration == "auto"));
  }
  for (const double prune : {-1.0, 0.0}) {
    TrainOptions options = open_options(several.path());
    options.features.label_separator = ";";
    options.calibration = "auto";
    options.settings.forest.nodes.prune = prune;
    const auto choice = search_text(options, {});
    REQUIRE(choice);
    REQUIRE(choice->trained);
    const TextCandidate best = chosen(*choice);
    REQUIRE(best.linear);
    CHECK(best.prune == (prune < 0 ? 0.1 : 0));
    const auto again = train_again(options, best, [] { return false; });
    REQUIRE(again);
    CHECK(scores(*again) == scores(*choice->trained));
    CHECK(again->held_out.size() + again->model.label_counts.examples == 600);
    CHECK_FALSE(train_again(options, best, [] { return true; }));
    options.calibration = "none";
    CHECK_FALSE(search_text(options, {})->trained);
  }
}

TEST_CASE("nothing is searched for where nothing is open, in few examples, and when told so") {
  const TextFile few(endings(29), ".csv"), enough(endings(30), ".csv");
  CHECK_FALSE(search_text(open_options(few.path()), {}));
  CHECK(search_text(open_options(enough.path()), {}));
  TrainOptions options = open_options(enough.path());
  options.search = false;
  CHECK_FALSE(search_text(options, {}));
  options = open_options(enough.path());
  options.features = FeatureOptions();
  options.settings.architecture = "dense";
  CHECK_FALSE(search_text(options, {}));
  options = open_options("-");
  CHECK_FALSE(search_text(options, {}));
  std::ostringstream many;
  for (int i = 0; i < 1000; ++i) many << "label" << i % 101 << "," << i % 7 << "\n";
  const TextFile many_labels(many.str(), ".csv");
  options = open_options(many_labels.path());
  options.features.columns = "1:label,2:category";
  CHECK_FALSE(search_text(options, {}));
}

TEST_CASE("tables are searched for: units that follow interactions, or linear classifiers") {
  Rng rng(9);
  std::ostringstream product, sum;
  for (int i = 0; i < 600; ++i) {
    const double a = rng.uniform() - 0.5, b = rng.uniform() - 0.5;
    product << (a * b > 0 ? "same," : "other,") << a << "," << b << "\n";
    sum << (a + b > 0 ? "more," : "less,") << a << "," << b << "\n";
  }
  const TextFile products(product.str(), ".csv"), sums(sum.str(), ".csv");
  TrainOptions options = open_options(products.path());
  options.features.columns = "1:label,*:number";
  const auto of_product = search_text(options, {});
  REQUIRE(of_product);
  CHECK(settings_text(settings_of(chosen(*of_product))) == "architecture=auto min-count=2");
  CHECK(of_product->trials[of_product->best].score > 0.9);
  options.data = sums.path();
  const auto of_sum = search_text(options, {});
  REQUIRE(of_sum);
  CHECK(of_sum->trials[of_sum->best].score > 0.9);
  CHECK(chosen(choice_from(choice_json(*of_sum, true))) == chosen(*of_sum));
  bool tried_linear_units = false;
  for (const TextTrial& trial : of_sum->trials)
    tried_linear_units |= trial.candidate.activation == "linear";
  CHECK(tried_linear_units);
  apply_candidate(chosen(*of_sum), options);
  CHECK(options.features.word_ngrams == kNgramsByData);
  options = open_options(products.path());
  options.features.columns = "1:label,*:number";
  options.settings.architecture = "tree";
  options.settings.forest.nodes.solver.cost = 1;
  CHECK_FALSE(search_text(options, {}));
}

TEST_CASE("a search that is stopped has what it knows, or nothing") {
  const TextFile data(endings(600), ".csv");
  int left = 0;
  TextSearchObserver observer;
  observer.stop = [&] { return left-- <= 0; };
  CHECK_FALSE(search_text(open_options(data.path()), observer));
  // Later, before all have had their first fold, the best of those that had one is taken.
  std::size_t told = 0, fewest = 100;
  observer.tried = [&](const TextTrial&) { ++told; };
  for (const int calls : {2, 3, 4, 5, 6, 8, 10, 15, 20}) {
    left = calls;
    told = 0;
    const auto choice = search_text(open_options(data.path()), observer);
    if (!choice || !choice->cut_short) continue;
    CHECK(told == choice->trials.size());
    for (const TextTrial& trial : choice->trials) CHECK(trial.examples > 0);
    fewest = std::min(fewest, told);
  }
  CHECK(fewest < 4);
  CHECK_FALSE(search_text(open_options(data.path()), {})->cut_short);
}

TEST_CASE("the choice and its scores are a function of data and seed") {
  const TextFile data(orders(600), ".csv");
  const TrainOptions options = open_options(data.path());
  std::string told;
  TextSearchObserver observer;
  observer.tried = [&](const TextTrial& trial) {
    told += settings_text(settings_of(trial.candidate)) + "\n";
  };
  const auto a = search_text(options, observer), b = search_text(options, {});
  REQUIRE(a);
  REQUIRE(b);
  REQUIRE(a->trials.size() == b->trials.size());
  for (std::size_t i = 0; i < a->trials.size(); ++i) {
    CHECK(a->trials[i].candidate == b->trials[i].candidate);
    CHECK(a->trials[i].score == b->trials[i].score);
    CHECK(a->trials[i].examples == b->trials[i].examples);
  }
  CHECK(split(told, '\n').size() == a->trials.size() + 1);
}

TEST_CASE("what a search came to is the same from a checkpoint") {
  const TextFile data(orders(600), ".csv"), checkpoint("");
  Document document;
  SearchOutcome outcome;
  TextChoice choice = *search_text(open_options(data.path()), {});
  choice.trials[0].given_up = true;
  outcome.choice = std::make_shared<TextChoice>(choice);
  const auto stored = [&] {
    write_document(checkpoint.path(), document);
    return stored_search(checkpoint.path());
  };
  CHECK_FALSE(stored_search(checkpoint.path()));  // an empty file
  CHECK_FALSE(stored());
  store_search(outcome, document.metadata);
  const auto again = stored();
  REQUIRE(again);
  CHECK(choice_json(*again->choice, true) == choice_json(*outcome.choice, true));
  CHECK(choice_text(*again->choice) == choice_text(*outcome.choice));
  SearchOutcome none;
  none.skipped = "no time";
  store_search(none, document.metadata);
  CHECK(stored()->skipped == "no time");
  CHECK_FALSE(stored()->choice);
  for (const char* const damaged : {"", "{}", "[]", R"({"skipped":1})",
                                    R"({"examples":9,"sampled":false,"tried":[],"chosen":{}})"}) {
    document.metadata["sparse-train.search"] = damaged;
    CHECK_THROWS_AS(stored(), Error);
  }
  auto json = choice_json(*outcome.choice, true);
  for (const char* const ngrams : {"1000000", "-1", "1x", "99999999999"}) {
    json["tried"][0]["settings"]["word-ngrams"] = ngrams;
    document.metadata["sparse-train.search"] = json.dump();
    CHECK_THROWS_AS(stored(), Error);
  }
}

TEST_CASE("scripts without blanks between words are tried with shorter n-grams") {
  for (const auto& [text, dense] : {std::pair{"古代战争 0 A.D. is a game", true},
                                    {"ภาษา", true},
                                    {"한국", true},
                                    {"Москва", false},
                                    {"tiếng việt", false},
                                    {"mot \xff\xe4", false}}) {
    const TextFile data(std::string(text) + "\n", ".txt");
    FeatureOptions features;
    features.format = "text";
    features.encoding = "bytes";
    CHECK(TextSample(data.path(), features, 1 << 20, 1).has_dense_script() == dense);
    TrainOptions options = open_options(data.path());
    CHECK(first_candidates(options, dense)[2].char_ngrams == (dense ? "1:4" : "3:5"));
  }
}

TEST_CASE("of much text a part is taken, with its header") {
  const TextFile data("kind,name\n" + endings(2000), ".csv");
  FeatureOptions features;
  features.header = "yes";
  std::string path;
  {
    const TextSample whole(data.path(), features, 1 << 20, 1);
    CHECK_FALSE(whole.is_part());
    CHECK(whole.path() == data.path());
    CHECK(whole.num_examples() == 2000);
    const TextSample part(data.path(), features, whole.num_bytes() / 4, 1);
    path = part.path();
    CHECK(part.is_part());
    CHECK(part.num_examples() > 400);
    CHECK(part.num_examples() < 600);
    CHECK(first_record(path, part.layout()) == "kind,name");
    std::uint64_t records = 0;
    for_each_record(path, part.layout(), [&](std::string_view, std::uint64_t) { ++records; });
    CHECK(records == part.num_examples());
  }
  CHECK_FALSE(std::filesystem::exists(path));
}
