#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "io/image/fits_image.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Calls f(); prefixes an Error that it throws with `where`, a place in the configuration.
template <class F>
void said_at(const std::string& where, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    throw Error(error.kind(), where + ": " + error.what());
  }
}

/// A frame of the sky, opened: one plane of an image or, where `combine` asks for it, several planes of one shape.
class OpenFrame {
 public:
  /// `path` is the file of `image`. Also opens the other planes and files of the frame. Throws Error{input} if a plane,
  /// an HDU or a file is missing, cannot be used, or has another shape. Throws Error{config} if there are too few or
  /// too many planes. Both messages begin with the place in the configuration that asks for it. Throws Error{memory} if
  /// the gzipped ones among the further files have more than `most_inflated` bytes together.
  OpenFrame(FitsImage image, const std::string& path, const Config& config,
            std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max());

  /// The first image; its header and WCS are the frame's.
  const FitsImage& image() const { return images_.front(); }

  const std::vector<PixelSource>& planes() const { return planes_; }
  /// Numbers of the planes in image()'s cube, from 1. If planes come from several images, only the number in the first
  /// image.
  const std::vector<std::int64_t>& plane_numbers() const { return plane_numbers_; }
  /// Weights of the channels that were combined into the only plane (combine_channels); empty otherwise.
  const std::vector<double>& weights() const { return weights_; }
  const PixelSource& first() const { return planes_.front(); }

  /// The part of `most_inflated` that is left.
  std::int64_t most_inflated() const { return most_inflated_; }

  /// FitsImage::datasum() of the first plane.
  std::uint32_t datasum() const { return image().datasum(plane_numbers_.front()); }

  /// FitsImage::require_unchanged() of all its files.
  void require_unchanged() const {
    for (const FitsImage& image : images_) image.require_unchanged();
  }

  /// Names of the combined parts for messages and the report: "plane 2", "HDU SCI2", "the image", "r.fits". Empty if
  /// nothing was combined.
  const std::vector<std::string>& combined() const { return combined_; }

 private:
  void add_channels(const std::string& path, const Config& config);
  void add_planes(const std::vector<std::int64_t>& numbers, const Config& config);
  void add_images(const std::string& key, const std::vector<std::pair<std::string, HduNames>>& files_and_hdus,
                  const Config& config);
  FitsImage open_another(const std::string& path, const HduNames& hdu);
  void require_one_shape(const std::string& where) const;

  std::vector<FitsImage> images_;
  std::int64_t most_inflated_;  ///< bytes that gzipped files may still take in memory
  std::vector<std::int64_t> plane_numbers_;
  std::vector<PixelSource> planes_;
  std::vector<double> weights_;
  std::vector<std::string> combined_;
};

}  // namespace srcextract
