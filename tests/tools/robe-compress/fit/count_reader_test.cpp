#include "tools/robe-compress/fit/count_reader.h"

#include <filesystem>

#include "libcore/arrays/npy.h"
#include "tests/tools/robe-compress/fit/fit_samples.h"

using namespace frugal;
using namespace frugal::robe;
using namespace fit_samples;

namespace {

const TableSet& two_tables() {
  static const TableSet tables({{"a", 3}, {"b", 2}}, 4);
  return tables;
}

std::vector<float> all_of(const RowWeights& weights) {
  std::vector<float> values;
  for (std::uint64_t v = 0; v < 5; ++v) values.push_back(weights[v]);
  return values;
}

std::string text_refusal(const std::string& text, const std::string& name = "c.csv") {
  const ScratchFolder folder;
  folder.put(name, text);
  const std::string error = error_of([&] { read_counts(folder.file(name), two_tables()); });
  return error.substr(std::min(error.size(), error.find(name)));
}

std::string tensor_refusal(const Tensor& counts) {
  const ScratchFolder folder;
  Document document;
  document.tensors.push_back(counts.clone());
  document.tensors.push_back(Tensor::make("b", Dtype::u8, {2}));
  write_document(folder.file("c.tzs"), document);
  const std::string error = error_of([&] { read_counts(folder.file("c.tzs"), two_tables()); });
  return error.substr(std::min(error.size(), error.find("c.tzs")));
}

}  // namespace

TEST_CASE("counts come from lines of table, row and count, in any order") {
  const ScratchFolder folder;
  folder.put("c.csv", "row,table,count\n2,a,5\n0,b,1.5\n2,a,1\n7,unknown,3\n");
  const std::vector<float> expected = {0, 0, 6, 1.5, 0};
  CHECK(all_of(read_counts(folder.file("c.csv"), two_tables())) == expected);
  folder.put("c.tsv", "table\trow\tcount\na\t2\t6\nb\t0\t1.5\n");
  CHECK(all_of(read_counts(folder.file("c.tsv"), two_tables())) == expected);
  std::filesystem::create_directory(folder.file("x.tsv.d"));
  folder.put("x.tsv.d/c.csv.gz", "row,table,count\n2,a,6\n0,b,1.5\n");
  CHECK(all_of(read_counts(folder.file("x.tsv.d/c.csv.gz"), two_tables())) == expected);
}

TEST_CASE("counts are read by the rules of all tables: separators, numbers, quotes, JSON Lines") {
  const ScratchFolder folder;
  const std::vector<float> expected = {0, 0, 6, 1.5, 0};
  const auto counts_of = [&](const std::string& name, const std::string& text) {
    folder.put(name, text);
    return all_of(read_counts(folder.file(name), two_tables()));
  };
  CHECK(counts_of("a.csv", "\xEF\xBB\xBFtable;row;count\r\na;2.0;6\r\nb; 0 ;+1.5\r\n") == expected);
  CHECK(counts_of("b.csv", "table|count|row\n\"a\"|6|02\n\nb|1.5|0\n") == expected);
  CHECK(counts_of("c.tsv", "table,row,count\na,2,6\nb,0,1.5\n") == expected);
  const std::string objects =
      "{\"table\":\"a\",\"row\":2,\"count\":6,\"of\":{\"day\":1}}\n"
      "{\"count\":\"1.5\",\"table\":\"b\",\"row\":0}\n";
  CHECK(counts_of("d.jsonl", objects) == expected);
  CHECK(text_refusal("{\"table\":\"a\",\"row\":1}\n", "c.jsonl") ==
        "c.jsonl: no column 'count', expected table, row and count");
  CHECK(text_refusal(objects + "{\"table\":\"a\",\"row\":1}\n", "c.jsonl") ==
        "c.jsonl:3: count '', expected a number from 0 on");
  CHECK(text_refusal(objects + "{\"table\":\"a\",\"row\":[1],\"count\":1}\n", "c.jsonl")
            .starts_with("c.jsonl:3: 'row' is a list, expected a text, a number"));
}

TEST_CASE("counts come from tensors of any number type, named like the tables or NAME.counts") {
  const ScratchFolder folder;
  Document document;
  const std::vector<std::int32_t> a = {4, 0, 9};
  const std::vector<double> b = {0.5, 2};
  document.tensors.push_back(Tensor::copy_of<std::int32_t>("a", {3}, a));
  document.tensors.push_back(Tensor::copy_of<double>("b.counts", {2}, b));
  const std::vector<float> expected = {4, 0, 9, 0.5, 2};
  for (const char* name : {"c.safetensors", "c.tzs"}) {
    write_document(folder.file(name), document);
    CHECK(all_of(read_counts(folder.file(name), two_tables())) == expected);
  }
  write_npz(folder.file("c.npz"), document);
  CHECK(all_of(read_counts(folder.file("c.npz"), two_tables())) == expected);
}

TEST_CASE("counts that are none say where") {
  CHECK(text_refusal("table,row,count\na,1,2\nbs,1,2\n") ==
        "c.csv: no row of table 'b', expected the counts of every table; did you mean 'bs'?");
  CHECK(text_refusal("") == "c.csv: empty, expected the columns table, row and count");
  CHECK(text_refusal("table,row\n").find("no column 'count'") != std::string::npos);
  CHECK(text_refusal("table,row,count\na,3,1\n") ==
        "c.csv:2: row '3' of table 'a', expected a number below 3");
  CHECK(text_refusal("table,row,count\na,1,-1\n").find("expected a number from 0 on") !=
        std::string::npos);
  CHECK(text_refusal("table,row,count\na,1\n").find("c.csv:2: found 2 columns, expected 3") !=
        std::string::npos);
  CHECK(text_refusal("table,row,count\na,1,3e38\na,1,3e38\n") ==
        "c.csv:3: the counts of row 1 of table 'a' add up to more than a float holds");
  CHECK(text_refusal("table,row,count\na,0,0\nb,1,0\n").find("all counts are 0") !=
        std::string::npos);
  CHECK(tensor_refusal(Tensor::make("a", Dtype::i64, {4})).find("expected a count for each of") !=
        std::string::npos);
  CHECK(tensor_refusal(Tensor::make("a", Dtype::boolean, {3})).find("is BOOL [3]") !=
        std::string::npos);
  const std::vector<std::int64_t> negative = {1, -2, 3};
  CHECK(tensor_refusal(Tensor::copy_of<std::int64_t>("a", {3}, negative)) ==
        "c.tzs: tensor 'a' has -2 for row 1, expected a number of times");
  CHECK(tensor_refusal(Tensor::make("x", Dtype::u8, {3})).find("no tensor 'a'") !=
        std::string::npos);
  const ScratchFolder folder;
  TensorWriter(folder.file("none.tzs")).finish();
  CHECK(error_of([&] { read_counts(folder.file("none.tzs"), two_tables()); }) ==
        "65 " + folder.file("none.tzs") + ": holds no document, expected counts");
}

TEST_CASE("tables of which only some have counts are refused") {
  const ScratchFolder folder;
  Document document = sample_tables({{"a", 3}, {"b", 2}}, 4);
  document.tensors.pop_back();
  write_document(folder.file("t.safetensors"), document);
  TableFile file(folder.file("t.safetensors"), {}, {});
  CHECK(error_of([&] { counts_in(file); }).find("no tensor 'b.counts'") != std::string::npos);
}
