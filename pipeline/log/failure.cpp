#include "pipeline/log/failure.hpp"

#include <exception>
#include <new>

#include "pipeline/log/log.hpp"

namespace srcextract {
namespace {

/// `message` with the name of what it is about before it, unless it names that, or the file that has it, itself.
std::string about(const std::string& name, const std::string& message) {
  const bool said = message.starts_with(name) || message.find(" of " + name) != std::string::npos ||
                    name.ends_with(" of " + message.substr(0, message.find(": ")));
  return said ? message : name + ": " + message;
}

}  // namespace

std::optional<Failure> failure_of(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{error.kind(), error.what()};
  } catch (const std::bad_alloc&) {
    return Failure{ErrorKind::memory, "not enough memory"};
  } catch (const std::exception& error) {
    return Failure{ErrorKind::internal, std::string("internal error, please report it: ") + error.what()};
  }
}

void log_failure(const std::string& name, const Failure& failure) {
  log_error(about(name, failure.message));
}

}  // namespace srcextract
