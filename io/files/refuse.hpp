#pragma once

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

/// Throws Error{input}: an input file cannot be used, for this reason.
[[noreturn]] inline void refuse(const std::string& reason) {
  throw Error(ErrorKind::input, reason);
}

/// The same of a file, or of a place in one.
[[noreturn]] inline void refuse(const std::string& where, const std::string& problem) {
  refuse(where + ": " + problem);
}

/// The same where a header says what FITS does not allow.
[[noreturn]] inline void refuse_header(const std::string& where, const std::string& problem) {
  refuse(where, problem + "; the header is damaged or not valid FITS");
}

}  // namespace srcextract
