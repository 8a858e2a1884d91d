#pragma once

#include <sys/wait.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/image/fits_image.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Behind the last HDU of a file anything may stand. With this it is no small file, which would be read at once.
inline const std::string far_end(std::size_t{1} << 17, '\0');

inline std::vector<std::string> read_lines(const std::string& path) {
  std::istringstream text(read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// The images that `hdu` selects, all of which can be opened.
inline std::vector<FitsImage> open_fits_images(const std::string& path, const std::string& hdu) {
  std::vector<FitsImage> images;
  for (const SelectedImage& selected : select_images(path, hdu)) images.push_back(selected.open());
  return images;
}

/// Exit status and what the shell command printed, on either stream.
inline std::pair<int, std::string> run_command(const std::string& command) {
  FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string output;
  for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

/// The Python that peers run in; SRCEXTRACT_PYTHON names another.
inline std::string python() {
  const char* named = std::getenv("SRCEXTRACT_PYTHON");
  return named != nullptr ? named : SRCEXTRACT_TEST_PYTHON;
}

inline bool have_astropy() {
  return run_command(python() + " -c 'import astropy'").first == 0;
}
inline bool have_fitsverify() {
  return run_command("command -v fitsverify").first == 0;
}
inline bool have_source_extractor() {
  return run_command("command -v source-extractor").first == 0;
}

/// Runs a script with warnings as errors; `path` is its argument. Returns what it printed: unbuffered, lest what is
/// said on the way out of errors stand within a line.
inline std::pair<int, std::string> run_python(const TemporaryFolder& directory, const std::string& script,
                                              const std::string& path) {
  std::ofstream(directory / "script.py") << script;
  return run_command(python() + " -u -W error '" + (directory / "script.py") + "' '" + path + "'");
}

}  // namespace srcextract::testing
