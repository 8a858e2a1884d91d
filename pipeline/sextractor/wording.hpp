#pragma once

#include <string>

namespace srcextract {

/// A message with SExtractor's keys in place of srcextract's: GAIN for measurement.gain. Keys without a counterpart
/// stay, and the message ends with an explanation of them.
std::string in_sextractors_words(const std::string& message);

}  // namespace srcextract
