#pragma once

#include <string>

namespace srcextract {

/// A message with SExtractor's keys in the place of ours, for who has typed those: GAIN for measurement.gain. Keys of
/// ours that it has none for stay, and the message ends with what they are.
std::string in_sextractors_words(const std::string& message);

}  // namespace srcextract
