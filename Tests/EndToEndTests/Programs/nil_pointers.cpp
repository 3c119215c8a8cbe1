// Dies by a null pointer, in a way that its argument names.

#include <cstring>
#include <memory>
#include <stdexcept>

#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noipa))
#endif

namespace shop {
struct Empty {};

struct Record {
  long id = 1;
  int version = 2;
};

struct Customer {
  int visits = 0;
};

struct Order : Empty, Record {
  int total = 3;
  Customer *customer = nullptr;
  KEEP int sum() const { return total; }
};

struct Animal {
  virtual ~Animal() = default;
  KEEP virtual int legs() const { return count; }
  int count = 4;
};

struct Dog : Animal {
  int tail = 1;
};
}  // namespace shop

static volatile int sink;
// With an object in it, the file has its class in its debug information.
shop::Dog known;

KEEP long inherited(shop::Order *order) { return order->version; }
KEEP int referred(const shop::Order &order) { return order.total; }
KEEP int called(const shop::Animal *animal) { return animal->legs(); }
KEEP int derived(const shop::Dog *dog) { return dog->tail; }
KEEP int owned(const std::unique_ptr<shop::Order> &owner) { return owner->total; }
KEEP int captured(shop::Order *order) {
  auto visits = [order] { return order->customer->visits; };
  return visits();
}

KEEP void refuse(int count) {
  if (count) throw std::runtime_error("no");
}

// What was caught leads back to the middle of the function, with another pointer.
KEEP int caught(shop::Order *order, shop::Order *other, int count) {
  shop::Order *chosen = order;
  try {
    refuse(count);
  } catch (const std::exception &) {
    chosen = other;
  }
  return chosen->total;
}

int main(int count, char **arguments) {
  const char *kind = count > 1 ? arguments[1] : "";
  shop::Order order;
  shop::Order *none = nullptr;
  if (!strcmp(kind, "member")) sink = none->sum();
  if (!strcmp(kind, "inherited")) sink = (int)inherited(nullptr);
  if (!strcmp(kind, "referred")) sink = referred(*none);
  if (!strcmp(kind, "called")) sink = called(nullptr);
  if (!strcmp(kind, "derived")) sink = derived(nullptr);
  if (!strcmp(kind, "owned")) sink = owned(nullptr);
  if (!strcmp(kind, "captured")) sink = captured(&order);
  if (!strcmp(kind, "caught")) sink = caught(&order, nullptr, count);
  return 0;
}
