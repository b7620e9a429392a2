#include "tools/tensor-file/commands/tool.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/output_paths.h"
#include "tools/tensor-file/verify.h"

namespace frugal::tensor_file {
namespace {

constexpr const char* kInput = "FILE";
constexpr std::array<std::string_view, 2> kCatFormats = {"text", "npy"};

/// A limit that --limit can set.
struct Limit {
  std::string_view name;
  std::uint64_t TensorLimits::*value;
};
constexpr std::array<Limit, 5> kLimits = {{{"header", &TensorLimits::max_header},
                                           {"metadata", &TensorLimits::max_metadata},
                                           {"tensors", &TensorLimits::max_tensors},
                                           {"rank", &TensorLimits::max_rank},
                                           {"name", &TensorLimits::max_name}}};

/// Sets a limit from text like "header=16M"; false if the text is invalid.
bool set_limit(std::string_view text, TensorLimits& limits) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  const std::optional<std::uint64_t> value = parse_bytes(text.substr(equals + 1));
  for (const Limit& limit : kLimits) {
    if (limit.name != text.substr(0, equals) || !value || *value == 0) continue;
    limits.*limit.value = *value;
    return true;
  }
  return false;
}

/// Sets limits as "header=16M,rank=9" says; false if the text is none.
bool set_limits(const std::string& text, TensorLimits& limits) {
  const auto parts = split(text, ',');
  return std::ranges::all_of(parts,
                             [&](std::string_view part) { return set_limit(trim(part), limits); });
}

void add_read_options(const OptionFields& fields, TensorFileOptions& o) {
  const OptionFields f = fields.group("Limits against hostile input");
  f.add("--limit", o.limits,
        "maximum sizes in a document: bytes of the header, the metadata and a name, number of "
        "tensors, dimensions of a tensor. Sizes that are not named keep their defaults")
      .checked("header=SIZE, metadata=SIZE, tensors=N, rank=N or name=N, above 0",
               [](const std::string& text) {
                 TensorLimits ignored;
                 return set_limits(text, ignored);
               })
      .metavar("NAME=N,...")
      .accumulates();
  f.add_bytes("--max-memory", o.read.limits.max_memory,
              "maximum memory for tensors. Default: 80 % of the memory that the machine and the "
              "cgroup have left");
  fields.add("--allow-truncated", o.read.allow_truncated,
             "accept a truncated stream (without its end document), up to the last whole document");
}

TensorReadOptions read_options(const TensorFileOptions& o, const Run& run) {
  TensorReadOptions read = o.read;
  for (const std::string& limit : o.limits) set_limits(limit, read.limits);
  read.threads = run.threads();
  return read;
}

void add_input(const OptionFields& f, const char* name, std::string& path, const char* what) {
  f.add(name, path, what).required().metavar(kInput);
}

Command info_command(TensorFileOptions& o) {
  Command command;
  command.name = "info";
  command.summary = "list the contents of a file";
  command.description =
      "Prints the number of documents, the tensors with element type and shape, and the metadata "
      "of one document. Only headers are read: a file with a seek table is described at once, "
      "whatever its size.";
  command.examples = {
      {"tensor-file info model.safetensors.zst", "list tensors and metadata"},
      {"tensor-file info batches.tzs --document 7", "describe the eighth document of a stream"},
      {"tensor-file info model.safetensors.zst --json | jq -r '.tensors[].name'",
       "print the names of the tensors"}};
  command.often = {"--document", "--json"};
  command.describe = [&o](const OptionFields& f) {
    add_input(f, "file", o.info.input,
              "tensor file, .safetensors, .npy or .npz; - is a tensor file on stdin");
    f.add("--document", o.info.document, "number of the document of a stream to describe, from 0");
    add_read_options(f, o);
  };
  command.describe_results = [](const ResultFields& f) { describe_info(f, {}); };
  command.run = [&o](Run& run) {
    o.info.read = read_options(o, run);
    run.reads(o.info.input);
    const FileInfo info = file_info(o.info);
    describe_info(ResultFields(run.result()), info);
    std::string text = info_text(info);
    text.pop_back();  // say() ends the line
    run.say(text);
    return ExitStatus::ok;
  };
  return command;
}

ExitStatus run_cat(TensorFileOptions& o, Run& run) {
  o.cat.read = read_options(o, run);
  if (!o.cat_rows.empty()) o.cat.rows = parse_rows(o.cat_rows);
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
      "Prints a line for each vector along the last axis. Elements are separated by spaces, in the "
      "shortest decimal form that reads back as the same value. With several tensors, a line \"# "
      "name type shape\" precedes each. With --format npy, one tensor is written as a NumPy "
      "file.\n\n"
      "Memory use does not depend on the size of the tensor. In a file with a seek table, only the "
      "frames that hold the rows are read; a pipe is read up to them.";
  command.examples = {
      {"tensor-file cat model.safetensors.zst --tensor bias", "print one tensor as text"},
      {"tensor-file cat graph.safetensors.zst --tensor features --rows 1000:1010",
       "print ten rows"},
      {"tensor-file cat model.safetensors.zst --tensor w --format npy -o w.npy",
       "write a file for numpy.load"}};
  command.often = {"--tensor", "--rows", "--format", "--output"};
  command.describe = [&o](const OptionFields& f) {
    add_input(f, "file", o.cat.input,
              "tensor file, .safetensors, .npy or .npz; - is a tensor file on stdin");
    f.add("--tensor", o.cat.tensor, "name of the tensor to print; default: all tensors")
        .metavar("NAME");
    f.add("--rows", o.cat_rows,
          "print only rows A to B-1 of the first axis, counted from 0; A or B may be left out")
        .metavar("A:B");
    f.add("--format", o.cat.format, kCatFormats, "format of the output");
    f.add("--document", o.cat.document, "all", "number of the document of a stream, from 0")
        .metavar("N");
    f.add("-o,--output", o.cat.output, "file to write; - is stdout").metavar(kInput);
    add_read_options(f, o);
  };
  command.run = [&o](Run& run) { return run_cat(o, run); };
  return command;
}

void describe_converted(const ResultFields& f, const ConvertResult& r) {
  f.add("documents", r.documents, "documents written");
  f.add("tensors", r.tensors, "tensors written");
  f.add("bytes", r.bytes, "size of their elements");
  f.add("losses", r.losses, "what the output's format cannot hold");
}

ExitStatus run_convert(TensorFileOptions& o, Run& run) {
  ConvertOptions& convert_options = o.convert;
  convert_options.read = read_options(o, run);
  convert_options.write.threads = run.threads();
  convert_options.write.limits = convert_options.read.limits;
  convert_options.dtype = dtype_from_name(o.convert_dtype);
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
  describe_converted(ResultFields(run.result()), result);
  return ExitStatus::ok;
}

void add_convert_options(const OptionFields& f, TensorFileOptions& o) {
  constexpr int kLowest = -7;
  constexpr int kHighest = 19;
  add_input(f, "input", o.convert.input, "file to read; - is a tensor file on stdin");
  add_input(f, "output", o.convert.output,
            "file to write, in the format of its suffix; - is a stream of documents on stdout");
  f.add("--level", o.convert.write.level, "auto",
        "zstd compression level; higher levels are smaller and slower. auto: 1 for files, -5 for "
        "pipes")
      .range(kLowest, kHighest)
      .metavar("N");
  f.add_bytes("--frame-size", o.convert.write.frame_size,
              "number of bytes of tensors in a zstd frame, 64K to 16M. Larger frames compress "
              "better, but a reader of one row decompresses a whole frame");
  f.add("--pack", o.convert.write.pack,
        "store byte planes and differences of sorted integers (where that is smaller)");
  f.go_with({"--level", "--frame-size", "--pack"},
            "compressed output: *.safetensors.zst, *.tzs or -", [&o] {
              const std::string& output = o.convert.output;
              return format_of(output) == FileFormat::tensors && !output.ends_with(".safetensors");
            });
  f.add("--kind", o.convert.kind, "kind of the documents; default: as in the input")
      .choices({"tensors", "graph", "minibatch", "checkpoint", "events", "embedding", "model"});
  const auto is_tensor_file = [&o] { return format_of(o.convert.output) == FileFormat::tensors; };
  f.go_with({"--kind"}, "tensor files, not numpy's formats", is_tensor_file);
  f.add("--dtype", o.convert_dtype, "number type to round floating-point elements to")
      .choices({"keep", "F16", "BF16", "F32", "F64"});
  add_read_options(f, o);
}

Command convert_command(TensorFileOptions& o) {
  Command command;
  command.name = "convert";
  command.summary = "write a file in another format";
  command.description =
      "The suffix of the output selects the format: .safetensors.zst (compressed, one document), "
      ".safetensors (as other programs read it), .tzs or - (a stream of documents), .npy (one "
      "array), .npz (arrays, uncompressed). Other suffixes are refused. The input format is "
      "recognised by the first bytes. A pipe is a tensor file: NumPy's formats are read from files "
      "alone.\n\n"
      "Nothing is left out silently. A second document or a tensor that the output's format cannot "
      "hold is an error. A warning names metadata, which NumPy's formats cannot hold. In tensor "
      "files each conversion adds its command line to the metadata frugal.history. Elements keep "
      "their bits unless --dtype is given; BF16 is written only if you ask for it. Types that only "
      "other programs compute with (C64, and floats of 8 bits and fewer) are copied unchanged.\n\n"
      "Documents of more than 32 MiB are read and written in pieces, so memory use does not depend "
      "on their size. A whole document is held in memory with --pack, with --allow-truncated, for "
      ".npz from a pipe, and for a NumPy array in Fortran order. This is also the case if tensors "
      "change places and come from a pipe, or from frames of more than 16 MiB. --limit holds for "
      "the output as for the input.";
  command.examples = {
      {"tensor-file convert model.safetensors model.safetensors.zst", "compress a file"},
      {"tensor-file convert --pack ids.npy ids.safetensors.zst", "compress integers better"},
      {"tensor-file convert model.safetensors.zst model.npz", "convert to NumPy's format"},
      {"producer | tensor-file convert - batches.tzs --level 9", "store a stream from a pipe"}};
  command.often = {"--level", "--dtype", "--pack", "--kind", "--threads"};
  command.describe = [&o](const OptionFields& f) { add_convert_options(f, o); };
  command.describe_results = [](const ResultFields& f) { describe_converted(f, {}); };
  command.run = [&o](Run& run) { return run_convert(o, run); };
  return command;
}

void describe_checks(const ResultFields& f, const nlohmann::ordered_json& files, bool whole) {
  f.add("files", files,
        "path, whole, documents, tensors and bytes of each file, and problem if it is not whole");
  f.add("whole", whole, "whether all files are whole");
}

ExitStatus run_verify(TensorFileOptions& o, Run& run) {
  const TensorReadOptions read = read_options(o, run);
  auto files = nlohmann::ordered_json::array();
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
  describe_checks(ResultFields(run.result()), files, status == ExitStatus::ok);
  return status;
}

Command verify_command(TensorFileOptions& o) {
  Command command;
  command.name = "verify";
  command.summary = "check that files are complete and undamaged";
  command.description =
      "Reads every byte and compares checksums, sizes and the end of the stream. The exit status "
      "is 0 if all files are complete. Otherwise it is decided by the first file that is not: 65 "
      "if it is damaged or truncated, 66 if it cannot be opened. The other files are still "
      "checked.";
  command.examples = {
      {"tensor-file verify *.tzs", "check all streams in a folder"},
      {"producer | tee copy.tzs | tensor-file verify -", "check a stream while it is copied"}};
  command.often = {"--allow-truncated", "--json"};
  command.describe = [&o](const OptionFields& f) {
    f.add("files", o.verify_files, "files to check; - is stdin").required().metavar(kInput);
    add_read_options(f, o);
  };
  command.describe_results = [](const ResultFields& f) {
    describe_checks(f, nlohmann::ordered_json::array(), true);
  };
  command.run = [&o](Run& run) { return run_verify(o, run); };
  return command;
}

ExitStatus run_diff(TensorFileOptions& o, Run& run) {
  if (o.diff.a == "-" && o.diff.b == "-") {
    fail(ExitStatus::usage, "diff - -: stdin can be one of the two files");
  }
  o.diff.read = read_options(o, run);
  run.reads(o.diff.a);
  run.reads(o.diff.b);
  const DiffResult result = diff(o.diff);
  describe_diff(ResultFields(run.result()), result);
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
      "Compares document by document and tensors by name, whatever formats the files have. Reports "
      "for each tensor that differs the number of differing elements, the first of them, and the "
      "largest difference. The exit status is 0 if the files are equal, 1 if they differ.\n\n"
      "Elements a and b are equal if |a - b| <= atol + rtol * |b|. Element types and shapes must "
      "agree. The array of a .npy file has no name and is compared with the only tensor of the "
      "other file.";
  command.examples = {
      {"tensor-file diff a.safetensors.zst b.npz", "compare exactly; only -0 equals 0"},
      {"tensor-file diff run1.tzs run2.tzs --rtol 1e-5 --atol 1e-8", "compare with tolerances"}};
  command.often = {"--rtol", "--atol", "--equal-nan", "--metadata", "--json"};
  command.describe = [&o](const OptionFields& f) {
    add_input(f, "a", o.diff.a, "first file");
    add_input(f, "b", o.diff.b, "second file");
    f.add("--rtol", o.diff.rtol, "relative tolerance, as a share of |b|").not_negative();
    f.add("--atol", o.diff.atol, "absolute tolerance").not_negative();
    f.add("--equal-nan", o.diff.equal_nan,
          "treat any NaN as equal to any other; without it, only NaN of the same bits are equal");
    f.add("--metadata", o.diff.metadata, "also compare metadata, except frugal.history");
    add_read_options(f, o);
  };
  command.describe_results = [](const ResultFields& f) { describe_diff(f, {}); };
  command.run = [&o](Run& run) { return run_diff(o, run); };
  return command;
}

}  // namespace

Tool tensor_file_tool(TensorFileOptions& options) {
  Tool tool;
  tool.name = "tensor-file";
  tool.summary = "list, print, convert, check and compare files of tensors";
  tool.description =
      "The tools of frugal exchange named arrays of numbers in tensor files. A tensor file is a "
      "safetensors document inside zstd frames (.safetensors.zst), or a stream of such documents "
      "(.tzs). tensor-file(5) describes it. Plain .safetensors, .npy and .npz files are read and "
      "written, too.";
  tool.commands = {info_command(options), cat_command(options), convert_command(options),
                   verify_command(options), diff_command(options)};
  tool.see_also = {"tensor-file(5)", "frugal(7)", "zstd(1)"};
  return tool;
}

}  // namespace frugal::tensor_file
