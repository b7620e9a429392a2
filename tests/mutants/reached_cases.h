// Included behind tests/main.cpp of a mutated build. FRUGAL_MUTANTS_BY_CASE=FILE gets a line a test
// case: its seconds, its name and the mutants that it reached, with tabs between.
#pragma once
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "mutant_switch.h"

struct ReachedCases : doctest::IReporter {
  explicit ReachedCases(const doctest::ContextOptions&) {
    if (const char* path = std::getenv("FRUGAL_MUTANTS_BY_CASE")) out.open(path);
  }
  void test_case_start(const doctest::TestCaseData& test) override {
    name = test.m_name;
    std::memset(frugal_mutants_reached, 0, kNumBytes);
    start = std::chrono::steady_clock::now();
  }
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    out << seconds.count() << '\t' << name << '\t';
    for (std::size_t id = 0; id < kNumBytes; ++id) {
      if (frugal_mutants_reached[id]) out << id << ' ';
    }
    out << std::endl;
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  static constexpr std::size_t kNumBytes = 1 << 16;  // as in mutant_switch.cpp
  std::ofstream out;
  std::string name;
  std::chrono::steady_clock::time_point start;
};
REGISTER_LISTENER("reached cases", 1, ReachedCases);
