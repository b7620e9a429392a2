#include <nlohmann/json.hpp>

#include "tools/sparse-train/commands/tool.h"
#include "tools/sparse-train/model/model.h"
#include "tools/sparse-train/settings/feature_fields.h"

namespace frugal::sparse {
namespace {

void describe_result(const ResultFields& f, const ConvertResult& r) {
  f.add("examples", r.examples, "examples written");
  f.add("features", r.features, "number of features");
  f.add("labels", r.labels, "number of labels");
}

ExitStatus run_convert(const ConvertOptions& options, Run& run) {
  run.reads(options.data);
  run.reads(options.model);
  run.writes(options.output);
  std::optional<Featurizer> featurizer;
  if (!options.model.empty()) featurizer = load_model(options.model).featurizer;
  const ConvertResult result = convert_data(options, std::move(featurizer));
  describe_result(ResultFields(run.result()), result);
  run.say(std::to_string(result.examples) + " examples, " + std::to_string(result.features) +
          " features, " + std::to_string(result.labels) + " labels");
  return ExitStatus::ok;
}

}  // namespace

Command convert_command(ConvertOptions& o) {
  Command command;
  command.name = "convert";
  command.summary = "parse labelled examples once, for several trainings";
  command.description =
      "Writes the examples as train reads them, with their vocabulary, to a tensor file. The file "
      "(tensor-file(5)) is not compressed, so that it can be mapped into memory. train reads it in "
      "place of the text and makes the same model. With --model, the features and labels of a "
      "model are used, for eval.\n\n"
      "Tensors: features.indptr, features.indices, features.values, labels.indptr, labels.indices "
      "(two matrices of compressed rows). Other programs' files with these tensors are training "
      "data, too (--format tensors), of type I32, I64, U32, U64 and F32, F64, F16, BF16. Features "
      "may also be one dense matrix `features`, and labels one number an example, `labels`, -1 for "
      "none. If the only values are -1 and 1, they are two classes.";
  command.examples = {
      {"sparse-train convert reviews.csv -o reviews.safetensors", "parse the data once"},
      {"sparse-train train reviews.safetensors -o reviews.model --hidden 64",
       "train on the parsed data"},
      {"sparse-train convert test.csv --model reviews.model -o test.safetensors",
       "parse test data for eval"}};
  command.often = {"--format", "--model", "--label-column", "--columns"};
  command.describe = [&o](const OptionFields& f) {
    f.add("data", o.data, "file of labelled examples; - is stdin").required().metavar("DATA");
    f.add("-o,--output", o.output, "tensor file to write, best named *.safetensors")
        .required()
        .metavar("FILE");
    f.add("--model", o.model, "model whose features and labels are used").metavar("MODEL");
    describe_features(f, o.features);
    describe_model_conditions(f, "data alone, not with --model", o.model);
  };
  command.describe_results = [](const ResultFields& f) { describe_result(f, ConvertResult{}); };
  command.run = [&o](Run& run) { return run_convert(o, run); };
  return command;
}

}  // namespace frugal::sparse
