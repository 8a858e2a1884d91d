#include "pipeline/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "pipeline/progress.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* terminal_pattern = "%^%l%$: %v";
constexpr const char* file_pattern = "%Y-%m-%dT%H:%M:%S.%e%z %l: %v";

spdlog::sink_ptr file_sink(const std::string& path) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    sink->set_pattern(file_pattern);
    return sink;
  } catch (const spdlog::spdlog_ex& error) {
    throw Error(ErrorKind::output, path + ": cannot write the log file: " + error.what());
  }
}

spdlog::level::level_enum level_of(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::quiet:
      return spdlog::level::warn;
    case Verbosity::verbose:
      return spdlog::level::debug;
    case Verbosity::normal:
      break;
  }
  return spdlog::level::info;
}

}  // namespace

void log_to_stderr() {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  sink->set_pattern(terminal_pattern);
  auto logger = std::make_shared<spdlog::logger>("srcextract", sink);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

void configure_log(Verbosity verbosity, const std::string& file, bool progress) {
  spdlog::logger& logger = *spdlog::default_logger();
  logger.set_level(level_of(verbosity));
  if (progress) logger.sinks().front()->set_pattern(std::string(Progress::clear_line) + terminal_pattern);
  if (!file.empty()) logger.sinks().push_back(file_sink(file));
}

void log_error(const std::string& message) {
  spdlog::error("{}", message);
}

}  // namespace srcextract
