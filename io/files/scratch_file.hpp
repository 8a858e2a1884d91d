#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace srcextract {

/// Bytes that are put aside on disk, in a file without a name, which is gone with the process however that ends. Throws
/// Error{output}.
class ScratchFile {
 public:
  /// In this directory.
  explicit ScratchFile(const std::string& directory);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(std::span<const std::byte> bytes);

  /// As many bytes as `out` has room for, from `offset` on.
  void read(std::int64_t offset, std::span<std::byte> out) const;

  std::int64_t size() const { return size_; }

 private:
  std::string directory_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace srcextract
