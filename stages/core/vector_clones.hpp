#pragma once

/// Compiles a function for AVX-512, AVX2 and the baseline; the processor chooses when the program starts. For loops
/// whose result does not depend on the vector width, and only those. Sanitizers cannot run that early, so their builds
/// have the baseline alone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SRCEXTRACT_SANITIZED)
#define SRCEXTRACT_HAVE_CLONES 1
#define SRCEXTRACT_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/// Has all that a function calls compiled into it, for the same processor.
#define SRCEXTRACT_FLATTEN __attribute__((flatten))
/// Of two functions alike in name and type, the first is for AVX-512, by hand; the second for all others.
#define SRCEXTRACT_AVX512 __attribute__((target("arch=x86-64-v4")))
#define SRCEXTRACT_BASELINE __attribute__((target("default")))
#else
#define SRCEXTRACT_HAVE_CLONES 0
#define SRCEXTRACT_VECTOR_CLONES
#define SRCEXTRACT_FLATTEN
#define SRCEXTRACT_BASELINE
#endif
