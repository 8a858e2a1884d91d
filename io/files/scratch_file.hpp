#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace srcextract {

/// An unnamed file on disk for temporary data, which the system removes when the process ends. Throws Error{output} or
/// Error{storage}.
class ScratchFile {
 public:
  /// Creates the file in this directory, or in the current directory if the name is empty.
  explicit ScratchFile(const std::string& directory);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(std::span<const std::byte> bytes);

  /// Reads out.size() bytes from `offset` on. Throws if the file ends earlier.
  void read(std::int64_t offset, std::span<std::byte> out) const;

  int descriptor() const { return descriptor_; }
  std::int64_t size() const { return size_; }

 private:
  std::string directory_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace srcextract
