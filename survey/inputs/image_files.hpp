#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "survey/inputs/by_index.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/inputs/packed_bytes.hpp"

namespace srcextract {

/// The files of a survey, packed to about 80 bytes per file for surveys of millions of files. Directory names are
/// stored once, and consecutive files with the same configuration share it. Returned values are copies. Several threads
/// may read at a time; only one may add files, and only while none reads. Copies of a list share the packed bytes, at 4
/// bytes per file, until a file is added to one of the lists.
class ImageFiles {
 public:
  using value_type = ImageFile;

  ImageFiles() = default;
  ImageFiles(std::initializer_list<ImageFile> files);

  void push_back(const ImageFile& file);

  std::size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }
  ImageFile operator[](std::size_t i) const;

  /// Single members of file i, which are cheaper than operator[]. The view of the name stays valid as long as the list
  /// exists.
  std::string_view name(std::size_t i) const;
  std::int64_t bytes(std::size_t i) const;
  FileIdentity identity(std::size_t i) const;

  /// Sets size, modification time and identity of file i, also in lists that share the packed bytes. Several threads
  /// may do so for different files.
  void set_status(std::size_t i, const FileStatus& status);

  /// Keeps only the files with these indices, in this order.
  void select(const std::vector<std::size_t>& which);

  ByIndex<ImageFiles> begin() const { return {*this, 0}; }
  ByIndex<ImageFiles> end() const { return {*this, size()}; }

 private:
  void separate();

  std::shared_ptr<PackedBytes> packed_ = std::make_shared<PackedBytes>();
  std::vector<PackedBytes::Place> places_;
  std::vector<std::shared_ptr<const ImageConfig>> configs_;  ///< stored once for consecutive files that share it
  std::vector<std::shared_ptr<const FilesBeside>> besides_;
};

}  // namespace srcextract
