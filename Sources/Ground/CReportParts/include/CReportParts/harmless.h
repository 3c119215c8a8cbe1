#pragma once
// Text from outside that is safe on a terminal and in a log. Every function is async-signal-safe and touches only its
// arguments.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Whether a terminal would obey the character, or a reader would not see it or see the line in another order: control
/// characters, line ends, marks of direction, invisible characters but for the joiner that emoji are made with.
/// HarmlessText.swift has the same list; a test holds both to each other. Async-signal-safe.
bool crp_is_hazard(uint32_t scalar);

/// Length of the well-formed UTF-8 sequence at `at`, 0 if there is none (Unicode 15, table 3-7). Async-signal-safe.
size_t crp_utf8_sequence(const uint8_t *at, size_t left);
/// The character of a well-formed sequence of `size` bytes. Async-signal-safe.
uint32_t crp_utf8_scalar(const uint8_t *at, size_t size);

/// Whether the character is the "[" of "##[" or "##word[", by which CI services take commands anywhere in a line.
/// `state` is 0 at first and carries what stands before. Async-signal-safe.
bool crp_opens_command(unsigned *state, uint32_t scalar);

/// Appends text with a blank for each line end and tab, and "?" for each other hazard, each byte that is not UTF-8, and
/// the "[" of a command. It never gets longer. Async-signal-safe.
void crp_text_harmless(cgr_text *text, const char *bytes, size_t size);
/// Does the same to all that the text holds from `start` on. Async-signal-safe.
void crp_text_make_harmless(cgr_text *text, size_t start);

#pragma GCC visibility pop
