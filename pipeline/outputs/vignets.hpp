#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/catalogue/vignets.hpp"

namespace srcextract {

/// Cuts SExtractor's VIGNET: pixels of the image minus the sky (CheckData::above) around the pixel that contains
/// X_IMAGE, Y_IMAGE, or around the brightest pixel if that position is outside the image. Pixels outside the image and
/// masked pixels become no_vignet_pixel. Unless measurement.mask is `none`, so do detected pixels that do not belong to
/// the source. Values of sources fainter than the sky are negated, like their fluxes. The result is empty if
/// `config.output.columns` has no VIGNET.
Vignets cut_vignets(const Extraction& extraction, const Config& config, const Cpu& where = {});

}  // namespace srcextract
