// Runs the models: all as they are, then with each order weakened and each check left out.

#include <cstdio>
#include <cstring>
#include <string>

#include "explorer.h"

using namespace memory_order_models;

static const char *const names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};

static std::string group_of(const char *name) { return std::string(name).substr(0, std::strcspn(name, ".")); }

// Explores the models of a group until one fails otherwise than it should.
static const char *first_failure(const std::string &group, const char **in, uint64_t *states) {
  for (const Model &model : models()) {
    if (group_of(model.name) != group || model.expects) continue;
    Result result = explore(model);
    *states += result.states;
    *in = model.name;
    if (result.failure) return result.failure;
  }
  return nullptr;
}

static void report_weakened(const char *name, const char *from, const char *to) {
  const char *in = "";
  uint64_t states = 0;
  const char *failure = first_failure(group_of(name), &in, &states);
  std::printf("weakened\t%s\t%s\t%s\t%s\t%s\t%llu\n", name, from, to, failure ? failure : "", in,
              static_cast<unsigned long long>(states));
}

static void weaken(Site *site, Order order) {
  site->now = order;
  report_weakened(site->name, names[site->needed], names[order]);
  site->now = site->needed;
}

// One model with its failing steps, for a reader.
static int show(const char *name) {
  for (const Model &model : models()) {
    if (std::strcmp(model.name, name) != 0) continue;
    if (explore(model).failure) print_failure(model);
    return 0;
  }
  return 64;
}

int main(int count, char **arguments) {
  if (count == 2) return show(arguments[1]);
  for (const Model &model : models()) {
    Result result = explore(model);
    std::printf("model\t%s\t%s\t%s\t%s\t%llu\n", model.name, model.shows, model.expects ? model.expects : "",
                result.failure ? result.failure : "", static_cast<unsigned long long>(result.states));
  }
  for (Site *site : sites()) {
    std::printf("site\t%s\t%s\n", site->name, names[site->needed]);
    if (site->needed == SEQ_CST) {
      weaken(site, ACQ_REL);
    } else {
      if (site->needed == ACQ_REL) weaken(site, ACQUIRE), weaken(site, RELEASE);
      if (site->needed != ACQ_REL) weaken(site, RELAXED);
    }
  }
  for (Guard *guard : guards()) {
    guard->is_on = false;
    report_weakened(guard->name, "on", "off");
    guard->is_on = true;
  }
  return 0;
}
