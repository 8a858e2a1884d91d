#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/catalogue/vignets.hpp"

namespace srcextract {

/// Cuts SExtractor's VIGNET: pixels of the image minus the sky (CheckData::above) around the pixel that contains
/// X_IMAGE, Y_IMAGE. If that pixel is outside the image, the brightest pixel is the centre. no_vignet_pixel replaces
/// pixels that are outside the image or masked. Unless measurement.mask is `none`, it also replaces detected pixels of
/// other sources. For sources fainter than the sky the values are negated, as the fluxes are. Empty if
/// `config.output.columns` does not ask for it.
Vignets cut_vignets(const Extraction& extraction, const Config& config, const Cpu& where = {});

}  // namespace srcextract
