#pragma once

#include "config/config.hpp"
#include "stages/clean/clean_sources.hpp"
#include "stages/detect/label.hpp"
#include "stages/measure/parentage.hpp"
#include "stages/photometry/families.hpp"

namespace srcextract {

/// The image in which sources were found, where another is measured.
template <class Where>
struct FoundImage {
  const Image<float, Where>& image;
  const Image<float, Where>& variance;
  const Value<Levels, Where>& levels;
  const WeightsConfig& weights;  ///< of its variance
};

/// What sources are measured in.
template <class Where>
struct PhotometryInput {
  const Image<float, Where>& image;     ///< NaN: bad
  const Image<float, Where>& variance;  ///< of its pixels; empty: they are alike
  const Value<Levels, Where>& levels;
  const Runs<Where>& runs;
  const Components<Where>& components;          ///< sources without what they ate
  const Buffer<SourceSums, Where>& sums;        ///< over these, where sources were found
  const Buffer<Parentage, Where>& parentage;    ///< empty: nothing was deblended
  const Buffer<Eaten, Where>* eaten = nullptr;  ///< whether a run was; null: none
  const FoundImage<Where>* found_in = nullptr;  ///< null: `image` itself
  /// Of each source, where thresholds are counted in the noise that a mesh has for each pixel; else null.
  const Buffer<float, Where>* least_variance = nullptr;
};

/// Whose every pixel is: the label of its run, unclaimed_pixel for those of label 0, and nobodys_pixel in no run, or in
/// one that was eaten and left free.
Image<std::int32_t, Cpu> map_owners(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where,
                                    const Buffer<Eaten, Cpu>* eaten = nullptr);
Image<std::int32_t, Gpu> map_owners(const Runs<Gpu>& runs, const Components<Gpu>& components, const Gpu& where,
                                    const Buffer<Eaten, Gpu>* eaten = nullptr);

/// The stage: measures every source by the families of which `config` asks for a column. On a device there are rows for
/// as many sources as there is room for; what is beyond is left out.
Photometry<Cpu> measure_photometry(const PhotometryInput<Cpu>& input, const Config& config, const Cpu& where);
Photometry<Gpu> measure_photometry(const PhotometryInput<Gpu>& input, const Config& config, const Gpu& where);

}  // namespace srcextract
