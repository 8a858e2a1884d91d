#include "python/core/log.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "python/core/words.hpp"

namespace srcextract::python {
namespace {

using Lines = std::vector<std::pair<int, std::string>>;

/// The Python thread for whose call the current thread works; empty: none.
thread_local std::thread::id caller_of_thread;

int python_level(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return 10;
    case spdlog::level::info:
      return 20;
    case spdlog::level::warn:
      return 30;
    case spdlog::level::err:
      return 40;
    default:
      return 50;
  }
}

/// Keeps log lines until Python takes the lines. Calling Python's loggers directly would require the GIL, which the
/// threads that log do not hold.
class KeptLines : public spdlog::sinks::base_sink<std::mutex> {
 public:
  /// Removes and returns the lines that were kept for the calling thread, and lines that were kept for no thread.
  Lines take() {
    const std::lock_guard lock(mutex_);
    Lines taken;
    for (const std::thread::id caller : {std::this_thread::get_id(), std::thread::id()}) {
      const auto found = lines_.find(caller);
      if (found == lines_.end()) continue;
      std::ranges::move(found->second, std::back_inserter(taken));
      lines_.erase(found);
    }
    return taken;
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    constexpr std::size_t most = 10'000;
    Lines& lines = lines_[caller_of_thread];
    if (lines.size() < most)
      lines.emplace_back(python_level(message.level),
                         in_words_of_python(std::string(message.payload.data(), message.payload.size())));
  }
  void flush_() override {}

 private:
  std::map<std::thread::id, Lines> lines_;
};

}  // namespace

LogOfCaller::LogOfCaller(std::thread::id caller) : before_(std::exchange(caller_of_thread, caller)) {}

LogOfCaller::~LogOfCaller() {
  caller_of_thread = before_;
}

void bind_log(nanobind::module_& module) {
  const auto lines = std::make_shared<KeptLines>();
  auto logger = std::make_shared<spdlog::logger>("srcextract", lines);
  logger->set_level(spdlog::level::info);
  spdlog::set_default_logger(logger);
  module.def("take_log", [lines] { return lines->take(); });
}

}  // namespace srcextract::python
