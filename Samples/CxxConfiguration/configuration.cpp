#include "CxxConfiguration.h"

#include <stdexcept>
#include <string>

namespace configuration {

class Parser {
 public:
  explicit Parser(std::string text) : text_(std::move(text)) {}

  int number() const {
    if (text_.find_first_not_of("0123456789") != std::string::npos) throw std::runtime_error("not a number: " + text_);
    return std::stoi(text_);
  }

 private:
  std::string text_;
};

}  // namespace configuration

int configuration_threads(const char *text) { return configuration::Parser(text).number(); }
