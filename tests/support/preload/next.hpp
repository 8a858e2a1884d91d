#pragma once

#include <dlfcn.h>

/// The function that a library for LD_PRELOAD stands before, of that name and of the type `Function`.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
