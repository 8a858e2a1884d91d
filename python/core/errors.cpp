#include "python/core/errors.hpp"

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

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object type = nb::module_::import_("srcextract.errors").attr(class_of(error.kind()));
    PyErr_SetString(type.ptr(), in_words_of_python(error.what()).c_str());
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(translate);
}

}  // namespace srcextract::python
