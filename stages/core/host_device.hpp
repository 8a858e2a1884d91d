#pragma once

/// Marks a function whose one definition serves both bodies of a stage. Built without contraction of multiply-add on
/// either side (-ffp-contract=off, --fmad=false), it rounds the same way on both.
#if defined(__CUDACC__)
#define SRCEXTRACT_HOST_DEVICE __host__ __device__
#else
#define SRCEXTRACT_HOST_DEVICE
#endif
