#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/config.hpp"

namespace srcextract {

/// The headers of a frame for which a gain is searched.
struct FrameHeaders {
  const std::string& name;  ///< the frame's name in messages
  std::string_view header;
  std::string_view primary_header;
  bool has_other = false;  ///< whether another frame's gain counts if this header has none
};

/// How many electrons a pixel value of 1 stands for, and how this is known.
struct FrameGain {
  double gain = 0;  ///< 0: not known, or infinite as in SExtractor: errors get no photon noise
  std::string reason = {};
  bool by_header = false;  ///< whether the header told the gain, by a keyword or by its unit
  bool has_none = false;   ///< whether the header told that its keyword is not the gain of such values
};

/// The number of a keyword in the header: of the HDU, else of the primary HDU.
struct HeaderNumber {
  double value = 0;
  std::string text = {};  ///< as messages show the value: "100", "'high'"
  bool usable = false;    ///< whether it is a finite number of at least 0, in a text or not
  bool is_text = false;
};
std::optional<HeaderNumber> number_in_header(const FrameHeaders& frame, const std::string& keyword);

/// Finds the gain by these rules; the first that applies counts:
/// - measurement.gain_keyword is `none`: measurement.gain, whatever the unit is.
/// - config.kept.as_sextractor: the keyword, else measurement.gain, as SExtractor does.
/// - BUNIT is a flux, a surface brightness, a temperature or a magnitude: measurement.gain alone.
/// - The header has no usable number of the keyword, and measurement.gain is not 0: measurement.gain.
/// - BUNIT is in electrons or photons: 1. BUNIT is a rate of them: the exposure time.
/// - The keyword, but EGAIN where the keyword is GAIN and EGAIN differs. Times the exposure time if BUNIT is a rate.
///
/// Logs a warning if the header has a keyword that cannot be used, and information if it has none.
FrameGain find_gain(const Config& config, const FrameHeaders& frame);

}  // namespace srcextract
