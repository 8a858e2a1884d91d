#include "tests/support/source_dir.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace srcextract::testing {

// SRCEXTRACT_BUILT_FROM is defined for this file alone, so that every test finds its files through these functions.
std::string source_dir() {
  const char* named = std::getenv("SRCEXTRACT_SOURCE_DIR");
  return named != nullptr ? named : SRCEXTRACT_BUILT_FROM;
}

std::string source_file(const std::string& name) {
  const std::string path = source_dir() + "/" + name;
  if (!std::ifstream(path))
    throw std::runtime_error("cannot read " + path + ": SRCEXTRACT_SOURCE_DIR must name the folder that has " + name);
  return path;
}

std::string source_text(const std::string& name) {
  std::ifstream file(source_file(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace srcextract::testing
