// Doubles as decimal text, without stdio. Calls nothing but text.c.

#include "CGround/memory.h"
#include "CGround/text.h"

/// A number as digits × 10^exponent; the first of up to 17 digits is not 0.
struct decimal {
  uint64_t digits;
  int count;
  int exponent;
};

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define EXACT_POWERS 22

// Reads back exactly: both numbers are doubles without rounding, so one operation rounds right (Clinger 1990).
static bool reads_back(uint64_t digits, int exponent, double value) {
  double result = (double)digits;
  result = exponent < 0 ? result / powers_of_ten[-exponent] : result * powers_of_ten[exponent];
  return result == value;
}

// Most values that people record have few digits: the shortest of up to 15 that reads back.
static bool find_short(double value, struct decimal *out) {
  int exponent = 0;  // of the first digit
  while (exponent <= EXACT_POWERS && value >= powers_of_ten[exponent]) ++exponent;
  --exponent;
  if (exponent < 0)
    while (exponent > -EXACT_POWERS && value * powers_of_ten[-exponent] < 1) --exponent;
  for (int count = 1; count <= 15; ++count) {
    int last = exponent - count + 1;
    if (last < -EXACT_POWERS || last > EXACT_POWERS) return false;
    double scaled = last < 0 ? value * powers_of_ten[-last] : value / powers_of_ten[last];
    if (scaled >= 1e15) return false;
    uint64_t digits = (uint64_t)(scaled + 0.5);
    if (digits == 0 || !reads_back(digits, last, value)) continue;
    *out = (struct decimal){digits, count, last};
    return true;
  }
  return false;
}

// The exact value in words of nine digits: those before `point` are the integer part, highest first.
#define BASE 1000000000u
#define INTEGER_WORDS 36
#define FRACTION_WORDS 124

struct exact {
  uint32_t words[INTEGER_WORDS + FRACTION_WORDS];
};

static void double_up(struct exact *number, int bits) {
  uint64_t carry = 0;
  for (int i = INTEGER_WORDS - 1; i >= 0; --i) {
    uint64_t word = ((uint64_t)number->words[i] << bits) + carry;
    number->words[i] = (uint32_t)(word % BASE);
    carry = word / BASE;
  }
}

// At most nine bits at a time: 10^9 is divisible by 2^9.
static void halve(struct exact *number, int bits) {
  uint32_t rest = 0;
  for (int i = 0; i < INTEGER_WORDS + FRACTION_WORDS; ++i) {
    uint32_t word = number->words[i];
    number->words[i] = (word >> bits) + rest;
    rest = (word & ((1u << bits) - 1)) * (BASE >> bits);
  }
}

static int digit_at(const struct exact *number, int position) {
  uint32_t word = number->words[position / 9];
  for (int i = position % 9; i < 8; ++i) word /= 10;
  return (int)(word % 10);
}

// The first 17 digits of the exact value, rounded to nearest: they always read back.
static void find_exact(double value, struct decimal *out) {
  uint64_t bits;
  __builtin_memcpy_inline(&bits, &value, 8);
  int exponent = (int)(bits >> 52 & 0x7ff);
  uint64_t mantissa = (bits & ((1ull << 52) - 1)) | (exponent > 0 ? 1ull << 52 : 0);
  exponent = (exponent > 0 ? exponent : 1) - 1075;

  static struct exact number;  // one report is written at a time
  cgr_zero(&number, sizeof number);
  number.words[INTEGER_WORDS - 1] = (uint32_t)(mantissa % BASE);
  number.words[INTEGER_WORDS - 2] = (uint32_t)(mantissa / BASE);
  for (; exponent > 0; exponent -= exponent < 29 ? exponent : 29) double_up(&number, exponent < 29 ? exponent : 29);
  for (; exponent<0; exponent += exponent> - 9 ? -exponent : 9) halve(&number, exponent > -9 ? -exponent : 9);

  int first = 0, end = (INTEGER_WORDS + FRACTION_WORDS) * 9;
  while (first < end && digit_at(&number, first) == 0) ++first;
  uint64_t digits = 0;
  for (int i = first; i < first + 17; ++i) digits = digits * 10 + (i < end ? (uint64_t)digit_at(&number, i) : 0);
  if (first + 17 < end && digit_at(&number, first + 17) >= 5) ++digits;
  *out = (struct decimal){digits, 17, INTEGER_WORDS * 9 - first - 17};
}

void cgr_text_double(cgr_text *text, double value) {
  if (value != value) return cgr_text_string(text, "nan");
  if (value < 0 || (value == 0 && 1 / value < 0)) {
    cgr_text_bytes(text, "-", 1);
    value = -value;
  }
  if (value - value != 0) return cgr_text_string(text, "inf");
  if (value == 0) return cgr_text_bytes(text, "0", 1);
  struct decimal number;
  if (!find_short(value, &number)) find_exact(value, &number);
  while (number.digits % 10 == 0) {
    number.digits /= 10;
    ++number.exponent;
    --number.count;
  }
  int point = number.count + number.exponent;  // digits before the decimal point
  // Beyond 2^53 a number without a point or an exponent would be taken for an integer.
  if (number.exponent >= 0 && point <= 15) {
    for (int i = 0; i < number.exponent; ++i) number.digits *= 10;
    return cgr_text_unsigned(text, number.digits);
  }
  if (number.exponent < 0 && point > -6 && number.exponent >= -18) {
    uint64_t divisor = 1;
    for (int i = number.exponent; i < 0; ++i) divisor *= 10;
    cgr_text_unsigned(text, number.digits / divisor);
    cgr_text_bytes(text, ".", 1);
    return cgr_text_padded(text, number.digits % divisor, -number.exponent);
  }
  cgr_text_unsigned(text, number.digits);
  cgr_text_bytes(text, "e", 1);
  cgr_text_decimal(text, number.exponent);
}
