#include "CDiagdemoCrashes.h"
#include "never_inlined.h"

#include <stdexcept>

namespace diagdemo {

/// Calls its own pure virtual function while it is being destroyed.
struct Base {
  TRIGGER virtual ~Base() { describe(); }
  TRIGGER void describe() { name(); }
  virtual void name() = 0;
};

struct Derived : Base {
  void name() override {}
};

TRIGGER static void parse(const char *text) { throw std::runtime_error(text); }

}  // namespace diagdemo

extern "C" {

TRIGGER void crash_cxx_exception(void) { diagdemo::parse("the configuration is empty"); }

TRIGGER void crash_pure_virtual_call(void) {
  diagdemo::Base *volatile object = new diagdemo::Derived;
  delete object;
}
}
