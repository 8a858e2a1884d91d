#include "pipeline/batch/status_command.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <string>

#include "pipeline/batch/status_report.hpp"
#include "pipeline/log/log.hpp"

namespace srcextract {

int run_status(const StatusCommand& command) {
  if (!command.answer.empty()) {
    print_result(command.answer);
    return 0;
  }
  configure_log(Verbosity::normal, "", false);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const SurveyStatus survey =
      survey_status(command.directory, std::chrono::duration_cast<std::chrono::seconds>(now).count(),
                    [](const std::string& text) { spdlog::warn("{}", text); });
  switch (command.form) {
    case StatusCommand::Form::text:
      print_result(status_text(command.directory, survey));
      break;
    case StatusCommand::Form::json:
      print_result(status_json(command.directory, survey));
      break;
    case StatusCommand::Form::prometheus:
      print_result(status_metrics(command.directory, survey));
      break;
  }
  return 0;
}

}  // namespace srcextract
