#include "pipeline/log/failure.hpp"

#include <exception>
#include <new>

#include "io/files/passing.hpp"
#include "pipeline/log/log.hpp"

namespace srcextract {

Failure current_failure() {
  try {
    throw;
  } catch (const NoSky& error) {
    return Failure{error.kind(), error.what(), error.sky()};
  } catch (const PassingError& error) {
    return Failure{error.kind(), error.what(), std::nullopt, true};
  } catch (const Error& error) {
    return Failure{error.kind(), error.what()};
  } catch (const std::bad_alloc&) {
    return Failure{ErrorKind::memory, "not enough memory"};
  } catch (const std::exception& error) {
    return Failure{ErrorKind::internal, std::string("internal error, please report it: ") + error.what()};
  }
}

std::string message_about(const std::string& name, const Failure& failure) {
  const std::string& message = failure.message;
  const bool said = message.starts_with(name) || message.find(" of " + name) != std::string::npos ||
                    name.ends_with(" of " + message.substr(0, message.find(": ")));
  return said ? message : name + ": " + message;
}

void log_failure(const std::string& name, const Failure& failure) {
  log_error(message_about(name, failure));
}

}  // namespace srcextract
