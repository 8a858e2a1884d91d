#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/catalogue/vignets.hpp"

namespace srcextract {

/// SExtractor's VIGNET: pixels above the sky (CheckData::above) around the pixel that X_IMAGE, Y_IMAGE is in, or the
/// brightest one where that is none of the image. no_vignet_pixel stands for what is outside of the image, masked, or,
/// unless measurement.mask is `none`, detected and not the source's own. Of a source that is fainter than the sky they
/// are negated, as its fluxes are. Nothing where `config.output.columns` does not ask for it.
Vignets cut_vignets(const Extraction& extraction, const Config& config, const Cpu& where = {});

}  // namespace srcextract
