#pragma once

// open and pread, and their like for large files, in a library for LD_PRELOAD. Its one source file defines what they
// do: open_next and read_next, with the name of the function that was called.

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>

#include "tests/support/preload/next.hpp"

using Open = int(const char*, int, ...);
using Read = ssize_t(int, void*, size_t, off_t);

static int open_next(const char* name, const char* path, int flags, mode_t mode);
static ssize_t read_next(const char* name, int file, void* bytes, size_t count, off_t offset);

/// Callers pass a mode only if the call may create a file.
static int open_with(const char* name, const char* path, int flags, va_list more) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return open_next(name, path, flags, creates ? va_arg(more, mode_t) : 0);
}

extern "C" ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
  return read_next("pread", file, bytes, count, offset);
}

extern "C" ssize_t pread64(int file, void* bytes, size_t count, off_t offset) {
  return read_next("pread64", file, bytes, count, offset);
}

extern "C" int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int file = open_with("open", path, flags, more);
  va_end(more);
  return file;
}

extern "C" int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int file = open_with("open64", path, flags, more);
  va_end(more);
  return file;
}
