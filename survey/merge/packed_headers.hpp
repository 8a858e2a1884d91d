#pragma once

#include <cstddef>
#include <vector>

#include "io/fits/header_values.hpp"
#include "survey/inputs/packed_bytes.hpp"

namespace srcextract {

/// Keywords of an image's header and their values, as the image's catalogue has them.
using ImageHeader = std::vector<HeaderValue>;

/// The header keywords of all images, in the order of the images, in packed form. Returned headers are copies.
class PackedHeaders {
 public:
  PackedHeaders() = default;
  PackedHeaders(const std::vector<ImageHeader>& headers);

  void add(const ImageHeader& header);

  std::size_t size() const { return places_.size(); }
  ImageHeader operator[](std::size_t i) const;

 private:
  PackedBytes bytes_;
  std::vector<PackedBytes::Place> places_;
};

}  // namespace srcextract
