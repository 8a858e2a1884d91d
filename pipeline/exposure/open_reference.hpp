#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "config/config.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The frame that `srcextract difference` subtracts, opened.
struct OpenReference {
  std::string path;
  OpenFrame frame;
  std::shared_ptr<const ReferenceFrame> subtracted;  ///< for the stages
};

/// The configuration as a difference is extracted with it: changes are shown as they were found, pixels and not
/// ellipses. Throws Error{config} if sources of a difference cannot be found with it: below zero both of its sides are
/// everywhere, and files that both frames were combined with would be subtracted from themselves.
Config difference_config(Config config);

/// Opens the reference of a new frame, which is called `name`, and finds out how their pixels lie. Where input.hdu
/// may select several it is the HDU of the same number. Throws Error{input}
/// if the reference cannot be read, if the frames do not show the same sky pixel by pixel and difference.align does not
/// say what to do about it, or if their WCS cannot tell; Error{memory} if it has more than `most_inflated` bytes,
/// gzipped.
OpenReference open_reference(const std::string& path, const OpenFrame& fresh, const std::string& name,
                             const Config& config, const Cpu& where,
                             std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
