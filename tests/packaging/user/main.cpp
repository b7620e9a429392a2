// A program of libcore's users: installed headers, and libraries that are found, are enough for it.
#include "libcore/base/text.h"
#include "libcore/tensors/tensor_file.h"

int main() {
  frugal::Document document;
  document.tensors.push_back(frugal::Tensor::make("w", frugal::Dtype::f32, {2, 3}));
  frugal::write_document("user.safetensors.zst", document);
  frugal::TensorReader reader("user.safetensors.zst");
  return reader.next_info()->tensors.at(0).name == "w" && frugal::parse_bytes("4K") == 4096u ? 0
                                                                                             : 1;
}
