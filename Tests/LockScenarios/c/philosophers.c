// Dining philosophers: one mistake, however many sit at the table.

#include <stdlib.h>

#include "scenarios.h"

static pthread_mutex_t *forks;
static size_t seat_count, next_seat;

static void eat(void) {
  size_t seat = next_seat++;
  lock_both(&forks[seat], &forks[(seat + 1) % seat_count]);
}

void philosophers(size_t seats) {
  void (*parts[seats])(void);
  seat_count = seats;
  forks = malloc(seats * sizeof *forks);
  for (size_t i = 0; i < seats; i++) {
    MUST(pthread_mutex_init(&forks[i], NULL));
    parts[i] = eat;
  }
  run_in_turn(seats, parts);
}
