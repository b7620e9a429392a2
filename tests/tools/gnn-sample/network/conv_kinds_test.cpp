#include "tools/gnn-sample/network/conv_kinds.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("every kind of network makes convolutions of its sizes") {
  for (const ConvKind& kind : conv_kinds()) {
    CAPTURE(kind.name);
    CHECK(&conv_kind(kind.name) == &kind);
    CHECK((kind.make == nullptr) == kind.typed);
    if (kind.typed) continue;
    CHECK(kind.make({}, {12, 5, false})->num_outputs() == 5);
    CHECK(kind.make({}, {12, 5, true})->num_outputs() == 5);
  }
  CHECK(error_of([] { conv_kind("magic"); }) == "70 no architecture 'magic'");
}

TEST_CASE("options that only some kinds have go with these") {
  GnnOptions options;
  const OptionFields fields;
  describe_network(fields, options);
  add_kind_conditions(fields, options);
  const auto missing = [&](const std::string& kind, const char* option) {
    options.kind = kind;
    return fields.field(option).missing_condition();
  };
  CHECK(missing("sage", "--aggregate").empty());
  CHECK(missing("sage-ri", "--aggregate") == "--architecture sage");
  for (const char* option : {"--heads", "--output-heads", "--attention-dropout"}) {
    for (const char* kind : {"gat", "gatv2", "sagn"}) {
      const std::string name = option;
      options.head_layers = name == "--heads" ? 1 : 0;
      CHECK(missing(kind, option).empty());
      options.head_layers = 1 - options.head_layers;
      const bool has_none = name == "--output-heads" || (name == "--heads" && kind[0] == 's');
      CHECK(missing(kind, option).starts_with("--head-layers") == has_none);
    }
    const bool is_of_outputs = std::string(option) == "--output-heads";
    CHECK(missing("gin", option) == std::string("--architecture gat, gatv2, sagn") +
                                        (is_of_outputs ? " or rgat" : ", hoga, rgat or hgt"));
  }
  options.head_layers = 0;
  CHECK(missing("gin", "--train-epsilon").empty());
  CHECK(missing("gine", "--train-epsilon").empty());
  CHECK(missing("gcn", "--train-epsilon") == "--architecture gin or gine");
  CHECK(missing("sign", "--hops").empty());
  CHECK(missing("gcn", "--hops") == "--architecture sign, sagn or hoga");
  CHECK(missing("gcn", "--head-layers").empty());
  CHECK(missing("hoga", "--head-layers") == "values of at least 1 with --architecture hoga");
  options.head_layers = 1;
  CHECK(missing("hoga", "--head-layers").empty());
  CHECK(missing("hoga", "--heads").empty());
  CHECK(missing("hoga", "--norm").empty());
  options.norm = NormKind::batch;
  CHECK(missing("hoga", "--norm") == "--head-layers of at least 2 in --architecture hoga");
  CHECK(missing("sagn", "--norm").empty());
  options.head_layers = 2;
  CHECK(missing("hoga", "--norm").empty());
  options.head_layers = 0;
  options.norm = NormKind::none;
  CHECK(missing("sign", "--residual") ==
        "models but sage-ri, sign, sagn, hoga, rgcn, rgat and hgt");
  CHECK(missing("sage-ri", "--head-layers") == "models but sage-ri, rgcn, rgat and hgt");
  CHECK(missing("sage-ri", "--hidden").empty());
  CHECK(missing("rgcn", "--hidden").empty());
  CHECK(missing("rgcn", "--jumping") == "models but sage-ri, sign, sagn, hoga, rgcn, rgat and hgt");
  CHECK(missing("rgcn", "--input-dropout") == "models other than rgcn, rgat and hgt");
  CHECK(missing("rgcn", "--norm").empty());
  CHECK(missing("hgt", "--heads").empty());
  CHECK(missing("hgt", "--output-heads") == "--architecture gat, gatv2, sagn or rgat");
  options.norm = NormKind::batch;
  CHECK(missing("rgcn", "--norm") == "--architecture rgcn, rgat or hgt as none or layer only");
  CHECK(missing("sage", "--norm").empty());
  describe_edge_weights(fields, options);
  CHECK(missing("gin", "--edge-weights").empty());
  CHECK(missing("gat", "--edge-weights") ==
        "--architecture sage, gcn, gin, sage-ri, sign, sagn, hoga or rgcn");
  options.aggregate = SageAggregate::max;
  CHECK(missing("sage", "--edge-weights") == "--aggregate mean");
  options.edge_weights = true;
  for (const ConvKind& kind : conv_kinds()) {
    options.kind = kind.name;
    if (kind.typed) continue;
    CHECK(wants_block_weights(options) == !kind.reads_hops);
    CHECK(wants_edge_features(options) == (kind.name == "gine"));
  }
}
