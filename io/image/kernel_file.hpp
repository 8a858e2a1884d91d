#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// The values of a kernel, row by row as in its file. The first row of a FITS file is the bottom of the image.
struct KernelFile {
  std::vector<std::vector<double>> values;
  bool normalize = true;
  bool is_old = false;  ///< a line "CONV" alone, without NORM or NONORM; SExtractor reads it as CONV NORM
};

/// Reads SExtractor's .conv format or a FITS image, told apart by the first bytes. A .conv file has a line "CONV NORM",
/// "CONV NONORM" or "CONV", then one row of values per line. Lines that begin with # are comments. Throws Error{config}
/// if the file cannot be read, has another format, or holds a value that is not finite. For .conv the message begins
/// `path:line:`. The check that the values make a kernel is in stages/math/kernel_values.hpp.
KernelFile read_kernel_file(const std::string& path);

}  // namespace srcextract
