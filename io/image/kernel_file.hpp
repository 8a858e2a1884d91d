#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// The values of a kernel, row by row in the order of the file. For a FITS file, the first row is the bottom of the
/// image.
struct KernelFile {
  std::vector<std::vector<double>> values;
  bool normalize = true;
  bool is_old = false;  ///< a line "CONV" alone, which SExtractor reads as "CONV NORM"
};

/// Reads a convolution kernel from a FITS image or from a file in SExtractor's .conv format. The first bytes of the
/// file decide the format. A .conv file has a line "CONV NORM", "CONV NONORM" or "CONV", then one row of values per
/// line. Lines that begin with # are comments. Throws Error{config} if the file cannot be read, has another format, or
/// holds a value that is not finite. For .conv the message begins with `path:line:`. stages/math/kernel_values.hpp
/// checks that the values can be used as a kernel.
KernelFile read_kernel_file(const std::string& path);

}  // namespace srcextract
