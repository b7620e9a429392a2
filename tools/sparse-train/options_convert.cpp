#include "tools/sparse-train/options_convert.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/sparse-train/model.h"
#include "tools/sparse-train/options_features.h"

namespace frugal::sparse {
namespace {

ExitStatus run_convert(const ConvertOptions& options, Run& run) {
  run.reads(options.data);
  if (!options.model.empty()) run.reads(options.model);
  run.writes(options.output);
  std::optional<Featurizer> featurizer;
  if (!options.model.empty()) {
    featurizer = load_model(options.model).featurizer;
    if (options.features.format != "auto") featurizer->set_format(options.features.format);
  }
  const ConvertResult result = convert_data(options, std::move(featurizer));
  run.result()["examples"] = result.examples;
  run.result()["features"] = result.features;
  run.result()["labels"] = result.labels;
  run.say(std::to_string(result.examples) + " examples, " + std::to_string(result.features) +
          " features, " + std::to_string(result.labels) + " labels");
  return ExitStatus::ok;
}

}  // namespace

Command convert_command(ConvertOptions& o) {
  Command command;
  command.name = "convert";
  command.summary = "parse labelled examples once, for many trainings";
  command.description =
      "Writes the examples as train would see them, with their vocabulary, to a tensor file "
      "(tensor-file(5), uncompressed: it is mapped, not read). train takes it in place of the text "
      "and "
      "makes the same model; with --model, features and labels are those of the model, for "
      "eval.\n\n"
      "Tensors: features.indptr, features.indices, features.values, labels.indptr, labels.indices "
      "(two "
      "matrices of compressed rows). Files of other programs with these tensors, of type I32, I64, "
      "U32, "
      "U64 and F32, F64, F16, BF16, are training data too (--format tensors); features may also be "
      "one "
      "dense matrix `features`, and labels one number an example, `labels`, -1 for none.\n\n"
      "With --json: examples, features, labels.";
  command.examples = {
      {"sparse-train convert reviews.csv -o reviews.safetensors", "parse once"},
      {"sparse-train train reviews.safetensors -o reviews.model --hidden 64", "train on it"},
      {"sparse-train convert test.csv --model reviews.model -o test.safetensors", "for eval"}};
  command.add_options = [&o](CLI::App& app) {
    app.add_option("data", o.data, "labelled examples; - is stdin")->required()->type_name("DATA");
    app.add_option("-o,--output", o.output, "file to write, best *.safetensors")
        ->required()
        ->type_name("FILE");
    app.add_option("--model", o.model, "take features and labels from this model")
        ->type_name("MODEL");
    add_feature_options(app, o.features);
    add_model_conditions(app, "data alone, not with --model", o.model);
  };
  command.run = [&o](Run& run) { return run_convert(o, run); };
  return command;
}

}  // namespace frugal::sparse
