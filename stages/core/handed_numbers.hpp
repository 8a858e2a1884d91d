#pragma once

#include <string_view>

namespace srcextract {

/// The numbers in the file that a configuration key names, copied to the memory of a device.
struct HandedNumbers {
  std::string_view key;
  const double* at;

  bool operator==(const HandedNumbers&) const = default;
};

}  // namespace srcextract
