#include <doctest/doctest.h>

#include <cmath>

#include "libcore/arrays/npy.h"
#include "tests/tools/gnn-sample/data/input_samples.h"
#include "tools/gnn-sample/formats/id_column.h"
#include "tools/gnn-sample/formats/node_features.h"
#include "tools/gnn-sample/formats/node_labels.h"
#include "tools/gnn-sample/formats/node_split.h"
#include "tools/gnn-sample/making/import_parts.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

NodeData features_of(std::string_view text, const FeatureOptions& options = {}) {
  const TextFile file(text);
  NodeData data;
  read_features(file.path(), options, data);
  return data;
}

std::vector<float> floats(const Tensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

std::vector<float> dense_floats(const NodeData& data) {
  return floats(to_dense(data.sparse, "features"));
}

template <class Read>
std::string file_error(std::string_view text, const Read& read) {
  const TextFile file(text);
  std::string error = error_of([&] { read(file.path()); });
  const std::size_t at = error.find(file.path());
  if (at != std::string::npos) error.replace(at, file.path().size(), "FILE");
  return error;
}

std::string feature_error(std::string_view text, const FeatureOptions& options = {}) {
  return file_error(text, [&](const std::string& path) {
    NodeData data;
    read_features(path, options, data);
  });
}

NodeLabels labels_from(std::string_view text, const std::string& column = "") {
  const TextFile file(text);
  return read_labels(file.path(), column);
}

Splits splits_from(std::string_view text, const std::string& column = "") {
  const TextFile file(text);
  return read_splits(file.path(), column);
}

}  // namespace

TEST_CASE("svmlight lines are features and classes") {
  const NodeData data = features_of("1 0:2 3:0.5\r\n-1\n0 1:-1 # c\n");
  CHECK(data.feature_rows() == 3);
  CHECK(data.feature_dim() == 4);
  CHECK(data.sparse.columns == std::vector<std::uint32_t>{0, 3, 1});
  CHECK(dense_floats(data) == std::vector<float>{2, 0, 0, 0.5F, 0, 0, 0, 0, 0, -1, 0, 0});
  CHECK(data.labels.classes == std::vector<std::int32_t>{1, -1, 0});
  CHECK(data.labels.num_classes == 2);
  FeatureOptions options;
  options.index_base = 1;
  options.dim = 5;
  CHECK(dense_floats(features_of("0 1:7 2:0\n", options)) == std::vector<float>{7, 0, 0, 0, 0});
  CHECK(feature_error("0 0:7\n", options) ==
        "65 FILE:1: feature 0, expected indices from 1 on (--index-base 0)");
  CHECK(feature_error("0 6:7\n", options) ==
        "65 FILE:1: feature 6 is out of range, expected an id below 6");
  CHECK(feature_error("0 1:2\n1 3:nan\n") == "65 FILE:2: found '3:nan', expected a finite value");
  CHECK(feature_error("0 1:2\na 3:1\n") == "65 FILE:2: class 'a', expected a number, -1 for none");
  CHECK(feature_error("0 1:2\n3:1\n") ==
        "65 FILE: 1 of 2 lines have a class, expected all or none (-1 is no class)");
  CHECK(feature_error("0 1:2\n1 16777216:1\n") ==
        "65 FILE:2: feature 16777216 is out of range, expected an id below 16777216");
  CHECK(feature_error("-1\n0 # 1:2\n") == "65 FILE: has no features");
  CHECK(feature_error("") == "65 FILE: is empty, expected a line for each node");
}

TEST_CASE("numbers in columns are features") {
  const std::vector<float> expected{1, -2.5F, 3e4F, 0};
  for (const char* text :
       {"1,-2.5\n3e4,0\n", "a,b\n1,-2.5\n3e4,0\n", "1 -2.5\n3e4 0", "1\t-2.5\n3e4\t0\r\n"}) {
    CHECK(floats(features_of(text).features) == expected);
  }
  CHECK(floats(features_of("# 1:2\n0.5\n1.5\n").features) == std::vector<float>{0.5F, 1.5F});
  CHECK(floats(features_of("f\n-1\n").features) == std::vector<float>{-1});
  CHECK(floats(features_of("f;g\n-1,5;2\n").features) == std::vector<float>{-1.5F, 2});
  CHECK(feature_error("1,2\n3\n") == "65 FILE:2: found 1 column, expected 2 as in line 1");
  CHECK(
      feature_error("1,2\n3,nan\n") ==
      "65 FILE:2: found 'nan', expected a finite number (--columns *:number takes missing values)");
  CHECK(feature_error("1,2\n3,\n") ==
        "65 FILE:2: found '', expected a finite number (--columns *:number takes missing values)");
  const TextFile npy("", ".npy");
  write_npy(npy.path(),
            Tensor::copy_of<std::int16_t>("", {2, 2}, std::vector<std::int16_t>{1, 2, 3, -4}));
  NodeData data;
  read_features(npy.path(), {}, data);
  CHECK(floats(data.features) == std::vector<float>{1, 2, 3, -4});
  write_npy(npy.path(), Tensor::copy_of<float>("", {2, 1}, std::vector<float>{1, 1.0F / 0.0F}));
  CHECK(error_of([&] { read_features(npy.path(), {}, data); }) ==
        "65 " + npy.path() + ": row 1, column 0 is inf, expected finite numbers");
  const auto shape_error = [&](const Shape& shape, std::vector<float> values) {
    write_npy(npy.path(), Tensor::copy_of<float>("", shape, values));
    return error_of([&] { read_features(npy.path(), {}, data); });
  };
  const std::string is = "65 " + npy.path() + ": is F32 ";
  CHECK(shape_error({3}, {1, 2, 3}) == is + "[3], expected [nodes, features]");
  CHECK(shape_error({1, 1, 2}, {1, 2}) == is + "[1, 1, 2], expected [nodes, features]");
  CHECK(shape_error({3, 0}, {}) == is + "[3, 0], expected [nodes, features]");
}

TEST_CASE("features are normalised and stored in fewer bytes") {
  FeatureOptions options;
  options.normalize = "row";
  NodeData rows = features_of("1,3\n0,0\n-1,1\n");
  convert_features(options, rows);
  CHECK(floats(rows.features) == std::vector<float>{0.25F, 0.75F, 0, 0, -0.5F, 0.5F});
  NodeData tiny = features_of("1e-40,0\n1e-40,1e-40\n");
  convert_features(options, tiny);
  CHECK(floats(tiny.features) == std::vector<float>{1, 0, 0.5F, 0.5F});
  options.normalize = "standardize";
  NodeData columns = features_of("1,5\n3,5\n");
  convert_features(options, columns);
  CHECK(floats(columns.features) == std::vector<float>{-1, 0, 1, 0});
  options.normalize = "none";
  options.type = "i8";
  NodeData bytes = features_of("1,-0.5\n0,0\n");
  convert_features(options, bytes);
  CHECK(bytes.features.as<std::int8_t>()[0] == 127);
  CHECK(std::abs(bytes.scales[0] * float(bytes.features.as<std::int8_t>()[1]) + 0.5F) < 0.005F);
  CHECK(bytes.scales[1] == 0);
  options.type = "bf16";
  NodeData brains = features_of("1.5 1e30\n");
  convert_features(options, brains);
  CHECK(to_float(brains.features.as<BFloat16>()[0]) == 1.5F);
  NodeData beyond = features_of("1.5 2\n0 -3.4e38\n");
  CHECK(error_of([&] { convert_features(options, beyond); }).starts_with("65 features: node 1 "));
  options.type = "f16";
  NodeData large = features_of("1.5 1e30\n");
  CHECK(error_of([&] { convert_features(options, large); }).starts_with("65 features: node 0 "));
}

TEST_CASE("comments and several labels of svmlight are told from features") {
  const NodeData data = features_of("+1 1:1 # c\n-1 2:1\n# comment\n1 1:1\n");
  CHECK(data.sparse.rows() == 3);
  CHECK(data.labels.class_names == std::vector<std::string>{"-1", "1"});
  CHECK(file_error("1,3 0:1\n2 1:2\n", [](const std::string& path) {
          NodeData none;
          read_features(path, {}, none);
        }).starts_with("65 FILE:1: class '1,3', expected a number, -1 for none; several labels"));
}

TEST_CASE("labels are numbers, names, or columns of 0 and 1") {
  CHECK(labels_from("2\n-1\n0\n").classes == std::vector<std::int32_t>{2, -1, 0});
  CHECK(labels_from("2.0\nnan\n\n0").classes == std::vector<std::int32_t>{2, -1, -1, 0});
  const NodeLabels names = labels_from("noun.plant\nnoun.animal\n\nnoun.plant\n");
  CHECK(names.classes == std::vector<std::int32_t>{1, 0, -1, 1});
  CHECK(names.class_names == std::vector<std::string>{"noun.animal", "noun.plant"});
  CHECK(labels_from("Machine Learning\nTheory\n").num_classes == 2);
  CHECK(labels_from("-4\n3a\n").class_names == std::vector<std::string>{"-4", "3a"});
  CHECK(labels_from("+1\n-1\n1\n").class_names == std::vector<std::string>{"-1", "1"});
  CHECK(labels_from("+1\n-1.0\n1\n").classes == std::vector<std::int32_t>{1, 0, 1});
  CHECK(labels_from("1\n-1\n0\n").classes == std::vector<std::int32_t>{1, -1, 0});
  CHECK(labels_from("01\n1\n02\n").class_names == std::vector<std::string>{"01", "02", "1"});
  CHECK(labels_from("cat\nNA\nnull\nNone\ndog\n<NA>\n").classes ==
        std::vector<std::int32_t>{0, -1, -1, -1, 1, -1});
  CHECK(labels_from("1\nunknown\n2\n").classes == std::vector<std::int32_t>{0, -1, 1});
  CHECK(labels_from("3\n1\n-1\n2\n").class_names == std::vector<std::string>{"1", "2", "3"});
  CHECK(labels_from("class\ncat\ndog\n").num_classes == 2);
  CHECK(labels_from("id,topic\na,x\nb,y\n").classes == std::vector<std::int32_t>{0, 1});
  const std::string table = "node,label,\"a, b\"\n0,3,x\n1,,\"y, z\"\n";
  CHECK(labels_from(table).classes == std::vector<std::int32_t>{3, -1});
  CHECK(labels_from(table, "a, b").classes == std::vector<std::int32_t>{0, 1});
  CHECK(labels_from(table, "2").num_classes == 4);
  CHECK(labels_from("n,label\n0,\"a \"\"b\"\"\"\n1,\"c \"\"d\"\"\"\n").class_names ==
        std::vector<std::string>{"a \"b\"", "c \"d\""});
  const NodeLabels matrix = labels_from("1,0,1\n0,0,0\n");
  CHECK(matrix.matrix == std::vector<std::uint8_t>{1, 0, 1, 0, 0, 0});
  CHECK(matrix.rows() == 2);
  const auto error = [](std::string_view text, const std::string& column = "") {
    return file_error(text, [&](const std::string& path) { read_labels(path, column); });
  };
  CHECK(error("1,0\n1,2\n") ==
        "65 FILE:2: found '2', expected 0 or 1 for each class "
        "(--columns NAME:label for one of the columns, NAME:id for ids)");
  CHECK(labels_from("label\n2\n0\n").classes == std::vector<std::int32_t>{2, 0});
  CHECK(labels_from("subject\n2\n0\n", "subject").classes == std::vector<std::int32_t>{2, 0});
  CHECK(labels_from("1\n2\n0\n", "1").classes == std::vector<std::int32_t>{1, 2, 0});
  CHECK(error("subject\n2\n0\n") ==
        "65 FILE: the first label is 'subject', the others are numbers; expected --columns "
        "subject:label if it names the column");
  CHECK(error("0\n10\n-1\n-100\n") ==
        "65 FILE: label -100 of node 3, expected classes from 0 to 2147483646, or -1");
  CHECK(error("0\n2147483647\n").starts_with("65 FILE: label 2147483647 of node 1, expected"));
  CHECK(error("1,0\n1\n") == "65 FILE:2: found 1 column, expected 2 as in line 1");
  CHECK(error("a,b\n1,2\n")
            .starts_with("2 FILE: has 2 columns (a, b), expected --columns NAME:label"));
  CHECK(error(table, "lable").find("did you mean 'label'?") != std::string::npos);
  CHECK(error("") == "65 FILE: is empty, expected a label a line");
  const TextFile npy("", ".npy");
  write_npy(npy.path(),
            Tensor::copy_of<std::int64_t>("", {3}, std::vector<std::int64_t>{1, -1, 1}));
  CHECK(read_labels(npy.path(), "").classes == std::vector<std::int32_t>{1, 0, 1});
  write_npy(npy.path(), Tensor::copy_of<double>("", {3, 1}, std::vector<double>{1, 0.0 / 0.0, 4}));
  CHECK(read_labels(npy.path(), "").classes == std::vector<std::int32_t>{0, -1, 1});
  write_npy(npy.path(), Tensor::copy_of<std::int8_t>("", {1, 2}, std::vector<std::int8_t>{1, 3}));
  CHECK(error_of([&] { read_labels(npy.path(), ""); }) ==
        "65 " + npy.path() + ": label 3 of node 0, expected 0 or 1 for each class");
}

TEST_CASE("splits are words or columns of numbers") {
  CHECK(splits_from("train\nval\r\ntest\nother\n\nvalid\n") == Splits{{0, 1, 2, 255, 255, 1}});
  CHECK(splits_from("# two\n0,1\n2,2\n-1,0\n") == Splits{{0, 2, 255}, {1, 2, 0}});
  CHECK(splits_from("node,split\n0,train\n1,test\n") == Splits{{0, 2}});
  CHECK(splits_from("split\ntrain\ntest\n") == Splits{{0, 2}});
  CHECK(splits_from("part\ntrain\ntest\n", "part") == Splits{{0, 2}});
  CHECK(splits_from("node,part\n0,train\n1,test\n", "part") == Splits{{0, 2}});
  CHECK(file_error("train\ntrian\n", [](const std::string& path) { read_splits(path, ""); }) ==
        "65 FILE:2: found 'trian', expected train, valid, test or none (or 0, 1, 2, -1)");
  CHECK(file_error("a,b\n0,x\n", [](const std::string& path) {
          read_splits(path, "");
        }).starts_with("2 FILE: has 2 columns (a, b), expected --columns NAME:split"));
}

TEST_CASE("random splits have the sizes that the rule says, whatever the seed") {
  NodeLabels labels;
  for (int i = 0; i < 100; ++i) labels.classes.push_back(i % 10 == 9 ? -1 : i % 3);
  labels.num_classes = 3;
  const auto count = [](const std::vector<std::uint8_t>& split, int part) {
    return std::count(split.begin(), split.end(), part);
  };
  const Splits shares = random_splits(*parse_split_rule("0.6,0.2,0.2"), 100, labels, 1, 3);
  REQUIRE(shares.size() == 3);
  CHECK(shares[0] != shares[1]);
  for (const auto& split : shares) {
    CHECK(count(split, 0) == 54);
    CHECK(count(split, 1) == 18);
    CHECK(count(split, 2) == 18);
    for (int i = 9; i < 100; i += 10) CHECK(split[i] == 255);
  }
  CHECK(random_splits(*parse_split_rule("0.6,0.2,0.2"), 100, labels, 1, 1)[0] == shares[0]);
  const auto planetoid = random_splits(*parse_split_rule("5-per-class,20,30"), 100, labels, 7, 1);
  int train[3] = {};
  for (int i = 0; i < 100; ++i) {
    if (planetoid[0][i] == 0) ++train[labels.classes[i]];
  }
  CHECK(train[0] == 5);
  CHECK(train[1] == 5);
  CHECK(train[2] == 5);
  CHECK(count(planetoid[0], 1) == 20);
  CHECK(count(planetoid[0], 2) == 30);
  CHECK(count(random_splits(*parse_split_rule("1,1,1"), 7, {}, 7, 1)[0], 255) == 4);
  CHECK(!parse_split_rule("split.txt"));
  CHECK(!parse_split_rule("a,b,c"));
  CHECK(error_of([] { parse_split_rule("0.6,0.6,0.2"); }).starts_with("2 --split 0.6,0.6,0.2: "));
  CHECK(error_of([] { parse_split_rule("-1,1,1"); }).starts_with("2 "));
  const auto error = [&](const char* rule, const NodeLabels& known) {
    return error_of([&] { random_splits(*parse_split_rule(rule), 100, known, 0, 1); });
  };
  CHECK(error("50,50,50", labels) == "2 --split: 150 nodes wanted, there are 90 with a label");
  CHECK(error("40-per-class,1,1", labels).starts_with("2 --split: class 0 has 3"));
  CHECK(error("2-per-class,1,1", {}).starts_with("2 --split: numbers per class need one label"));
}

TEST_CASE("features are stored sparse where most are 0, or as asked for") {
  FeatureOptions options;
  const std::string rows = "1 0:2 9:-6\n0\n1 4:1\n";
  NodeData data = features_of(rows);
  convert_features(options, data);
  CHECK(data.sparse.columns == std::vector<std::uint32_t>{0, 9, 4});
  CHECK(data.sparse.offsets == std::vector<std::uint64_t>{0, 2, 2, 3});
  CHECK(data.sparse.floats()[1] == -6);
  options.normalize = "row";
  options.type = "bf16";
  NodeData shares = features_of(rows);
  convert_features(options, shares);
  CHECK(shares.sparse.dtype == Dtype::bf16);
  CHECK(to_float(reinterpret_cast<const BFloat16*>(shares.sparse.values.data())[1]) == -0.75F);
  options = {};
  options.layout = "dense";
  NodeData dense = features_of(rows);
  convert_features(options, dense);
  CHECK(dense.features.shape == Shape{3, 10});
  CHECK(floats(dense.features)[9] == -6);
  CHECK(dense.sparse.dim == 0);
  options.layout = "sparse";
  NodeData few = features_of("1,0,3\n0,-0,0\n");
  convert_features(options, few);
  CHECK(few.sparse.columns == std::vector<std::uint32_t>{0, 2});
  CHECK(dense_floats(few) == std::vector<float>{1, 0, 3, 0, 0, 0});
  NodeData ones = features_of("0 1:1 3:1\n0 0:1\n");
  convert_features(options, ones);
  CHECK(ones.sparse.values.empty());
  CHECK(dense_floats(ones) == std::vector<float>{0, 1, 0, 1, 1, 0, 0, 0});
  options.layout = "auto";
  options.normalize = "standardize";
  NodeData standard = features_of("0 0:1\n0 5:1\n");
  convert_features(options, standard);
  CHECK(floats(standard.features) == std::vector<float>{1, 0, 0, 0, 0, -1, -1, 0, 0, 0, 0, 1});
  options = {};
  options.type = "f16";
  NodeData large = features_of("0 0:1 9:2\n0\n0 1:1e30\n");
  CHECK(error_of([&] { convert_features(options, large); }).starts_with("65 features: node 2 "));
  options.type = "i8";
  NodeData bytes = features_of(rows);
  convert_features(options, bytes);
  CHECK(bytes.features.dtype == Dtype::i8);
  options.layout = "sparse";
  CHECK(error_of([&] { convert_features(options, bytes); }).starts_with("2 --feature-layout"));
}

TEST_CASE("matrices of SciPy are features") {
  const TextFile npz("", ".npz");
  const auto write = [&](std::vector<std::int32_t> indices, std::vector<double> values) {
    Document csr;
    const std::uint64_t n = indices.size();
    csr.tensors.push_back(Tensor::copy_of<std::int32_t>("indices", {n}, indices));
    csr.tensors.push_back(
        Tensor::copy_of<std::int32_t>("indptr", {3}, std::vector<std::int32_t>{0, 3, 4}));
    csr.tensors.push_back(
        Tensor::copy_of<std::int64_t>("shape", {2}, std::vector<std::int64_t>{2, 5}));
    csr.tensors.push_back(Tensor::copy_of<double>("data", {n}, values));
    write_npz(npz.path(), csr);
    NodeData data;
    read_features(npz.path(), {}, data);
    return dense_floats(data);
  };
  CHECK(write({4, 0, 2, 1}, {1, 2, 0, 3}) == std::vector<float>{2, 0, 0, 0, 1, 0, 3, 0, 0, 0});
  const std::string indices = "65 " + npz.path() + ": indices: ";
  CHECK(error_of([&] {
          write({4, 0, 4, 1}, {1, 2, 3, 4});
        }) == indices + "row 0 has column 4 twice, expected each once");
  CHECK(error_of([&] {
          write({4, 0, 5, 1}, {1, 2, 3, 4});
        }) == indices + "index 5, expected 0 to 4");
  CHECK(error_of([&] {
          write({4, 0, -1, 1}, {1, 2, 3, 4});
        }) == indices + "index -1, expected 0 to 4");
  CHECK(error_of([&] {
          write({4, 0, 2, 1}, {1, 2, 3, 1.0 / 0.0});
        }) == "65 " + npz.path() + ": data: row 1, column 1 is inf, expected finite numbers");
}

TEST_CASE("what is known of nodes moves with them") {
  NodeData data = features_of("1 0:10 1:1\n0 0:20\n2 1:30\n");
  data.splits = {{0, 1, 2}};
  const std::vector<NodeId> new_ids{2, 0, 1};
  reorder_nodes(new_ids, data);
  CHECK(dense_floats(data) == std::vector<float>{20, 0, 0, 30, 10, 1});
  CHECK(data.labels.classes == std::vector<std::int32_t>{0, 2, 1});
  CHECK(data.splits[0] == std::vector<std::uint8_t>{1, 2, 0});
  CHECK(old_ids(new_ids) == std::vector<std::uint64_t>{1, 2, 0});
  NodeNames names;
  for (const char* name : {"a", "b", "c"}) names.number(name);
  CHECK(reorder_names(new_ids, names).name(2) == "a");
}

TEST_CASE("a column of an array that numbers the nodes is no feature, unless somebody says so") {
  const TextFile npy("", ".npy");
  write_npy(npy.path(),
            Tensor::copy_of<float>("", {5, 2}, std::vector<float>{9, 3, 9, 0, 9, 1, 9, 2, 9, 4}));
  NodeData data;
  RowNodes rows({}, npy.path());
  CHECK(error_of([&] {
          read_features(npy.path(), {}, data, {}, &rows);
        }).starts_with("2 " + npy.path() + ": column 2, which numbers the rows, looks like ids"));
  IdColumn none;
  none.columns = kNoIdColumn;
  RowNodes in_order(none, npy.path());
  read_features(npy.path(), {}, data, {}, &in_order);
  CHECK(data.feature_rows() == 5);
}

TEST_CASE("labels are numbers to predict where one of them is not whole, or if they shall be") {
  const std::vector<float> values = labels_from("l,label\n5,0\n5,0.5\n5,-\n5,NA\n").values;
  REQUIRE(values.size() == 4);
  CHECK(values[0] == 0);
  CHECK(values[1] == 0.5F);
  CHECK(std::isnan(values[2]));
  CHECK(std::isnan(values[3]));
  const auto read = [](std::string_view text, LabelType type) {
    const TextFile file(text);
    return read_labels(file.path(), "", nullptr, type);
  };
  CHECK(read("1\n-1\n3\n", LabelType::values).values == std::vector<float>{1, -1, 3});
  CHECK(read("1\n1\n3\n", LabelType::automatic).values.empty());
  CHECK(read("0.5\nred\n", LabelType::automatic).class_names.size() == 2);
  CHECK(read("a;label\n1;0,5\n2;1,5\n", LabelType::automatic).values ==
        std::vector<float>{0.5, 1.5});
  const auto error = [&](std::string_view text, LabelType type) {
    return file_error(text, [&](const std::string& path) { read_labels(path, "", nullptr, type); });
  };
  CHECK(
      error("1\nred\n", LabelType::values) ==
      "65 FILE: label red of node 1, expected a finite number that F32 holds, or a missing value");
  CHECK(error("0.5\n1.5\n2.5\nred\n", LabelType::automatic) ==
        "65 FILE: label red of node 3, expected a finite number that F32 holds, or a missing value "
        "(--label-type class makes classes of all)");
  CHECK(error("1,0,1\n0,1,1\n", LabelType::values).starts_with("2 FILE: has 3 columns (1, 0, 1)"));
  CHECK(error("0.5\n1e99\n", LabelType::values).starts_with("65 FILE: label 1e99 of node 1,"));
  CHECK(error("0\n0.5\n", LabelType::classes).starts_with("65 FILE: label 0.5 of node 1,"));
  const auto tensor = [](std::vector<double> numbers) {
    return Tensor::copy_of<double>("", {numbers.size()}, numbers);
  };
  CHECK(labels_of(tensor({0.5, 1}), "y").values == std::vector<float>{0.5, 1});
  CHECK(labels_of(tensor({0, 1}), "y").classes == std::vector<std::int32_t>{0, 1});
  CHECK(labels_of(tensor({0, 1}), "y", LabelType::values).values == std::vector<float>{0, 1});
  CHECK(std::isnan(labels_of(tensor({NAN, 1.5}), "y").values[0]));
  CHECK(error_of([&] {
          labels_of(tensor({INFINITY, 1.5}), "y");
        }).starts_with("65 y: label of node 0 is infinite"));
  CHECK(error_of([&] {
          labels_of(tensor({0.5, 1}), "y", LabelType::classes);
        }).starts_with("65 y: element 0 is 0.5"));
}

TEST_CASE("numbers to predict go with their nodes") {
  NodeData data;
  data.labels.values = {1, std::nanf(""), 3};
  const std::vector<NodeId> new_ids{2, 0, 1};
  reorder_nodes(new_ids, data);
  CHECK(std::isnan(data.labels.values[0]));
  CHECK(data.labels.values[2] == 1);
  const Splits splits = random_splits(*parse_split_rule("1,1,0"), 3, data.labels, 1, 1);
  CHECK(splits[0][0] == static_cast<std::uint8_t>(Part::none));
}
