#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "io/files/passing.hpp"
#include "io/image/fits_image.hpp"
#include "pipeline/exposure/padding.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Returns f(). If f() throws an Error, rethrows it with `where`, a place in the configuration, before the message.
template <class F>
auto said_at(const std::string& where, F&& f) {
  try {
    return f();
  } catch (const PassingError& error) {
    throw PassingError(where + ": " + error.what());
  } catch (const Error& error) {
    throw Error(error.kind(), where + ": " + error.what());
  }
}

/// An open image of the sky: one plane, or several planes of one shape that the configuration's section `combine`
/// combines.
class OpenFrame {
 public:
  /// Opens the frame that begins with `image`, whose file is `path`: also the other planes and files that `config`
  /// names.
  ///
  /// Throws Error{input} if a plane, an HDU or a file is missing, cannot be used, or has another shape. Throws
  /// Error{config} if there are too few or too many planes. If planes are combined, both messages begin with the place
  /// in the configuration.
  /// Throws Error{memory} if the gzipped files besides `path` inflate to more than `most_inflated` bytes together.
  OpenFrame(FitsImage image, const std::string& path, const Config& config,
            std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max());

  /// The first image. Its header and WCS are those of the frame.
  const FitsImage& image() const { return images_.front(); }
  /// Warning about SIP terms of image() (settle_sip); empty if there is none. The header is as wcs.sip has it.
  const std::string& sip_warning() const { return sip_warnings_.front(); }

  const std::vector<PixelSource>& planes() const { return planes_; }
  /// Numbers of the planes in image(), from 1. If the planes come from several images, contains only the plane of the
  /// first.
  const std::vector<std::int64_t>& plane_numbers() const { return plane_numbers_; }
  /// Weights of the channels that were combined into one plane (combine_channels); empty in all other cases.
  const std::vector<double>& weights() const { return weights_; }
  const PixelSource& first() const { return planes_.front(); }
  /// The format of the first plane as it is stored, which is not that of first() if integers are masked as padding.
  const PixelFormat& stored_format() const { return stored_format_; }

  /// The padding of all planes together, which is masked in planes(): one entry for each value.
  const std::vector<PaddingValue>& padding() const { return padding_; }
  /// The most common of the values inside that may be padding and are not masked.
  const std::optional<CommonValue>& left_padding() const { return left_padding_; }
  /// The least value of a plane, if many pixels have it and it is data (Padding::of_data).
  const std::optional<float>& value_of_data() const { return value_of_data_; }

  /// Number of bytes that the gzipped files of this frame leave of `most_inflated`.
  std::int64_t most_inflated() const { return most_inflated_; }

  /// FitsImage::datasum() of the first plane.
  std::uint32_t datasum() const { return image().datasum(plane_numbers_.front()); }

  /// Calls FitsImage::forget_reads() for the first plane.
  void forget_reads() const { image().forget_reads(plane_numbers_.front()); }

  /// Calls FitsImage::require_unchanged() for all files of the frame.
  void require_unchanged() const {
    for (const FitsImage& image : images_) image.require_unchanged();
  }

  /// Names of what was combined, for messages and the run record: "plane 2", "HDU SCI2", "the image", "r.fits". Empty
  /// if nothing was combined.
  const std::vector<std::string>& combined() const { return combined_; }

 private:
  void add_channels(const std::string& path, const Config& config);
  void add_planes(const std::vector<std::int64_t>& numbers, const Config& config);
  void add_images(const std::string& key, const std::vector<std::pair<std::string, HduNames>>& files_and_hdus,
                  const Config& config);
  /// Adds a plane of an image, with its padding masked.
  void add_plane(const FitsImage& image, std::int64_t number, const Config& config);
  FitsImage open_another(const std::string& path, const HduNames& hdu, const ImageNeeds& needs);
  void keep(FitsImage image, const Config& config);
  void require_one_shape(const std::string& where) const;

  std::vector<FitsImage> images_;
  std::vector<std::string> sip_warnings_;  ///< of each image
  std::int64_t most_inflated_;             ///< bytes that gzipped files opened later may take when inflated
  std::vector<std::int64_t> plane_numbers_;
  std::vector<PixelSource> planes_;
  PixelFormat stored_format_;
  std::vector<PaddingValue> padding_;
  std::optional<CommonValue> left_padding_;
  std::optional<float> value_of_data_;
  std::vector<double> weights_;
  std::vector<std::string> combined_;
};

/// Whether the first image has a celestial WCS that can be used.
bool has_celestial_wcs(const OpenFrame& frame);

}  // namespace srcextract
