#include "libcore/train/checkpoint.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "tests/support/text_file.h"

using namespace frugal;

namespace {

/// A folder that is gone with the object.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "frugal-checkpoint-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file() const { return (path / "run.ckpt").string(); }
};

Document state(const std::string& step) {
  Document document;
  document.metadata["frugal.step"] = step;
  document.tensors.push_back(Tensor::copy_of<float>("w", {2}, std::vector<float>{1, 2}));
  return document;
}

CheckpointFile checkpoint(const Folder& folder, const std::string& rate = "0.1") {
  return {folder.file(), "trainer", {{{"--rate", rate, false}}, {}}};
}

std::string step_of(const std::optional<Document>& document) {
  return document ? document->metadata.at("frugal.step") : "none";
}

/// Flips a bit in the middle.
void damage(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(path) / 2);
  file.seekg(middle);
  const char byte = static_cast<char>(file.get() ^ 4);
  file.seekp(middle);
  file.put(byte);
}

}  // namespace

TEST_CASE("a checkpoint comes back, and the one before it is kept") {
  const Folder folder;
  const CheckpointFile file = checkpoint(folder);
  CHECK(step_of(file.load()) == "none");
  file.save(state("1"));
  CHECK_FALSE(std::filesystem::exists(file.previous_path()));
  file.save(state("2"));
  file.save(state("3"));
  CHECK(step_of(file.load()) == "3");
  CHECK(step_of(read_document(file.previous_path())) == "2");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 3);  // and its lock
}

TEST_CASE("a checkpoint that a link leads to is kept beside the file, and the link stays") {
  const Folder folder;
  std::filesystem::create_directory(folder.path / "disk");
  std::filesystem::create_symlink("disk/c", folder.path / "run.ckpt");
  const CheckpointFile file = checkpoint(folder);
  file.save(state("1"));
  file.save(state("2"));
  CHECK(std::filesystem::is_symlink(folder.path / "run.ckpt"));
  CHECK(step_of(read_document(folder.path / "disk" / "c")) == "2");
  CHECK(step_of(read_document(folder.path / "disk" / "c.prev")) == "1");
  damage(file.path());
  CHECK(step_of(file.load()) == "1");
}

TEST_CASE("a checkpoint is of one run at a time, whose end or death frees it") {
  const Folder folder;
  {
    const CheckpointFile first = checkpoint(folder);
    CHECK(error_of([&] {
            checkpoint(folder);
          }).starts_with("73 " + folder.file() + ": process " + std::to_string(getpid()) + " on "));
    first.save(state("1"));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
  std::ofstream(folder.path / ".run.ckpt.lock") << "process 1 on a killed one's machine";
  CHECK(step_of(checkpoint(folder).load()) == "1");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("a damaged checkpoint gives way to the one before it") {
  const Folder folder;
  const CheckpointFile file = checkpoint(folder);
  file.save(state("1"));
  file.save(state("2"));
  damage(file.path());
  CHECK(step_of(file.load()) == "1");
  damage(file.previous_path());
  CHECK(error_of([&] { file.load(); }).starts_with("65 no whole checkpoint to go on from: "));
}

TEST_CASE("large tensors of a checkpoint come back to where the caller has room for them") {
  const Folder folder;
  const CheckpointFile file = checkpoint(folder);
  std::vector<float> large(300000);
  std::iota(large.begin(), large.end(), 0.0F);
  Document document = state("1");
  document.tensors.push_back(Tensor::lend<float>("large", {large.size()}, large));
  file.save(std::move(document));
  std::vector<float> room(large.size()), small(2);
  for (const bool fits : {true, false}) {
    std::fill(room.begin(), room.end(), 0.0F);
    const std::span<float> to = fits ? std::span(room) : std::span(small);
    const auto got = file.load({{"large", std::as_writable_bytes(to)}});
    REQUIRE(got);
    const auto values = got->at("large").as<float>();
    CHECK(std::equal(large.begin(), large.end(), values.begin(), values.end()));
    CHECK((values.data() == room.data()) == fits);
    CHECK(got->at("w").as<float>()[1] == 2);
  }
}

TEST_CASE("a run killed between the two renames goes on from the previous checkpoint") {
  const Folder folder;
  const CheckpointFile file = checkpoint(folder);
  file.save(state("1"));
  std::filesystem::rename(file.path(), file.previous_path());
  CHECK(step_of(file.load()) == "1");
}

TEST_CASE("another run's checkpoint is refused with what differs") {
  const Folder folder;
  checkpoint(folder).save(state("1"));
  const std::string path = folder.file(), refused = "2 " + path + ": cannot resume: ";
  const auto refusal = [&](const RunIdentity& identity) {
    return error_of([&] { CheckpointFile(path, "trainer", identity).load(); });
  };
  CHECK(error_of([&] { checkpoint(folder, "0.2").load(); }) ==
        refused + "--rate 0.2: the checkpoint has 0.1");
  const RunIdentity run{
      {{"--precision", "f32", false}, {"--eval", "true", true, "--no-eval"}, {"--from", "", false}},
      {{"data", "a"}}};
  CheckpointFile(path, "trainer", run).save({});
  RunIdentity other_run = run;
  other_run.options[0].value = "bf16", other_run.options[1].value = "false";
  CHECK(refusal(other_run) ==
        refused + "--precision bf16: the checkpoint has f32; --no-eval: the checkpoint has --eval");
  other_run = run, other_run.options[2].value = "x";
  CHECK(refusal(other_run) == refused + "--from x: the checkpoint has ''");
  other_run = run, other_run.inputs["data"] = "b";
  CHECK(refusal(other_run) == refused + "the data differs (checkpoint: a; this run: b)");
  other_run = run, other_run.options.pop_back();
  const auto of_another = [&](const std::string& option) {
    return refused + "only this run or only the checkpoint has " + option +
           "; expected the same options, and a checkpoint written by this version";
  };
  CHECK(refusal(other_run) == of_another(run.options.back().name));
  other_run = run, other_run.options.push_back({"--new", "1", false});
  CHECK(refusal(other_run) == of_another("--new"));
  const CheckpointFile other(folder.file(), "other-trainer", {});
  CHECK(error_of([&] { other.load(); })
            .starts_with("2 " + folder.file() +
                         ": found a file of kind 'checkpoint' of trainer, expected "
                         "a checkpoint of other-trainer"));
}

TEST_CASE("a checkpoint of another format version is refused") {
  const Folder folder;
  const std::string path = folder.file() + ".safetensors";  // plain: its metadata can be changed
  const CheckpointFile file(path, "trainer", {});
  file.save(state("1"));
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::string key = "\"frugal.version\":\"";
  const std::size_t at = bytes.find(key);
  REQUIRE(at != std::string::npos);
  bytes[at + key.size()] = '0';
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK(error_of([&] { file.load(); }) ==
        "2 " + path + ": is of version '0' of the format, expected 1: the metadata are damaged");
}
