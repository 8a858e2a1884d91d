#include "python/core/bindings.hpp"

#include <new>
#include <string>
#include <system_error>

#include "python/core/words.hpp"
#include "stages/core/error.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::config:
      return "ConfigError";
    case ErrorKind::input:
      return "InputError";
    case ErrorKind::output:
      return "OutputError";
    case ErrorKind::storage:
      return "StorageError";
    case ErrorKind::memory:
      return "OutOfMemoryError";
    case ErrorKind::device:
      return "DeviceError";
    case ErrorKind::mismatch:
      return "MismatchError";
    case ErrorKind::internal:
      break;
  }
  return "InternalError";
}

void raise(ErrorKind kind, const std::string& message) {
  const nb::object type = nb::module_::import_("srcextract.errors").attr(class_of(kind));
  PyErr_SetString(type.ptr(), in_words_of_python(message).c_str());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    raise(ErrorKind::memory, "there is not enough memory for what was asked; give a smaller image or a part of it");
  } catch (const std::system_error& error) {
    raise(ErrorKind::memory, std::string("the system gives no more of what is needed: ") + error.what() +
                                 "; allow more threads and memory (ulimit -a), or take fewer with threads=1");
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(translate);
}

}  // namespace srcextract::python
