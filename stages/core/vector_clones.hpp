#pragma once

/// Compiles a function for AVX-512, for AVX2 and for the baseline processor; the program loader selects the version
/// that fits the processor. Only for loops whose result does not depend on the vector width. Builds with sanitizers
/// have only the baseline, because a sanitizer is not ready when the loader selects.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SRCEXTRACT_SANITIZED)
#define SRCEXTRACT_HAVE_CLONES 1
#define SRCEXTRACT_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/// Inlines all calls in a function, so that the called code is compiled for the same processors as the function.
#define SRCEXTRACT_FLATTEN __attribute__((flatten))
/// Mark two functions with the same name and type: the first is written by hand for AVX-512, the second serves all
/// other processors.
#define SRCEXTRACT_AVX512 __attribute__((target("arch=x86-64-v4")))
#define SRCEXTRACT_BASELINE __attribute__((target("default")))
#else
#define SRCEXTRACT_HAVE_CLONES 0
#define SRCEXTRACT_VECTOR_CLONES
#define SRCEXTRACT_FLATTEN
#define SRCEXTRACT_BASELINE
#endif
