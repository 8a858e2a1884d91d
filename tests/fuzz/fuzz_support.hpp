#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>

#include "stages/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

/// Functions that the targets of the fuzzer share. A target is a function fuzz_NAME() in the file fuzz_NAME.cpp;
/// fuzz_main.cpp calls it.
namespace srcextract::testing {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process, so that the fuzzer keeps the input, and says why.
[[noreturn]] inline void finding(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

inline void require(bool holds, const char* what) {
  if (!holds) finding(what);
}

/// Calls f. Input that is wrong is answered by an Error of one of these kinds with a message; any other exception is a
/// finding. Returns false if it was refused.
template <class F>
bool read_or_refused(std::initializer_list<ErrorKind> kinds, F&& f) {
  try {
    f();
    return true;
  } catch (const Error& error) {
    for (const ErrorKind kind : kinds)
      if (error.kind() == kind && *error.what() != '\0') return false;
    finding(std::string("an error of kind ") + kind_name(error.kind()) + ": " + error.what());
  } catch (const std::exception& error) {
    finding(std::string("an exception that is no Error: ") + error.what());
  }
}

/// The input as a file of this name, in a folder that goes with the process. TMPDIR says where: scripts/fuzz.sh puts it
/// into memory.
inline std::string input_file(std::string_view input, const std::string& name) {
  static const TemporaryFolder folder;
  std::string path = folder / name;
  // Another inode each time, for what remembers files.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << input;
  return path;
}

/// Lines as cards of 80 columns, with an END: what is changed in one card then leaves the others where they are.
inline std::string cards_of(std::string_view lines) {
  std::string cards;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    std::string card(lines.substr(0, end));
    card.resize(80, ' ');
    cards += card;
    lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
  }
  std::string last = "END";
  last.resize(80, ' ');
  return cards + last;
}

}  // namespace srcextract::testing
