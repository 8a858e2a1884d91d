#pragma once

#include <string>

namespace srcextract {

/// Options of `srcextract status`.
struct StatusCommand {
  enum class Form { text, json, prometheus };

  std::string directory;
  Form form = Form::text;
  std::string answer;  ///< the only requested output (--help); empty: none
};

/// Throws Error{config} if the arguments make no sense.
StatusCommand parse_status_options(int argc, const char* const* argv);

}  // namespace srcextract
