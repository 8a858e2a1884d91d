#pragma once

#include <string>

namespace srcextract {

/// Replaces srcextract's keys in a message by SExtractor's, as measurement.gain by GAIN. Keys without an equivalent
/// stay; an explanation of these keys is added to the end of the message.
std::string in_sextractors_words(const std::string& message);

}  // namespace srcextract
