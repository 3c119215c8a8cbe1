// Scheduling noise. System calls and plain memory; libgcc's unwinder before a pause.

#include "findings/options.h"
#include "perturb.h"

#include <dlfcn.h>
#include <time.h>
#include <unwind.h>

#include "CGround/look_up.h"
#include "ground/state.h"
#include "noise/perturb_points.h"
#include "CGround/syscalls.h"
#include "threads/watch_bell.h"

#define LONGEST_NS 300000u
// A thread comes by its boundaries in stretches of so many. The first few are lively, and one in eight of the others.
#define STRETCH 64u
#define LIVELY_AT_FIRST 4u
#define FRAMES_MAX 64

_Atomic bool ctg_perturbs;

static _Atomic uint64_t seed;
static _Atomic uint32_t round_now;  // how often it was turned on

static __thread struct {
  uint32_t round;
  struct ctg_perturbed done;
} own __attribute__((tls_model("initial-exec")));

// --- What to do --------------------------------------------------------------------------------------------------

// splitmix64, by Sebastiano Vigna.
static uint64_t mix(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

uint32_t ctg_perturbation(uint64_t from, uint32_t thread, uint64_t step) {
  uint64_t stream = mix(mix(from + 0x9e3779b97f4a7c15u) + thread);
  uint64_t stretch = step / STRETCH;
  bool is_lively = stretch < LIVELY_AT_FIRST || mix(stream ^ mix(~stretch)) % 8 == 0;
  uint64_t draw = mix(stream + (step + 1) * 0x9e3779b97f4a7c15u);
  // In a lively stretch one boundary in eight yields and one in eight sleeps; in a calm one in 64, and in 256.
  uint32_t chance = (uint32_t)draw % 256, yields = is_lively ? 32 : 4, sleeps = is_lively ? 32 : 1;
  if (chance < yields) return 1;
  return chance < yields + sleeps ? 2 + (uint32_t)(draw >> 32) % (LONGEST_NS - 1) : 0;
}

// --- Doing it ----------------------------------------------------------------------------------------------------

static typeof(_Unwind_Backtrace) *backtrace_all;
static typeof(_Unwind_GetIPInfo) *get_address;

// The unwinder takes no lock only where the loader offers this function.
static void find_unwinder(void) {
  void *library =
      cgr_look_up(RTLD_DEFAULT, "_dl_find_object") ? cgr_open_library("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) return;
  get_address = (typeof(get_address))cgr_look_up(library, "_Unwind_GetIPInfo");
  if (get_address) backtrace_all = (typeof(backtrace_all))cgr_look_up(library, "_Unwind_Backtrace");
}

struct signal_search {
  int frames;
  bool is_found;
};

// An address that is not a return address belongs to what a signal has interrupted.
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *argument) {
  struct signal_search *search = argument;
  int is_interrupted = 0;
  get_address(context, &is_interrupted);
  search->is_found |= is_interrupted != 0;
  return search->is_found || ++search->frames == FRAMES_MAX ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static bool is_in_signal_handler(void) {
  struct signal_search search = {0};
  // Where code is registered at run time (by a compiler in the process), libgcc may take a lock of its own.
  ctg_busy++;
  if (backtrace_all) backtrace_all(look_at_frame, &search);
  ctg_busy--;
  return search.is_found;
}

void ctg_perturb_here(void) {
  if (ctg_busy) return;
  uint32_t round = atomic_load_explicit(&round_now, memory_order_acquire);
  if (own.round != round) {
    uint32_t number = own.done.thread ? own.done.thread : ctg_thread_number();
    own.done = (struct ctg_perturbed){.thread = number};
    own.round = round;
  }
  uint32_t what =
      ctg_perturbation(atomic_load_explicit(&seed, memory_order_relaxed), own.done.thread, own.done.steps++);
  own.done.digest = mix(own.done.digest + what + 1);
  if (what == 0 || is_in_signal_handler()) return;
  struct timespec pause = {.tv_nsec = what};
  if (what == 1)
    cgr_syscall0(SYS_sched_yield);
  else
    cgr_syscall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, 0);
}

struct ctg_perturbed ctg_perturbed_thread(void) {
  return own.done;
}

// --- On and off --------------------------------------------------------------------------------------------------

static void turn(bool on, uint64_t from) {
  static _Atomic bool was_on;
  // The watching thread has its number in every run then.
  if (on) ctg_watcher_needed();
  atomic_store(&seed, from);
  atomic_fetch_add(&round_now, 1);
  atomic_store(&ctg_perturbs, on);
  if (atomic_exchange(&was_on, on) != on) ctg_perturb_locks(on);
}

void ctg_perturb_prepare(void) {
  find_unwinder();
  if (ctg_options.perturb.on) turn(true, ctg_options.perturb.seed);
}

void ctg_perturb_stop(void) {
  if (ctg_perturbs) turn(false, 0);
}

void ctg_perturb(bool on, uint64_t from) {
  if (!ctg_options.perturb.is_set && ctg_has_started) turn(on, from);
}
