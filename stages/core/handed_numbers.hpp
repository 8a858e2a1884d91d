#pragma once

#include <string_view>

namespace srcextract {

/// The numbers of a file named by a key, copied to the memory of a device.
struct HandedNumbers {
  std::string_view key;
  const double* at;

  bool operator==(const HandedNumbers&) const = default;
};

}  // namespace srcextract
