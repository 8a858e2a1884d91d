#include "pipeline/progress.hpp"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <cstdio>

namespace srcextract {

void Progress::begin_file(const std::string& path) {
  ++file_;
  begin_image(path);
}

void Progress::begin_image(const std::string& name) {
  line_ = fmt::format("[{}/{}] {}:", file_, files_, name);
  draw();
}

void Progress::stage_done(const std::string& stage) {
  line_ += " " + stage;
  draw();
}

void Progress::clear() const {
  if (visible_) std::fputs(clear_line, stderr);
}

void Progress::draw() const {
  if (visible_) std::fprintf(stderr, "%s%s", clear_line, line_.c_str());
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace srcextract
