#pragma once

#include <string>
#include <vector>

#include "pipeline/backend.hpp"

namespace srcextract {

/// What the user asked for.
struct CommandLine {
  std::string config;
  std::vector<std::string> images;
  std::string output_dir = ".";
  Backend backend = Backend::automatic;
  int device = 0;
  int threads = 1;
  std::vector<std::string> settings;  ///< dotted.key=value, applied to the configuration
  bool dump_config = false;
  bool quiet = false;
  bool verbose = false;
  std::string log_file;                ///< empty: none
  std::vector<std::string> arguments;  ///< as typed, the program's name first
  std::string answer;                  ///< not empty: all that was asked for is this text (--help, --version)
};

/// Throws Error{config} if the arguments make no sense.
CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace srcextract
