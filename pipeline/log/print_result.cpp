#include "pipeline/log/print_result.hpp"

#include <cstdio>

#include "stages/core/error.hpp"

namespace srcextract {

void print_result(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) == EOF)
    throw Error(ErrorKind::output, "cannot write to standard output");
}

}  // namespace srcextract
