#include "pipeline/log/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <system_error>
#include <utility>

#include "io/files/passing.hpp"
#include "pipeline/log/held_messages.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/log/progress.hpp"
#include "stages/core/error.hpp"
#include "stages/core/named_pipe.hpp"

namespace srcextract {
namespace {

// %* stands for the message after printable(), see PrintableMessage.
constexpr const char* terminal_pattern = "%^%l%$: %*";
constexpr const char* file_pattern = "%Y-%m-%dT%H:%M:%S.%e%z %l: %*";

std::string as_it_is(const std::string& text) {
  return text;
}

/// The logger of the program. What it holds back, HeldMessages logs later.
class HoldingLogger : public spdlog::logger {
 public:
  using spdlog::logger::logger;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!hold_message(message.level, {message.payload.data(), message.payload.size()}))
      spdlog::logger::sink_it_(message);
  }
};

/// The function that rewrites all messages, which say_by() sets.
auto& wording() {
  static std::string (*words)(const std::string&) = as_it_is;
  return words;
}

class PrintableMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    const std::string text = printable(wording()({message.payload.data(), message.payload.size()}));
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override { return std::make_unique<PrintableMessage>(); }
};

void set_pattern(spdlog::sinks::sink& sink, const std::string& pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('*').set_pattern(pattern);
  sink.set_formatter(std::move(formatter));
}

/// Logs that a call on a file or directory failed and is tried again. Logs only the first 20 calls of a run, since a
/// failing file server causes many.
void warn_of_passing(const std::string& path, int reason) {
  constexpr int most = 20;
  static std::atomic<int> told = 0;
  const int before = told++;
  const MessagesAbout none("");  // it is told at once
  if (before < most)
    spdlog::warn("{}: {}; tried again{}", path, std::generic_category().message(reason),
                 before == most - 1 ? "; further ones are not named" : "");
}

spdlog::sink_ptr file_sink(const std::string& path) {
  if (is_named_pipe(path) && !open_to_reader(path))
    throw Error(ErrorKind::output, path + ": the log file is a named pipe that no process reads; name a file");
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    set_pattern(*sink, file_pattern);
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
  const char* const no_colour = std::getenv("NO_COLOR");  // https://no-color.org
  const bool plain = no_colour != nullptr && *no_colour != '\0';
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(plain ? spdlog::color_mode::never
                                                                          : spdlog::color_mode::automatic);
  set_pattern(*sink, terminal_pattern);
  auto logger = std::make_shared<HoldingLogger>("srcextract", sink);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
  tell_passing = warn_of_passing;
}

void configure_log(Verbosity verbosity, const std::string& file, bool progress) {
  spdlog::logger& logger = *spdlog::default_logger();
  spdlog::sinks::sink& terminal = *logger.sinks().front();
  terminal.set_level(level_of(verbosity));
  if (progress) set_pattern(terminal, std::string(Progress::clear_line) + terminal_pattern);
  logger.set_level(file.empty() ? level_of(verbosity) : std::min(level_of(verbosity), spdlog::level::info));
  if (!file.empty()) logger.sinks().push_back(file_sink(file));
}

void say_by(std::string (*words)(const std::string&)) {
  wording() = words;
}

void print_result(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) != EOF && std::fflush(stdout) != EOF) return;
  // The reader of a pipe, such as head, has all that it wants.
  if (errno != EPIPE) throw Error(ErrorKind::output, "cannot write to standard output");
}

void log_detail(const std::string& message) {
  spdlog::debug("{}", message);
}

void log_warning(const std::string& message) {
  spdlog::warn("{}", message);
}

void end_log() {
  spdlog::shutdown();
}

void log_error(const std::string& message) {
  spdlog::error("{}", message);
}

}  // namespace srcextract
