// Throws through two frames, catches, rethrows another type and catches that.
#include <stdexcept>
#include <string>

namespace {

struct BadInput {
  int code;
};

__attribute__((noinline)) int parse(const std::string &text) { return std::stoi(text); }

__attribute__((noinline)) int checked(const std::string &text) {
  try {
    return parse(text);
  } catch (const std::invalid_argument &) {
    throw BadInput{42};
  }
}

}  // namespace

extern "C" int plugin_answer(const char *text) {
  try {
    return checked(text);
  } catch (const BadInput &error) {
    return error.code;
  }
}
