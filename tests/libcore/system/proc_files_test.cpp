#include "libcore/system/proc_files.h"

#include <doctest/doctest.h>

#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

TEST_CASE("lists of CPUs are read, malformed ones give nothing") {
  CHECK(parse_cpu_list("0-3,8,10-11\n") == std::vector<int>{0, 1, 2, 3, 8, 10, 11});
  CHECK(parse_cpu_list("5") == std::vector<int>{5});
  for (const char* bad : {"", "a", "3-1", "-1", "1-", "0-99999999999", "0-1048576", "1,,2"}) {
    CHECK_MESSAGE(parse_cpu_list(bad).empty(), bad);
  }
}

TEST_CASE("a field is found by its whole name") {
  const std::string text = "Cpus_allowed:\tff\nCpus_allowed_list:\t0-7\nmodel name\t: X 1\n";
  CHECK(proc_field(text, "Cpus_allowed_list") == "0-7");
  CHECK(proc_field(text, "Cpus_allowed") == "ff");
  CHECK(proc_field(text, "model name") == "X 1");
  CHECK_FALSE(proc_field(text, "model").has_value());
}

TEST_CASE("files are read below the root and trimmed; missing ones give nothing") {
  const ScratchFolder root;
  root.put("sys/a", " 17\n");
  root.put("sys/b", "");
  CHECK(read_proc_file(root.path(), "/sys/a") == "17");
  CHECK(read_proc_file(root.path(), "/sys/b") == "");
  CHECK_FALSE(read_proc_file(root.path(), "/sys/c").has_value());
  CHECK(list_proc_folder(root.path(), "/sys") == std::vector<std::string>{"a", "b"});
  CHECK(list_proc_folder(root.path(), "/none").empty());
  CHECK(proc_path_exists(root.path(), "/sys/a"));
  CHECK_FALSE(proc_path_exists(root.path(), "/sys/c"));
}
