#pragma once

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

/// Throws Error{input} with the reason why an input file cannot be used.
[[noreturn]] inline void refuse(const std::string& reason) {
  throw Error(ErrorKind::input, reason);
}

/// Throws Error{input} with the message "WHERE: PROBLEM", in which WHERE is a file, or a place in a file.
[[noreturn]] inline void refuse(const std::string& where, const std::string& problem) {
  refuse(where + ": " + problem);
}

/// Throws Error{input} for a header that violates the FITS Standard.
[[noreturn]] inline void refuse_header(const std::string& where, const std::string& problem) {
  refuse(where, problem + "; the header is damaged or not valid FITS; correct it, or make the file again");
}

}  // namespace srcextract
