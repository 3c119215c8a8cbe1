#pragma once
// The facts about one Swift task.

#include <stdbool.h>
#include <stdint.h>

#include "swift_task_search.h"

typedef struct ck_task_identity {
  uint64_t id;  // from 1; 0 if there is no task, or if it is not known
  uint16_t name_size;
  char name[TERM_TASK_NAME_MAX];
} ck_task_identity;

typedef enum ck_task_state { CK_TASK_SUSPENDED, CK_TASK_ENQUEUED, CK_TASK_RUNNING } ck_task_state;

typedef enum ck_awaited {
  CK_AWAITS_NOTHING,
  CK_AWAITS_TASK,
  CK_AWAITS_ASYNC_LET,
  CK_AWAITS_GROUP,
  CK_AWAITS_CONTINUATION,
  CK_AWAITS_ACTOR,
  CK_AWAITS_UNKNOWN,
} ck_awaited;

typedef struct ck_task_facts {
  ck_task_identity identity;
  uint64_t context;  // the number of its context; 0 for none
  uint64_t parent;   // of a child task: the id of its parent; 0 for none
  ck_task_state state;
  uint8_t priority;
  bool is_cancelled;
  ck_awaited awaits;
  uint64_t awaited_id;       // of another task; 0 if it cannot be read
  uint64_t awaited_address;  // of an actor
} ck_task_facts;
