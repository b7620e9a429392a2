#include "tools/tensor-file/options.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/checks.h"
#include "libcore/cli/conditions.h"
#include "libcore/system/output_paths.h"
#include "tools/tensor-file/verify.h"

namespace frugal::tensor_file {
namespace {

constexpr const char* kInput = "FILE";

CLI::Validator number_or(const std::string& word, int low, int high) {
  const auto check = [=](const std::string& text) -> std::string {
    const auto number = parse_number<int>(text);
    return text == word || (number && *number >= low && *number <= high) ? "" : "out of range";
  };
  const std::string upper =
      high == std::numeric_limits<int>::max() ? "" : " to " + std::to_string(high);
  return {check, word + " or a whole number from " + std::to_string(low) + upper};
}

void add_read_options(CLI::App& app, ReadTexts& o) {
  constexpr char kGroup[] = "Limits against hostile input";
  TensorLimits& limits = o.read.limits;
  check_bytes(app.add_option("--max-header", o.max_header, "largest header of a document"))
      ->group(kGroup);
  check_bytes(app.add_option("--max-metadata", o.max_metadata, "most metadata of a document"))
      ->group(kGroup);
  check_bytes(app.add_option("--max-memory", o.max_memory,
                             "most memory for tensors (80 % of what machine and cgroup have left)"))
      ->group(kGroup);
  app.add_option("--max-tensors", limits.max_tensors, "most tensors in a document")->group(kGroup);
  app.add_option("--max-rank", limits.max_rank, "most dimensions of a tensor")->group(kGroup);
  app.add_option("--max-name", limits.max_name, "longest name in bytes")->group(kGroup);
  app.add_flag("--allow-truncated", o.read.allow_truncated,
               "accept a stream without its end document, up to the last whole document");
}

TensorReadOptions read_options(const ReadTexts& texts, const Run& run) {
  TensorReadOptions read = texts.read;
  read.limits.max_header = parse_bytes(texts.max_header).value_or(read.limits.max_header);
  read.limits.max_metadata = parse_bytes(texts.max_metadata).value_or(read.limits.max_metadata);
  read.limits.max_memory = parse_bytes(texts.max_memory).value_or(0);
  read.threads = run.threads();
  return read;
}

CLI::Option* add_input(CLI::App& app, const std::string& name, std::string& path,
                       const char* what) {
  return app.add_option(name, path, what)->required()->type_name(kInput);
}

Command info_command(TensorFileOptions& o) {
  Command command;
  command.name = "info";
  command.summary = "say what a file holds";
  command.description =
      "Prints the number of documents, the tensors with element type and shape, and the metadata "
      "of one "
      "document. Only headers are read: a file with a seek table is described at once, whatever "
      "its size.\n\n"
      "With --json: documents, document, tensors (name, dtype, shape, bytes, packed), metadata, "
      "frames (null "
      "where there are none, or in a pipe), seekable, stored_bytes.";
  command.examples = {
      {"tensor-file info model.safetensors.zst", "tensors and metadata"},
      {"tensor-file info batches.tzs --document 7", "the eighth document of a stream"},
      {"tensor-file info model.safetensors.zst --json | jq -r '.tensors[].name'", "names"}};
  command.add_options = [&o](CLI::App& app) {
    add_input(app, "file", o.info.input, "tensor file, .safetensors, .npy or .npz; - is stdin");
    app.add_option("--document", o.info.document, "which document of a stream to describe, from 0");
    add_read_options(app, o.read);
  };
  command.run = [&o](Run& run) {
    o.info.read = read_options(o.read, run);
    run.reads(o.info.input);
    const FileInfo info = file_info(o.info);
    add_info(info, run.result());
    std::string text = info_text(info);
    text.pop_back();  // say() ends the line
    run.say(text);
    return ExitStatus::ok;
  };
  return command;
}

ExitStatus run_cat(TensorFileOptions& o, Run& run) {
  o.cat.read = read_options(o.read, run);
  o.cat.format = o.cat_texts.format == "npy" ? CatFormat::npy : CatFormat::text;
  if (!o.cat_texts.rows.empty()) o.cat.rows = parse_rows(o.cat_texts.rows);
  o.cat.document = parse_number<std::uint64_t>(o.cat_texts.document);
  if (run.options().json && o.cat.output == "-") {
    fail(ExitStatus::usage, "cat writes elements to stdout: --json needs --output FILE");
  }
  run.reads(o.cat.input);
  if (o.cat.output != "-") run.writes(o.cat.output);
  cat(o.cat);
  return ExitStatus::ok;
}

Command cat_command(TensorFileOptions& o) {
  Command command;
  command.name = "cat";
  command.summary = "print elements of tensors";
  command.description =
      "Prints a line for each vector along the last axis, elements separated by spaces, in the "
      "shortest "
      "decimal form that reads back as the same value. With several tensors, a line \"# name type "
      "shape\" comes "
      "before each. With --format npy, one tensor is written as a numpy file.\n\n"
      "Memory does not grow with the tensor. In a file with a seek table, only the frames that "
      "hold the rows "
      "are read; in a pipe everything before them passes by.";
  command.examples = {
      {"tensor-file cat model.safetensors.zst --tensor bias", "one tensor as text"},
      {"tensor-file cat graph.safetensors.zst --tensor features --rows 1000:1010", "ten rows"},
      {"tensor-file cat model.safetensors.zst --tensor w --format npy -o w.npy", "for numpy.load"}};
  command.add_options = [&o](CLI::App& app) {
    add_input(app, "file", o.cat.input, "tensor file, .safetensors, .npy or .npz; - is stdin");
    app.add_option("--tensor", o.cat.tensor, "name of the tensor; all of them if it is not given")
        ->type_name("NAME");
    app.add_option("--rows", o.cat_texts.rows,
                   "rows A to B-1 of the first axis, from 0; A: and :B are open")
        ->type_name("A:B");
    app.add_option("--format", o.cat_texts.format, "form of the output")
        ->check(CLI::IsMember(Names{"text", "npy"}));
    app.add_option("--document", o.cat_texts.document, "which document of a stream, from 0")
        ->check(number_or("all", 0, std::numeric_limits<int>::max()))
        ->type_name("N");
    app.add_option("-o,--output", o.cat.output, "file to write; - is stdout")->type_name(kInput);
    add_read_options(app, o.read);
  };
  command.run = [&o](Run& run) { return run_cat(o, run); };
  return command;
}

ExitStatus run_convert(TensorFileOptions& o, Run& run) {
  ConvertOptions& convert_options = o.convert;
  convert_options.read = read_options(o.read, run);
  convert_options.write.level = parse_number<int>(o.convert_texts.level);
  convert_options.write.frame_size = parse_bytes(o.convert_texts.frame_size).value_or(0);
  convert_options.write.if_changed = run.options().if_changed;
  convert_options.write.threads = run.threads();
  convert_options.dtype = dtype_from_name(o.convert_texts.dtype);
  convert_options.history_entry = run.history_entry();
  if (run.options().json && convert_options.output == "-") {
    fail(ExitStatus::usage, "convert writes tensors to stdout: --json needs an output file");
  }
  run.reads(convert_options.input);
  // A file may be converted in its place: it is replaced once all of it has been read.
  const bool in_place = same_file(convert_options.input, convert_options.output);
  if (convert_options.output != "-" && !in_place) run.writes(convert_options.output);
  const auto progress = run.progress("converting", 0, "B");
  const ConvertResult result =
      convert(convert_options, [&](double done) { progress->update(done); });
  progress->finish();
  run.result()["documents"] = result.documents;
  run.result()["tensors"] = result.tensors;
  run.result()["bytes"] = result.bytes;
  run.result()["losses"] = result.losses;
  return ExitStatus::ok;
}

void add_convert_options(CLI::App& app, TensorFileOptions& o) {
  constexpr int kLowest = -7;
  constexpr int kHighest = 19;
  add_input(app, "input", o.convert.input, "what to read; - is a tensor file on stdin");
  add_input(app, "output", o.convert.output, "what to write; - is a stream of documents on stdout");
  app.add_option("--level", o.convert_texts.level, "zstd level; auto is 1 for files, -5 for pipes")
      ->check(number_or("auto", kLowest, kHighest))
      ->type_name("N");
  check_bytes(
      app.add_option("--frame-size", o.convert_texts.frame_size,
                     "bytes of tensors in a frame, 64K to 16M: what must be read for one row"));
  app.add_flag("--pack", o.convert.write.pack,
               "store byte planes, and differences of sorted integers, where that is smaller");
  go_with(app, {"--level", "--frame-size", "--pack"},
          "compressed output: *.safetensors.zst, *.tzs or -", [&o] {
            const std::string& output = o.convert.output;
            return format_of(output) == FileFormat::tensors && !output.ends_with(".safetensors");
          });
  app.add_option("--kind", o.convert.kind,
                 "what the documents are; as in the input if it is not given")
      ->check(CLI::IsMember(
          Names{"tensors", "graph", "minibatch", "checkpoint", "events", "embedding", "model"}));
  const auto is_tensor_file = [&o] { return format_of(o.convert.output) == FileFormat::tensors; };
  go_with(app, {"--kind"}, "tensor files, not numpy's formats", is_tensor_file);
  app.add_option("--dtype", o.convert_texts.dtype, "round floating-point elements to this type")
      ->check(CLI::IsMember(Names{"keep", "F16", "BF16", "F32", "F64"}));
  add_read_options(app, o.read);
}

Command convert_command(TensorFileOptions& o) {
  Command command;
  command.name = "convert";
  command.summary = "write a file in another format";
  command.description =
      "The suffix of the output says the format: .safetensors.zst (compressed, one document), "
      ".safetensors (as "
      "other programs read it), .tzs or - (a stream of documents), .npy (one array), .npz (arrays, "
      "uncompressed). The input is recognised by its first bytes, .npy and .npz by suffix.\n\n"
      "Nothing is left out silently: a second document or a tensor that the output's format cannot "
      "hold is an "
      "error; metadata, which numpy's formats have no place for, is named in a warning. In tensor "
      "files each "
      "conversion adds its command line to the metadata frugal.history. Elements keep their bits "
      "unless --dtype "
      "is given; BF16 comes about only so.";
  command.examples = {
      {"tensor-file convert model.safetensors model.safetensors.zst", "compress"},
      {"tensor-file convert --pack ids.npy ids.safetensors.zst", "compress integers well"},
      {"tensor-file convert model.safetensors.zst model.npz", "for numpy"},
      {"producer | tensor-file convert - batches.tzs --level 9", "store a stream"}};
  command.add_options = [&o](CLI::App& app) { add_convert_options(app, o); };
  command.run = [&o](Run& run) { return run_convert(o, run); };
  return command;
}

ExitStatus run_verify(TensorFileOptions& o, Run& run) {
  const TensorReadOptions read = read_options(o.read, run);
  auto& files = run.result()["files"] = nlohmann::ordered_json::array();
  ExitStatus status = ExitStatus::ok;
  for (const std::string& path : o.verify_files) {
    run.reads(path);
    const auto progress = run.progress("verifying " + path, 0, "B");
    const FileCheck check = verify_file(path, read, [&](double done) { progress->update(done); });
    progress->finish();
    add_check(check, files);
    if (check.status == ExitStatus::ok) {
      run.say(check_text(check));
    } else {
      log_line(LogLevel::quiet, check_text(check));
      if (status == ExitStatus::ok) status = check.status;
    }
  }
  run.result()["whole"] = status == ExitStatus::ok;
  return status;
}

Command verify_command(TensorFileOptions& o) {
  Command command;
  command.name = "verify";
  command.summary = "check that files are whole";
  command.description =
      "Reads every byte and compares checksums, sizes and the end of the stream. The exit status "
      "is 0 if all "
      "files are whole, else that of the first one that is not: 65 if it is damaged or truncated, "
      "66 if it "
      "cannot be opened. The other files are checked nevertheless.";
  command.examples = {{"tensor-file verify *.tzs", "all streams of a folder"},
                      {"producer | tee copy.tzs | tensor-file verify -", "while it passes by"}};
  command.add_options = [&o](CLI::App& app) {
    app.add_option("files", o.verify_files, "files to check; - is stdin")
        ->required()
        ->type_name(kInput);
    add_read_options(app, o.read);
  };
  command.run = [&o](Run& run) { return run_verify(o, run); };
  return command;
}

ExitStatus run_diff(TensorFileOptions& o, Run& run) {
  if (o.diff.a == "-" && o.diff.b == "-") {
    fail(ExitStatus::usage, "diff - -: stdin can be one of the two files");
  }
  o.diff.read = read_options(o.read, run);
  run.reads(o.diff.a);
  run.reads(o.diff.b);
  const DiffResult result = diff(o.diff);
  add_diff(result, run.result());
  for (const Difference& difference : result.differences)
    run.say(difference_text(difference, result));
  if (result.num_differences > result.differences.size()) {
    run.say("... and " + std::to_string(result.num_differences - result.differences.size()) +
            " more");
  }
  return result.num_differences == 0 ? ExitStatus::ok : ExitStatus::check_failed;
}

Command diff_command(TensorFileOptions& o) {
  Command command;
  command.name = "diff";
  command.summary = "compare the tensors of two files";
  command.description =
      "Compares document by document, tensors by name, whatever formats the files have. Says which "
      "tensor "
      "differs in how many elements, where first, and by how much at most. The exit status is 0 if "
      "the files "
      "are equal, 1 if they differ.\n\n"
      "Elements a and b are equal if |a - b| <= atol + rtol * |b|. Element types and shapes must "
      "agree. The array of a .npy file has no name and is compared with the only tensor of the "
      "other file.";
  command.examples = {
      {"tensor-file diff a.safetensors.zst b.npz", "bit for bit, but -0 is 0"},
      {"tensor-file diff run1.tzs run2.tzs --rtol 1e-5 --atol 1e-8", "nearly equal"}};
  command.add_options = [&o](CLI::App& app) {
    add_input(app, "a", o.diff.a, "first file");
    add_input(app, "b", o.diff.b, "second file");
    app.add_option("--rtol", o.diff.rtol, "relative tolerance")->check(CLI::NonNegativeNumber);
    app.add_option("--atol", o.diff.atol, "absolute tolerance")->check(CLI::NonNegativeNumber);
    app.add_flag("--equal-nan", o.diff.equal_nan, "NaN equals NaN");
    app.add_flag("--metadata", o.diff.metadata, "compare metadata too, but for frugal.history");
    add_read_options(app, o.read);
  };
  command.run = [&o](Run& run) { return run_diff(o, run); };
  return command;
}

}  // namespace

Tool tensor_file_tool(TensorFileOptions& options) {
  Tool tool;
  tool.name = "tensor-file";
  tool.summary = "look into, convert, check and compare files of tensors";
  tool.description =
      "The tools of frugal exchange named arrays of numbers in tensor files, described in "
      "tensor-file(5): a "
      "safetensors document inside zstd frames (.safetensors.zst), or a stream of such documents "
      "(.tzs). Plain "
      ".safetensors, .npy and .npz files are read and written too.";
  tool.commands = {info_command(options), cat_command(options), convert_command(options),
                   verify_command(options), diff_command(options)};
  tool.see_also = {"tensor-file(5)", "frugal(7)", "zstd(1)"};
  return tool;
}

}  // namespace frugal::tensor_file
