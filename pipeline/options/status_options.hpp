#pragma once

#include <string>

namespace srcextract {

struct StatusCommand {
  enum class Form { text, json, prometheus };

  std::string directory;
  Form form = Form::text;
  std::string answer;  ///< the only text to print (--help); empty: none
};

/// Parses the options of `srcextract status`. Throws Error{config} if the arguments are invalid.
StatusCommand parse_status_options(int argc, const char* const* argv);

}  // namespace srcextract
