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

/// The files of a survey, about eighty bytes for each of a million. Files share directory names, and neighbours share
/// configurations. Returned values are copies. Several threads may read at once; one thread may add. A copy of all
/// takes four bytes a file until one of both is changed.
class ImageFiles {
 public:
  using value_type = ImageFile;

  ImageFiles() = default;
  ImageFiles(std::initializer_list<ImageFile> files);

  void push_back(const ImageFile& file);

  std::size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }
  ImageFile operator[](std::size_t i) const;

  /// Single members, cheaper than []. The name stays at its address.
  std::string_view name(std::size_t i) const;
  std::int64_t bytes(std::size_t i) const;
  FileIdentity identity(std::size_t i) const;

  /// Sets size, time and identity. Several threads may set those of different files, if there is no copy of all.
  void set_status(std::size_t i, const FileStatus& status);

  /// Keeps only these, in this order.
  void select(const std::vector<std::size_t>& which);

  ByIndex<ImageFiles> begin() const { return {*this, 0}; }
  ByIndex<ImageFiles> end() const { return {*this, size()}; }

 private:
  void separate();

  std::shared_ptr<PackedBytes> packed_ = std::make_shared<PackedBytes>();
  std::vector<PackedBytes::Place> places_;
  std::vector<std::shared_ptr<const ImageConfig>> configs_;  ///< each once where neighbours share it
  std::vector<std::shared_ptr<const FilesBeside>> besides_;
};

}  // namespace srcextract
