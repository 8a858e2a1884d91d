#include "pipeline/outputs/picture_file.hpp"

#include "io/pictures/png_file.hpp"
#include "stages/picture/overlay.hpp"

namespace srcextract {
namespace {

/// Draws the sources over the picture, as ellipses or as tinted pixels.
ColourPicture draw_overlay(const Extraction& extraction, Overlay overlay, const Cpu& where) {
  const Picture& picture = *extraction.picture;
  if (overlay == Overlay::ellipses) return draw_ellipses(extraction.sources, picture, where);
  const Tint tint = extraction.difference ? Tint::red : Tint::sky_blue;
  return tint_pixels(extraction.runs, extraction.label, tint, picture, where);
}

}  // namespace

OutputFile write_picture(const std::string& path, const Extraction& extraction, const QuicklookConfig& config,
                         const Cpu& where) {
  if (config.overlay == Overlay::none) return write_png(path, extraction.picture->grey);
  const ColourPicture drawn = draw_overlay(extraction, config.overlay, where);
  return write_png(path, drawn.image, drawn.palette);
}

}  // namespace srcextract
