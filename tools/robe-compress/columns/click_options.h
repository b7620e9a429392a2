#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frugal::robe {

/// What a user can say about click data; click_formats.h has the formats.
struct ClickOptions {
  std::string format = "auto";
  std::string separator = "auto";  ///< auto, or what separates fields: , ; | tab
  std::string header = "auto";     ///< auto, yes, no: csv and tsv
  std::string columns = {};        ///< "click:label,hour:hour,C14:category,price:number,*:ignore"
  std::string label_column = {};   ///< name or number from 1; "" = by name, else the first
  std::string positive = {};       ///< "rating>=4", ">=4", ">50K"; "" = labels are 0 or 1, -1 or 1

  std::string ids = "count";          ///< count, hash, number: how categories become rows
  std::uint64_t min_count = 1;        ///< count: rarer categories share row 0
  std::uint64_t hash_rows = 1000000;  ///< hash: rows of each field
  std::string rows = {};  ///< number: rows of the fields, "100,20,5" or one for all; "" = found
  std::uint64_t max_rows = 0;    ///< number: rows are taken modulo this; 0 = as they are
  std::string unknown = "rare";  ///< rare, error: count's answer to a category never seen
  /// Columns that are numbers, for they have fractions behind the records that types are told by.
  std::vector<std::string> with_fractions = {};
  bool grows = false;  ///< a model's tables get rows for what the model does not know

  std::string lines = {};  ///< samples "A:B" by number from 0, or shares "6/7:13/14"; "" = all
  std::string days = {};   ///< "COLUMN=FROM..TO": samples whose column lies there, both included

  std::string held_out = {};  ///< "every:10" or "last:0.1": samples that training does not see
  bool shuffle = true;        ///< false: epochs follow the file
  /// Bytes; more stored samples go to a file; nothing = half of what is left.
  std::optional<std::uint64_t> max_memory = {};
  std::string cache_dir = {};  ///< for that file; "" = TMPDIR or /var/tmp
};

}  // namespace frugal::robe
