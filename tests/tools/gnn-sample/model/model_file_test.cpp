#include "tools/gnn-sample/model/model_file.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// A model of that kind, as train saves it.
Document stored_model(const std::string& kind, std::size_t layers = 2) {
  GnnOptions options;
  options.kind = kind;
  options.num_layers = conv_kind(kind).reads_hops ? 1 : layers;
  options.head_layers = conv_kind(kind).reads_hops ? 1 : 0;
  options.hidden = layers == 1 ? 1 : 4;
  options.edge_dim = kind == "gine" ? 2 : 0;
  StoredModel stored;
  stored.fanouts = "1";
  stored.model = std::make_unique<GnnModel>(options, 5, 3);
  stored.model->randomize(1);
  Document document;
  save_model(stored, document);
  return document;
}

std::string error_with(const std::string& kind, const Metadata& changes) {
  Document document = stored_model(kind);
  for (const auto& [key, value] : changes) document.metadata[key] = value;
  return error_of([&] { load_model(document, "FILE"); });
}

}  // namespace

TEST_CASE("a stored network of any kind is read again") {
  for (const char* kind :
       {"sage", "gcn", "gat", "gatv2", "gin", "gine", "sage-ri", "sign", "sagn", "hoga"}) {
    CAPTURE(kind);
    CHECK(error_with(kind, {}) == "no error");
    CHECK(error_of([kind] { load_model(stored_model(kind, 1), "FILE"); }) == "no error");
  }
}

TEST_CASE("metadata that the command line would refuse make no network") {
  CHECK(error_with("sage-ri", {{"gnn.jumping", "sum"}, {"gnn.head_layers", "1"}}) ==
        "65 FILE: metadata 'gnn.head_layers' is '1', which goes with models but sage-ri, rgcn, "
        "rgat and hgt; expected '0'");
  CHECK(error_with("sage-ri", {{"gnn.jumping", "sum"}})
            .starts_with("65 FILE: metadata 'gnn.jumping' is 'sum'"));
  CHECK(error_with("gcn", {{"gnn.jumping", "concat"}})
            .starts_with("65 FILE: metadata 'gnn.jumping' is 'concat', which goes with "
                         "--head-layers"));
  CHECK(error_with("sage", {{"gnn.heads", "4"}})
            .starts_with("65 FILE: metadata 'gnn.heads' is '4', which goes with --architecture "
                         "gat"));
  CHECK(error_with("sign", {{"gnn.layers", "2"}}) ==
        "65 FILE: metadata 'gnn.layers' is '2', expected '1' with sign");
  CHECK(error_with("hoga", {{"gnn.head_layers", "0"}}) ==
        "65 FILE: metadata 'gnn.head_layers' is '0', expected at least '1' with hoga");
  for (const char* kind : {"sagn", "hoga"}) {
    CHECK(error_with(kind, {{"gnn.hops", "0"}})
              .starts_with("65 FILE: metadata 'gnn.hops' is '0', which goes with values of at "
                           "least 1 with"));
  }
  CHECK(error_with("hoga", {{"gnn.norm", "batch"}})
            .starts_with("65 FILE: metadata 'gnn.norm' is 'batch', which goes with"));
}

TEST_CASE("numbers of heads and hops that the file cannot hold make no network") {
  const auto refused = [](const std::string& kind, Metadata changes) {
    changes["gnn.head_layers"] = "0";
    return error_with(kind, changes).find(" has more than the ") != std::string::npos;
  };
  CHECK(refused("sagn", {{"gnn.output_heads", "256"}, {"gnn.hops", "16"}}));
  CHECK(refused("sagn", {{"gnn.hops", "16"}}));
  CHECK(refused("sign", {{"gnn.hops", "16"}}));
  CHECK(refused("gat", {{"gnn.output_heads", "256"}}));
  const auto hoga_refused = [](const Metadata& changes) {
    return error_with("hoga", changes).find(" has more than the ") != std::string::npos;
  };
  CHECK(hoga_refused({{"gnn.hidden", "8"}}));  // four square matrices
  CHECK(hoga_refused({{"gnn.hidden", "65536"}}));
}

TEST_CASE("models of versions that stored heads without effect are read") {
  const Metadata heads = {{"gnn.output_heads", "4"}};
  CHECK(error_with("sagn", heads) == "no error");  // which has a dense layer
  CHECK(error_with("gat", heads) != "no error");
}

TEST_CASE("a model of numbers has their scale, and one output") {
  GnnOptions options;
  options.num_layers = 2;
  options.hidden = 4;
  StoredModel stored;
  stored.fanouts = "1";
  stored.value_scale = ValueScale{3.25, 0.1};
  stored.model = std::make_unique<GnnModel>(options, 5, 1);
  Document document;
  save_model(stored, document);
  const auto scale = load_model(document, "FILE").value_scale;
  REQUIRE(scale);
  CHECK(scale->mean == 3.25);
  CHECK(scale->deviation == 0.1);
  CHECK(scale->value(scale->scaled(7)) == doctest::Approx(7));
  for (const char* deviation : {"0", "-1", "inf", "nan"}) {
    CAPTURE(std::string(deviation));
    Document changed;
    save_model(stored, changed);
    changed.metadata["gnn.value_deviation"] = deviation;
    CHECK(error_of([&] { load_model(changed, "FILE"); }).starts_with("65 FILE: metadata '"));
  }
  CHECK(error_with("sage", {{"gnn.value_mean", "0"}, {"gnn.value_deviation", "1"}})
            .starts_with("65 FILE: metadata 'gnn.value_mean' is '0' with a deviation of 1 and 3 "
                         "outputs"));
}

TEST_CASE("models of versions without hops are read") {
  Document document = stored_model("sage");
  for (const char* key : {"gnn.hops", "gnn.propagation", "gnn.residual", "gnn.jumping"}) {
    document.metadata.erase(key);
  }
  CHECK(error_of([&] { load_model(document, "FILE"); }) == "no error");
}

TEST_CASE("a model with joined features has their columns, whatever --jumping says") {
  GnnOptions options;
  options.kind = "sage-ri";
  options.num_layers = 2;
  options.hidden = 4;
  options.head_layers = 1;
  for (const Jumping jumping : {Jumping::none, Jumping::sum, Jumping::concat}) {
    options.jumping = jumping;
    CHECK(GnnModel(options, 5, 3).num_joined() == 5 + 2 * 4);
  }
}

TEST_CASE("a model says that it reads weights of edges, others say nothing") {
  CHECK(!stored_model("gcn").metadata.contains("gnn.edge_weights"));
  Document document = stored_model("gcn");
  document.metadata["gnn.edge_weights"] = "true";
  StoredModel weighted = load_model(document, "FILE");
  CHECK(weighted.model->options().edge_weights);
  Document again;
  save_model(weighted, again);
  CHECK(again.metadata.at("gnn.edge_weights") == "true");
  CHECK(error_with("gat", {{"gnn.edge_weights", "true"}})
            .starts_with("65 FILE: metadata 'gnn.edge_weights' is 'true', which goes with "
                         "--architecture sage, gcn"));
  CHECK(error_with("gcn", {{"gnn.edge_weights", "maybe"}})
            .starts_with("65 FILE: metadata 'gnn.edge_weights' is 'maybe'"));
}

TEST_CASE("a model says that training drew neighbours by weight, others say nothing") {
  CHECK(!stored_model("sage").metadata.contains("gnn.weighted_fanouts"));
  Document document = stored_model("sage");
  const std::size_t layers = load_model(document, "FILE").model->options().num_layers;
  std::string fanouts = "5";
  for (std::size_t l = 1; l < layers; ++l) fanouts += ",-1";
  document.metadata["gnn.weighted_fanouts"] = fanouts;
  document.metadata["gnn.weighted_repeats"] = "true";
  StoredModel drawn = load_model(document, "FILE");
  CHECK(drawn.model->options().weighted_fanouts == fanouts);
  CHECK(drawn.model->options().weighted_repeats);
  Document again;
  save_model(drawn, again);
  CHECK(again.metadata.at("gnn.weighted_fanouts") == fanouts);
  CHECK(again.metadata.at("gnn.weighted_repeats") == "true");
  for (const std::string& bad : {std::string("x"), std::string("0"), fanouts + ",5",
                                 fanouts + " " + fanouts, std::string()}) {
    CHECK(error_with("sage", {{"gnn.weighted_fanouts", bad}, {"gnn.weighted_repeats", "true"}})
              .starts_with("65 FILE: metadata 'gnn.weighted_fanouts' is '" + bad + "'"));
  }
}

TEST_CASE("a model says how many features of an edge it reads") {
  CHECK(!stored_model("gin").metadata.contains("gnn.edge_features"));
  CHECK(stored_model("gine").metadata.at("gnn.edge_features") == "2");
  CHECK(load_model(stored_model("gine"), "FILE").model->options().edge_dim == 2);
  CHECK(
      error_with("gine", {{"gnn.edge_features", "3"}}).starts_with("65 FILE: tensor 'convs.0.lin"));
  CHECK(error_with("gine", {{"gnn.edge_features", "0"}})
            .starts_with("65 FILE: metadata 'gnn.edge_features' is '0'"));
  Document document = stored_model("gine");
  document.metadata.erase("gnn.edge_features");
  CHECK(error_of([&] {
          load_model(document, "FILE");
        }).starts_with("65 FILE: metadata 'gnn.edge_features'"));
}

TEST_CASE("input rows are stored with the model, unless they are the features alone") {
  CHECK(!stored_model("sage").metadata.contains("gnn.input"));
  const Metadata degree = {{"gnn.input", "degree"},
                           {"gnn.input_size", "2"},
                           {"gnn.input_seed", "7"},
                           {"gnn.input_by_name", "false"}};
  CHECK(error_with("sage", degree) ==
        "65 FILE: metadata 'gnn.features' is '5', expected 34, the columns of gnn.input 'degree'");
  const auto with = [](Metadata more, const char* key, const char* value) {
    more[key] = value;
    return more;
  };
  CHECK(error_with("sage", with(degree, "gnn.input", "degrees"))
            .starts_with("65 FILE: metadata 'gnn.input' is 'degrees'"));
  CHECK(error_with("sage", with(degree, "gnn.input_size", "0")).starts_with("65 FILE: metadata"));
  CHECK(error_with("sage", with(degree, "gnn.input", "features,projection")) == "no error");
  CHECK(error_with("sage", with(degree, "gnn.input", "projection")).starts_with("65 FILE: meta"));
  CHECK(error_with("sage", with(degree, "gnn.input", "features,embedding")).starts_with("65 "));
}
