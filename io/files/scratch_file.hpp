#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace srcextract {

/// Bytes stored on disk in an unnamed file, which vanishes with the process. Throws Error{output} or Error{storage}.
class ScratchFile {
 public:
  /// Opens the file in this directory.
  explicit ScratchFile(const std::string& directory);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(std::span<const std::byte> bytes);

  /// Reads out.size() bytes from `offset` on.
  void read(std::int64_t offset, std::span<std::byte> out) const;

  int descriptor() const { return descriptor_; }
  std::int64_t size() const { return size_; }

 private:
  std::string directory_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace srcextract
