#include "tools/sparse-train/search/trial_log.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

#include "tests/support/text_file.h"
#include "tools/sparse-train/search/text_search.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Texts of two labels, whose words say them most of the time.
std::string texts(int examples) {
  std::ostringstream text;
  for (int i = 0; i < examples; ++i) {
    text << (i % 2 == 0 ? "a" : "b") << ",w" << (i % 7 < 5 ? i % 2 : 2) << " v" << i % 11 << " u"
         << i % 5 << "\n";
  }
  return text.str();
}

struct Search {
  TextFile data{texts(200), ".csv"};
  TextFile checkpoint{"", ".safetensors"};
  TrainOptions options;

  Search() {
    std::filesystem::remove(checkpoint.path());
    options.data = data.path();
    options.features.weighting = "auto";
    options.features.word_ngrams = kNgramsByData;
    options.features.char_ngrams = kCharsByData;
    options.features.min_count = 0;
    options.checkpoint = checkpoint.path();
  }

  /// Runs until so many folds are trained, and keeps them. Returns their number.
  int run(int most, std::optional<TextChoice>* choice = nullptr) {
    TrialLog log(options);
    int trained = 0;
    TextSearchObserver observer;
    observer.stop = [&] { return trained >= most; };
    observer.finished_fold = [&] { ++trained; };
    observer.log = &log;
    std::optional<TextChoice> found = search_text(options, observer);
    log.save();
    if (choice != nullptr) *choice = std::move(found);
    return trained;
  }
};

}  // namespace

TEST_CASE("a search goes on after the folds that an earlier run finished") {
  Search search;
  std::optional<TextChoice> whole, resumed;
  const int all = search.run(1000, &whole);
  REQUIRE(whole.has_value());
  std::filesystem::remove(search.checkpoint.path());
  CHECK(search.run(3) == 3);
  CHECK(is_trial_log(search.checkpoint.path()));
  search.options.resume = true;
  CHECK(search.run(2) == 2);
  CHECK(search.run(1000, &resumed) == all - 5);
  REQUIRE(resumed.has_value());
  REQUIRE(resumed->trials.size() == whole->trials.size());
  CHECK(resumed->best == whole->best);
  for (std::size_t i = 0; i < whole->trials.size(); ++i) {
    CHECK(resumed->trials[i].candidate == whole->trials[i].candidate);
    CHECK(resumed->trials[i].score == whole->trials[i].score);
    CHECK(resumed->trials[i].given_up == whole->trials[i].given_up);
  }
  CHECK(search.run(1000) == 0);
}

TEST_CASE("a search without --resume begins anew, and one of other options is refused") {
  Search search;
  CHECK(search.run(2) == 2);
  CHECK(search.run(3) == 3);
  search.options.resume = true;
  search.options.features.lower_case = false;
  CHECK(error_of([&] { search.run(1); }).find("cannot resume: ") != std::string::npos);
}

TEST_CASE("a search that goes on leaves the checkpoint of a training alone") {
  Search search;
  Document training;
  training.metadata["frugal.kind"] = "checkpoint";
  write_document(search.checkpoint.path(), training);
  search.options.resume = true;
  CHECK(search.run(2) == 2);
  CHECK_FALSE(is_trial_log(search.checkpoint.path()));
}

TEST_CASE("a damaged search is refused") {
  Search search;
  CHECK(search.run(2) == 2);
  Document state = read_document(search.checkpoint.path());
  state.metadata["sparse-train.trials"] = "[{}]";
  write_document(search.checkpoint.path(), state);
  search.options.resume = true;
  CHECK(error_of([&] { search.run(1); }).find("the search that it stores is damaged") !=
        std::string::npos);
}
