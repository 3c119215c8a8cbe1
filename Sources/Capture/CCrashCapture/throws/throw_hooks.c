// The runtime's hooks are two variables, one for errors in boxes and one for typed throws. Code that sets a hook keeps
// the previous hook and calls it as well: both Swift Testing and this file do so.

#include "throws/throw_hooks.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "CGround/look_up.h"
#include "throws/throw_table.h"

typedef void throw_hook(void *box);
typedef void typed_throw_hook(void *value, const void *type, const void *conformance);

// Weak, for programs that hold the Swift runtime inside and export nothing.
extern _Atomic uintptr_t _swift_willThrow __attribute__((weak));
extern _Atomic uintptr_t _swift_willThrowTypedImpl __attribute__((weak));
extern char swift_willThrow[] __attribute__((weak));
extern char swift_willThrowTypedImpl[] __attribute__((weak));
extern char swift_unexpectedError[] __attribute__((weak));
extern char swift_errorInMain[] __attribute__((weak));
extern char swift_allocError[] __attribute__((weak));
extern char swift_errorRelease[] __attribute__((weak));

typedef struct hook {
  _Atomic uintptr_t *variable;  // the runtime's; NULL if it has none
  _Atomic uintptr_t before;     // what stood there
  bool is_in;
} hook;

/// The kind of the metadata of `any Error`, the only such type that conforms to Error.
#define METADATA_EXISTENTIAL 0x303

typedef struct boxed_error {
  void *box, *value;
} boxed_error;

ck_error_functions ck_error_functions_found;

static hook boxed, typed;
static void on_typed_throw(void *value, const void *type, const void *conformance);

static boxed_error (*box_error)(const void *type, const void *conformance, void *value, bool takes);
static void (*release_error)(void *box);
// A typed throw goes on to a hook for boxes: that box is not one that was thrown.
static _Thread_local bool is_passing_on __attribute__((tls_model("initial-exec")));

// --- The hooks -------------------------------------------------------------------------------------------------

// A box: an object's two words, then the type, its conformance to Error, and the value.
static ck_thrown_error error_in(const void *const *box) {
  return (ck_thrown_error){.box = box, .type = box[2], .conformance = box[3]};
}

static void on_throw(void *box) {
  if (!is_passing_on) {
    ck_thrown_error error = error_in(box);
    ck_throws_add(&error, __builtin_frame_address(0), ck_error_functions_found.will_throw);
  }
  throw_hook *before = (throw_hook *)atomic_load_explicit(&boxed.before, memory_order_acquire);
  if (before) before(box);
}

// As the runtime does if it has no hook for typed throws: without ours it would have none.
static void pass_on_boxed(void *value, const void *type, const void *conformance) {
  if (atomic_load_explicit(typed.variable, memory_order_acquire) != (uintptr_t)on_typed_throw) return;
  uintptr_t present = boxed.variable ? atomic_load_explicit(boxed.variable, memory_order_acquire) : 0;
  bool is_alone = present == (uintptr_t)on_throw && atomic_load_explicit(&boxed.before, memory_order_acquire) == 0;
  if (present == 0 || is_alone || !box_error || !release_error) return;
  boxed_error error = box_error(type, conformance, value, false);
  is_passing_on = true;
  ((throw_hook *)present)(error.box);
  is_passing_on = false;
  release_error(error.box);
}

// A throw of the type `any Error`, as that of Result.get(), has an error in a box for its value.
static void on_typed_throw(void *value, const void *type, const void *conformance) {
  bool is_box = *(const uint64_t *)type == METADATA_EXISTENTIAL;
  ck_thrown_error error = {.value = value, .type = type, .conformance = conformance};
  if (is_box) error = error_in(*(const void *const *const *)value);
  ck_throws_add(&error, __builtin_frame_address(0), ck_error_functions_found.will_throw_typed);
  typed_throw_hook *before = (typed_throw_hook *)atomic_load_explicit(&typed.before, memory_order_acquire);
  if (before)
    before(value, type, conformance);
  else
    pass_on_boxed(value, type, conformance);
}

static bool stands_in(const hook *hook, uint64_t function) {
  return hook->variable && atomic_load_explicit(hook->variable, memory_order_acquire) == function;
}

bool ck_announces_throws(uint64_t function) {
  if (function == 0) return false;
  return function == ck_error_functions_found.will_throw || function == ck_error_functions_found.will_throw_typed
         || stands_in(&boxed, function) || stands_in(&typed, function);
}

// --- Installing ------------------------------------------------------------------------------------------------

static void *runtime_symbol(void *here, const char *name) { return here ? here : cgr_look_up(RTLD_DEFAULT, name); }

static void find(void) {
  boxed.variable = runtime_symbol(&_swift_willThrow, "_swift_willThrow");
  typed.variable = runtime_symbol(&_swift_willThrowTypedImpl, "_swift_willThrowTypedImpl");
  box_error =
      (boxed_error(*)(const void *, const void *, void *, bool))runtime_symbol(swift_allocError, "swift_allocError");
  release_error = (void (*)(void *))runtime_symbol(swift_errorRelease, "swift_errorRelease");
  ck_error_functions_found = (ck_error_functions){
      .will_throw = (uintptr_t)runtime_symbol(swift_willThrow, "swift_willThrow"),
      .will_throw_typed = (uintptr_t)runtime_symbol(swift_willThrowTypedImpl, "swift_willThrowTypedImpl"),
      .unexpected_error = (uintptr_t)runtime_symbol(swift_unexpectedError, "swift_unexpectedError"),
      .error_in_main = (uintptr_t)runtime_symbol(swift_errorInMain, "swift_errorInMain"),
  };
}

// What stood there is known before the first throw comes to us.
static void put_in(hook *hook, uintptr_t ours) {
  if (!hook->variable || hook->is_in) return;
  uintptr_t present = atomic_load(hook->variable);
  do atomic_store(&hook->before, present);
  while (!atomic_compare_exchange_weak(hook->variable, &present, ours));
  hook->is_in = true;
}

// A hook that came later calls ours for good.
static void take_out(hook *hook, uintptr_t ours) {
  uintptr_t present = ours;
  if (hook->is_in && atomic_compare_exchange_strong(hook->variable, &present, atomic_load(&hook->before)))
    hook->is_in = false;
}

void ck_throw_hooks_install(void) {
  find();
  if (!boxed.variable || !ck_throws_prepare()) return;
  put_in(&boxed, (uintptr_t)on_throw);
  put_in(&typed, (uintptr_t)on_typed_throw);
  ck_throws_record(true);
}

void ck_throw_hooks_remove(void) {
  ck_throws_record(false);
  take_out(&typed, (uintptr_t)on_typed_throw);
  take_out(&boxed, (uintptr_t)on_throw);
}
