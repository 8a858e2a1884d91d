#pragma once

namespace srcextract {

/// atan2 of finite numbers with C's signs and quadrants, in radians, within 1e-15 of the true angle; NaN of others.
/// Only + - * / and fixed tables, so that it rounds the same with every C library and processor, which libm's own does
/// not promise.
double portable_atan2(double y, double x);

/// e^x within 1e-15 of itself (of the smallest normal number where it is below that), in the same way; NaN of NaN.
double portable_exp(double x);

}  // namespace srcextract
