#pragma once

#include <string_view>

namespace srcextract {

/// What the pixel values of an image stand for. Electrons are also photons that were detected. Calibrated are fluxes,
/// surface brightnesses and temperatures. Magnitudes are logarithms of any base.
enum class ValueKind { counts, electrons, calibrated, magnitudes, unknown };

struct ValueUnit {
  ValueKind kind = ValueKind::counts;
  double factor = 1;        ///< counts or electrons in a value of 1; of a rate: in each second
  bool per_second = false;  ///< whether the values are rates
};

/// Finds out what pixel values stand for by the text of BUNIT. Accepts the spellings of observatories in any case:
/// "e-/s", "ELECTRONS/SEC", "adu per second", "cps", "nanomaggies", "microJy". An empty text means counts. A text that
/// is no FITS unit is judged by the words in it.
ValueUnit value_unit(std::string_view bunit);

}  // namespace srcextract
