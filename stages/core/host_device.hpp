#pragma once

/// Marks a function that is compiled for host and device. The build options -ffp-contract=off and --fmad=false forbid
/// fused multiply-add, so that the function rounds the same way on both.
#if defined(__CUDACC__)
#define SRCEXTRACT_HOST_DEVICE __host__ __device__
#else
#define SRCEXTRACT_HOST_DEVICE
#endif
