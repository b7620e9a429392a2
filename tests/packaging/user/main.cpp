// A program of libcore's users: installed headers, and libraries that are found, are enough for it.
#include "libcore/base/text.h"
#include "libcore/io/tensor.h"

int main() { return frugal::parse_bytes("4K") == 4096u ? 0 : 1; }
