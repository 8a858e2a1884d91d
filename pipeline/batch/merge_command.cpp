#include "pipeline/batch/commands.hpp"

#include <spdlog/spdlog.h>

#include <string>

#include "pipeline/log/log.hpp"
#include "pipeline/outputs/report/survey_page.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {

int run_merge(const MergeCommand& command) {
  configure_log(command.verbosity, "", false);
  MergeOptions options = command.options;
  if (command.report) options.make_page = make_survey_page;
  const Merged merged = merge_surveys(options, log_warning);
  spdlog::info("{}, {} failed, {} -> {}{}", counted(merged.images, "image"), merged.failures,
               counted(merged.sources, "source"), options.output,
               command.report ? ", " + survey_page_path(options.output) : "");
  for (const auto& [path, rows] : merged.components) spdlog::info("{} -> {}", counted(rows, "component"), path);
  return 0;
}

}  // namespace srcextract
