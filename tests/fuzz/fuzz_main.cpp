#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/fuzz/fuzz_support.hpp"

// fuzz_targets.inc, which CMake writes, has a line TARGET(NAME) for each file fuzz_NAME.cpp.
#define TARGET(name) int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef TARGET

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

Target chosen = nullptr;

}  // namespace

/// Chooses the target by the name of the program: fuzz_NAME is a link to it. One program for all targets compiles and
/// links in a fraction of the time of one each.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** arguments) {
  const std::string name = std::filesystem::path(**arguments).filename();
#define TARGET(target) \
  if (name == "fuzz_" #target) chosen = fuzz_##target;
#include "fuzz_targets.inc"
#undef TARGET
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "%s: no target has this name; the program is called by one of the links fuzz_NAME\n",
               name.c_str());
  std::exit(2);
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return chosen(data, size);
}
