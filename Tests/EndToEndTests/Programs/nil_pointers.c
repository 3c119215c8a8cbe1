// Dies by a null pointer, in a way that its argument names.

#include <stddef.h>
#include <string.h>

#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noipa))
#endif

struct items {
  int *first;
  long count;
};

struct customer {
  char name[16];
  int visits;
};

struct order {
  long number;
  struct customer *customer;
  struct items items;
  int marks[8];
  unsigned paid : 1, sent : 1;
  union {
    long gift;
    double tip;
  };
};

typedef struct {
  int x, y;
} point;

struct node {
  long value;
  struct node *next;
};

static struct order *current;
static volatile int sink;

KEEP long parameter(struct order *order) { return order->items.count; }
KEEP void written(struct order *order, long count) { order->items.count = count; }
KEEP long first(struct order *order) { return order->number; }
KEEP int element(struct order *orders, long at) { return orders[at].marks[3]; }
KEEP int later_element(struct order *orders) { return orders[2].marks[3]; }
KEEP int bits(struct order *order) { return order->sent; }
KEEP long in_union(struct order *order) { return order->gift; }
KEEP int unnamed(point *place) { return place->y; }
KEEP int number(int *numbers) { return numbers[3]; }
KEEP int near(struct order *order) { return order->marks[0]; }
KEEP int unknown(void *memory) { return *(int *)((char *)memory + 40); }

KEEP int through(struct order *order) { return order->customer->visits; }
KEEP long variable(void) { return current->items.count; }

KEEP long local(struct order *const *orders) {
  struct order *order = orders[1];
  sink = 1;
  return order->items.count;
}

static inline __attribute__((always_inline)) int visits(struct customer *customer) { return customer->visits; }
KEEP int inlined(struct order *order) { return visits(order->customer) + 1; }

// Which of the two it was depends on the way that was taken.
KEEP int either(struct order *one, struct order *other, int which) {
  struct order *const chosen[] = {one, other};
  if (which) sink = 1;
  return (which ? chosen[0] : chosen[1])->marks[1];
}

KEEP struct order *find(void) {
  __asm__ volatile("");
  return NULL;
}
KEEP int returned(void) { return find()->marks[0]; }

// The list is cut: the loop comes to its end by way of the pointer that was never set.
KEEP long walk(struct node *node) {
  long sum = 0;
  while (sum >= 0) {
    sum += node->value;
    node = node->next;
  }
  return sum;
}

KEEP int cases(int kind, struct order *order) {
  switch (kind) {
    case 0: sink = 4; break;
    case 1: sink = 8; break;
    case 2: sink = 1; break;
    case 3: sink = 9;
    case 4: return order->marks[1];
    case 5: sink = 2; break;
    case 6: sink = 12; break;
    default: sink = 3;
  }
  return sink * 3;
}

int main(int count, char **arguments) {
  const char *kind = count > 1 ? arguments[1] : "";
  struct order order = {.number = count}, *orders[] = {&order, NULL};
  struct node last = {1, NULL};
  if (count > 2) current = &order;
  if (!strcmp(kind, "parameter")) sink = (int)parameter(NULL);
  if (!strcmp(kind, "written")) written(NULL, count);
  if (!strcmp(kind, "first")) sink = (int)first(NULL);
  if (!strcmp(kind, "element")) sink = element(NULL, count);
  if (!strcmp(kind, "later_element")) sink = later_element(NULL);
  if (!strcmp(kind, "bits")) sink = bits(NULL);
  if (!strcmp(kind, "in_union")) sink = (int)in_union(NULL);
  if (!strcmp(kind, "unnamed")) sink = unnamed(NULL);
  if (!strcmp(kind, "number")) sink = number(NULL);
  if (!strcmp(kind, "near")) sink = near((struct order *)8);
  if (!strcmp(kind, "unknown")) sink = unknown(NULL);
  if (!strcmp(kind, "through")) sink = through(&order);
  if (!strcmp(kind, "variable")) sink = (int)variable();
  if (!strcmp(kind, "local")) sink = (int)local(orders);
  if (!strcmp(kind, "inlined")) sink = inlined(&order);
  if (!strcmp(kind, "either")) sink = either(NULL, &order, count);
  if (!strcmp(kind, "returned")) sink = returned();
  if (!strcmp(kind, "walk")) sink = (int)walk(&last);
  if (!strcmp(kind, "cases")) sink = cases(count + 2, NULL);
  return 0;
}
