#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// A kernel as a file has it, rows as they stand there (in FITS, the first is at the bottom of the image).
struct KernelFile {
  std::vector<std::vector<double>> values;
  bool normalize = true;
  bool is_old = false;  ///< says nothing of that: a line "CONV" alone, which SExtractor takes for CONV NORM
};

/// Reads SExtractor's .conv format (a line "CONV NORM", "CONV NONORM" or "CONV", then the values, a row a line, lines
/// that begin with # being comments), or a FITS image, by how the file begins. Throws Error{config}, which begins
/// `path:line:` for a .conv, if it cannot be read, is neither, or holds a value that is no finite number. Whether the
/// values make a kernel is for config/kernel_values.hpp to say.
KernelFile read_kernel_file(const std::string& path);

}  // namespace srcextract
