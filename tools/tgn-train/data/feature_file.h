#pragma once
#include <string>

#include "libcore/io/tensor.h"

namespace frugal::tgn {

/// Rows of features from a file of numpy (*.npy, *.npz with one array) or of tensors, or a line of
/// numbers each between commas, tabs or blanks: F32 [rows, features], all finite. Fails (bad_input)
/// with the path and the row.
Tensor read_feature_file(const std::string& path);

/// Whether all numbers are 0, which then say nothing.
bool is_all_zero(const Tensor& features);

}  // namespace frugal::tgn
