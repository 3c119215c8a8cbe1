#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The number of threads that the configuration asks for. Throws std::runtime_error where it is no number: a C++
/// exception that no Swift caller can catch.
int configuration_threads(const char *text);

#ifdef __cplusplus
}
#endif
