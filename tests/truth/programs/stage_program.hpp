#pragma once

#include <exception>
#include <iostream>
#include <string>

#include "stages/core/error.hpp"
#include "tests/support/backends.hpp"

namespace srcextract::testing {

/// Calls work(Backend) with the back end of that name; what main returns.
template <class Work>
int work_on(const std::string& program, const std::string& backend, const Work& work) {
  try {
    if (backend == "cpu") {
      work(Backend<Cpu>());
#if SRCEXTRACT_HAVE_CUDA
    } else if (backend == "cuda") {
      work(Backend<Gpu>());
#endif
    } else {
      throw Error(ErrorKind::config, "no back end '" + backend + "' in this build");
    }
    return std::cout.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
}

/// The same with the back end that `--backend` names, or the CPU's.
template <class Work>
int work_on_backend(const std::string& program, int argc, char** argv, const Work& work) {
  return work_on(program, argc == 3 && std::string(argv[1]) == "--backend" ? argv[2] : "cpu", work);
}

}  // namespace srcextract::testing
