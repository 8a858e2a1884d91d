#pragma once

#include <string_view>

namespace srcextract {

/// Device address of the numbers from a file (a PSF, for example), and the configuration key that names this file. The
/// object does not own the numbers.
struct HandedNumbers {
  std::string_view key;
  const double* at;

  bool operator==(const HandedNumbers&) const = default;
};

}  // namespace srcextract
