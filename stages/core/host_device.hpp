#pragma once

/// Marks a function that is compiled for both host and device. Both are built without contraction of multiply-add
/// (-ffp-contract=off, --fmad=false), so the function rounds the same way on both.
#if defined(__CUDACC__)
#define SRCEXTRACT_HOST_DEVICE __host__ __device__
#else
#define SRCEXTRACT_HOST_DEVICE
#endif
