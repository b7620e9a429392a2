#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frugal::robe {

/// Options of click data. click_formats.h lists the formats.
struct ClickOptions {
  std::string format = "auto";
  std::string separator = "auto";  ///< separator of fields: auto, or one of , ; | tab
  std::string header = "auto";     ///< auto, yes, no: csv and tsv
  std::string columns = {};        ///< "click:label,hour:hour,C14:category,price:number,*:ignore"
  std::string label_column = {};  ///< name, or number from 1; "" = by its name, otherwise the first
  std::string positive = {};      ///< "rating>=4", ">=4", ">50K"; "" = labels are 0 or 1, -1 or 1

  std::string ids = "count";          ///< count, hash, number: how categories become rows
  std::uint64_t min_count = 1;        ///< count: categories with fewer samples share row 0
  std::uint64_t hash_rows = 1000000;  ///< hash: rows of each field
  /// number: rows of the fields, "100,20,5", or one number for all; "" = from the data
  std::string rows = {};
  std::uint64_t max_rows = 0;    ///< number: rows are taken modulo this number; 0 = unchanged
  std::string unknown = "rare";  ///< count: treatment of unknown categories: rare (row 0) or error
  /// Columns of numbers that have fractions only after the records that determine types.
  std::vector<std::string> with_fractions = {};
  bool grows = false;  ///< a model's tables grow by rows for unknown categories

  std::string lines = {};  ///< samples "A:B" by number from 0, or shares "6/7:13/14"; "" = all
  /// "COLUMN=FROM..TO": samples whose column is in that range, ends included
  std::string days = {};

  std::string held_out = {};  ///< "every:10" or "last:0.1": samples held out of training
  bool shuffle = true;        ///< false: epochs follow the file
  /// Most bytes of stored samples in memory; beyond that they go to a file. Nothing = half of the
  /// free memory.
  std::optional<std::uint64_t> max_memory = {};
  std::string cache_dir = {};  ///< folder of that file; "" = TMPDIR or /var/tmp
};

}  // namespace frugal::robe
