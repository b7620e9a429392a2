// Feeds bytes to every reader of labelled text. The first byte chooses the format and the options;
// what can be learnt from is read again with what was learnt, whole and record by record.
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/tables/piece_reader.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/sparse-train/text/featurizer.h"
#include "tools/sparse-train/text/record_featurizer.h"

namespace {

using namespace frugal;
using namespace frugal::sparse;

FeatureOptions options_of(unsigned choice) {
  constexpr const char* formats[] = {"csv",      "tsv",  "fasttext", "xmc",
                                     "svmlight", "auto", "csv",      "tsv"};
  FeatureOptions options;
  options.format = formats[choice % 8];
  if (choice % 8 >= 6) options.columns = "1:label(;),2:number,3:date,4:category(|),5:text";
  options.header = choice & 8 ? "no" : "auto";
  options.weighting = choice & 16 ? "tfidf" : "none";
  options.char_ngrams = choice & 32 ? "2:3" : "";
  options.tokenizer = choice & 64 ? "punctuation" : "words";
  options.encoding = choice & 128 ? "bytes" : "utf-8";
  options.skip_bad = choice % 5;
  options.max_memory = std::uint64_t{16} << 20;  // asking for what is left takes thirty calls
  return options;
}

/// A header of XMC may ask for tables of millions of labels: that is no error, but takes seconds.
bool claims_large_tables(const FeatureOptions& options, std::string_view text) {
  if (options.format != "xmc" && options.format != "auto") return false;
  const std::string_view header = text.substr(0, text.find('\n'));
  if (header.find_first_not_of("0123456789 \t\r") != std::string_view::npos) return false;
  std::size_t digits = 0;
  for (const char c : header) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 6) return true;
  }
  return false;
}

void check(const Dataset& data) {
  require(data.feature_begin.size() == data.label_begin.size(), "examples have both parts");
  require(data.feature_begin.back() == data.features.size(), "features end where they begin");
  require(data.label_begin.back() == data.labels.size(), "labels end where they begin");
  for (const std::uint32_t f : data.features)
    require(f < data.num_features, "features are in range");
  for (const std::uint32_t l : data.labels)
    require(l < data.num_all_labels(), "labels are in range");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 1);
  const FeatureOptions options = options_of(input.choice(0));
  if (claims_large_tables(options, input.text())) return 0;
  reading(ExitStatus::usage, [&] {
    Featurizer featurizer(options);
    check(featurizer.fit(input.path()));
    reading(ExitStatus::usage, [&] { check(featurizer.read(input.path())); });
    reading(ExitStatus::usage, [&] {
      PieceReader reader(input.path());
      const InputLayout layout = featurizer.layout_of(reader.name(), reader.head());
      reader.set_style(layout.style);
      RecordFeaturizer records(featurizer, layout);
      records.keep_names();
      TableRows rows(layout.form(), reader.name());
      for (TextPiece piece; reader.next(piece);) {
        for (rows.start(piece); rows.pass();) {
          reading(ExitStatus::usage, [&] {
            Dataset example;
            records.add(rows.row(), example);
            require(records.names().size() == example.features.size(), "every feature has a name");
          });
        }
      }
    });
    reading(ExitStatus::usage, [&] { check(featurizer.extend(input.path())); });
  });
  return 0;
}
