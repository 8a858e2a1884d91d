#include "pipeline/batch/merge_command.hpp"

#include <spdlog/spdlog.h>

#include <string>

#include "pipeline/log/print_result.hpp"

namespace srcextract {

int run_merge(const MergeCommand& command) {
  if (!command.answer.empty()) {
    print_result(command.answer);
    return 0;
  }
  configure_log(command.verbosity, "", false);
  const Merged merged = merge_surveys(command.options, [](const std::string& text) { spdlog::warn("{}", text); });
  spdlog::info("{} images, {} failed, {} sources -> {}", merged.images, merged.failures, merged.sources,
               command.options.output);
  return 0;
}

}  // namespace srcextract
