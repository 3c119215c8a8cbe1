// Every blocking call that no signal handler may break off, made over and over.
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "processor/interrupted_call.h"
#include "probe.h"

static atomic_bool ending;

static struct timespec from_now(clockid_t clock, long ns) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += ns;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

// --- The calls: each waits for `ns` in vain and returns an errno, 0 where the time went by ---------------------------

static int fd_epoll, ends[2], queue_id, semaphores;
// A socket's time limit is the socket's: each thread has its own.
static _Thread_local int idle_socket = -1, listener = -1;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static int wait_epoll(long ns) {
  struct epoll_event event;
  return epoll_wait(fd_epoll, &event, 1, (int)(ns / 1000000)) < 0 ? errno : 0;
}
static int wait_epoll_pwait(long ns) {
  struct epoll_event event;
  sigset_t none;
  sigemptyset(&none);
  return epoll_pwait(fd_epoll, &event, 1, (int)(ns / 1000000), &none) < 0 ? errno : 0;
}
static int wait_poll(long ns) {
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  return poll(&wanted, 1, (int)(ns / 1000000)) < 0 ? errno : 0;
}
static int wait_ppoll(long ns) {
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  struct timespec time = {0, ns};
  return ppoll(&wanted, 1, &time, NULL) < 0 ? errno : 0;
}
static int wait_select(long ns) {
  fd_set wanted;
  FD_ZERO(&wanted);
  FD_SET(ends[0], &wanted);
  struct timeval time = {0, ns / 1000};
  return select(ends[0] + 1, &wanted, NULL, NULL, &time) < 0 ? errno : 0;
}
static int wait_nanosleep(long ns) {
  struct timespec time = {0, ns};
  return nanosleep(&time, &time) < 0 ? errno : 0;
}
static int wait_clock_nanosleep(long ns) {
  struct timespec time = from_now(CLOCK_MONOTONIC, ns);
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}
static int wait_semaphore(long ns) {
  struct timespec time = from_now(CLOCK_REALTIME, ns);
  if (sem_timedwait(&semaphore, &time) == 0) return EPROTO;
  return errno == ETIMEDOUT ? 0 : errno;
}
// pthread_cond_timedwait hides EINTR as a wake-up for no reason.
static int wait_condition(long ns) {
  struct timespec time = from_now(CLOCK_REALTIME, ns);
  pthread_mutex_lock(&mutex);
  int error = pthread_cond_timedwait(&condition, &mutex, &time);
  pthread_mutex_unlock(&mutex);
  return error == ETIMEDOUT ? 0 : EINTR;
}
// As Dispatch and others call it: through syscall(), with the number in a register.
static int wait_futex(long ns) {
  static int word;
  struct timespec time = {0, ns};
  if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0) == 0) return EPROTO;
  return errno == ETIMEDOUT ? 0 : errno;
}
static int wait_receive(long ns) {
  int pair[2];
  if (idle_socket < 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) idle_socket = pair[0];
  struct timeval limit = {0, ns / 1000};
  setsockopt(idle_socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char byte;
  if (recv(idle_socket, &byte, 1, 0) >= 0) return EPROTO;
  return errno == EAGAIN ? 0 : errno;
}
static int wait_accept(long ns) {
  if (listener < 0) {
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    // The kernel picks a name.
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (bind(listener, (struct sockaddr *)&address, sizeof address.sun_family) != 0 || listen(listener, 1) != 0)
      return errno;
  }
  struct timeval limit = {0, ns / 1000};
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (accept(listener, NULL, NULL) >= 0) return EPROTO;
  return errno == EAGAIN ? 0 : errno;
}
static int wait_semop(long ns) {
  struct sembuf take = {.sem_num = 0, .sem_op = -1};
  struct timespec time = {0, ns};
  if (semtimedop(semaphores, &take, 1, &time) == 0) return EPROTO;
  return errno == EAGAIN ? 0 : errno;
}
static int wait_signal(long ns) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR2);
  struct timespec time = {0, ns};
  if (sigtimedwait(&wanted, NULL, &time) >= 0) return EPROTO;
  return errno == EAGAIN ? 0 : errno;
}
// These two have no time limit: the main thread ends them.
static int wait_message(long ns) {
  (void)ns;
  struct {
    long type;
    char text[8];
  } message;
  return msgrcv(queue_id, &message, sizeof message.text, 0, 0) < 0 ? errno : 0;
}
static int wait_read(long ns) {
  (void)ns;
  char byte;
  return read(ends[0], &byte, 1) < 0 ? errno : 0;
}

static struct kind {
  const char *name;
  int (*wait)(long ns);
  bool endless;
  atomic_long made, broken, failed, early, late;
} kinds[] = {
    {.name = "epoll_wait", .wait = wait_epoll},
    {.name = "epoll_pwait", .wait = wait_epoll_pwait},
    {.name = "poll", .wait = wait_poll},
    {.name = "ppoll", .wait = wait_ppoll},
    {.name = "select", .wait = wait_select},
    {.name = "nanosleep", .wait = wait_nanosleep},
    {.name = "clock_nanosleep", .wait = wait_clock_nanosleep},
    {.name = "sem_timedwait", .wait = wait_semaphore},
    {.name = "pthread_cond_timedwait", .wait = wait_condition},
    {.name = "futex", .wait = wait_futex},
    {.name = "recv", .wait = wait_receive},
    {.name = "accept", .wait = wait_accept},
    {.name = "semtimedop", .wait = wait_semop},
    {.name = "sigtimedwait", .wait = wait_signal},
    {.name = "msgrcv", .wait = wait_message, .endless = true},
    {.name = "read", .wait = wait_read, .endless = true},
};
#define KINDS (sizeof kinds / sizeof *kinds)

// Time limits of sockets go by the kernel's tick, which is 10 ms at most: the first one may be nearly over. A busy
// machine is late.
#define EARLY_NS 10000000
#define LATE_NS 2000000000

static void make(struct kind *kind, long ns) {
  long long start = now_ns();
  int error = kind->wait(ns);
  long long took = now_ns() - start;
  ++kind->made;
  if (error == EINTR) ++kind->broken;
  if (error != 0 && error != EINTR) ++kind->failed;
  if (kind->endless || error != 0) return;
  if (took < ns - EARLY_NS) ++kind->early;
  if (took > ns + LATE_NS) ++kind->late;
}

static void *wait_over_and_over(void *kind) {
  do make(kind, 40000000);
  while (!ending);
  return NULL;
}

// Enters and leaves calls all the time: the look finds it running, the signal may find it in a call.
static void *come_and_go(void *seed) {
  unsigned random = (unsigned)(uintptr_t)seed;
  while (!ending) {
    long long until = now_ns() + rand_r(&random) % 60000;
    while (now_ns() < until) continue;
    struct kind *kind = &kinds[(unsigned)rand_r(&random) % KINDS];
    if (!kind->endless) make(kind, 1000000);
  }
  return NULL;
}

static atomic_long rounds;
static void *compute(void *unused) {
  (void)unused;
  while (!ending) ++rounds;
  return NULL;
}

static void prepare(void) {
  fd_epoll = epoll_create1(EPOLL_CLOEXEC);
  bool ready = fd_epoll >= 0 && pipe(ends) == 0;
  queue_id = msgget(IPC_PRIVATE, 0600);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  ready = ready && queue_id >= 0 && semaphores >= 0 && sem_init(&semaphore, 0, 0) == 0;
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGUSR2);
  sigprocmask(SIG_BLOCK, &own, NULL);
  if (!ready) exit(71);
}

static void end_all(pthread_t *threads, size_t count) {
  ending = true;
  for (size_t i = 0; i < count; ++i)
    if (i >= KINDS || !kinds[i].endless) pthread_join(threads[i], NULL);
  struct {
    long type;
    char text[8];
  } message = {.type = 1};
  msgsnd(queue_id, &message, sizeof message.text, 0);
  (void)!write(ends[1], "x", 1);
  for (size_t i = 0; i < KINDS; ++i)
    if (kinds[i].endless) pthread_join(threads[i], NULL);
  msgctl(queue_id, IPC_RMID, NULL);
  semctl(semaphores, 0, IPC_RMID);
}

static void print_kinds(void) {
  for (size_t i = 0; i < KINDS; ++i)
    printf("%s made %ld broken %ld failed %ld early %ld late %ld\n", kinds[i].name, kinds[i].made, kinds[i].broken,
           kinds[i].failed, kinds[i].early, kinds[i].late);
}

int calls(int captures) {
  prepare();
  pthread_t threads[KINDS + 5];
  size_t count = 0;
  for (size_t i = 0; i < KINDS; ++i) pthread_create(&threads[count++], NULL, wait_over_and_over, &kinds[i]);
  for (uintptr_t i = 1; i <= 4; ++i) pthread_create(&threads[count++], NULL, come_and_go, (void *)i);
  pthread_create(&threads[count++], NULL, compute, NULL);
  int failures = 0;
  long long longest = 0, start = now_ns();
  for (int i = 0; i < captures; ++i) {
    ck_live_result result;
    long long begun = now_ns();
    ck_capture("calls", 5, &result);
    if (now_ns() - begun > longest) longest = now_ns() - begun;
    failures += result.error != 0;
    // The first and the last are looked at.
    if (result.error == 0 && i > 0 && i + 1 < captures) unlink(result.path);
  }
  long long took = now_ns() - start;
  end_all(threads, count);
  print_kinds();
  printf("captures %d failures %d rounds %ld\n", captures, failures, rounds);
  fprintf(stderr, "mean %lld us, longest %lld us\n", took / captures / 1000, longest / 1000);
  return 0;
}

// --- Each call broken off for sure -----------------------------------------------------------------------------------

static atomic_long restarted;
static void on_signal(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  restarted += ck_restart_interrupted_call(context);
}

// Through a signal whose handler is the one thing that captures do to a thread that has just entered a call.
int restarts(void) {
  prepare();
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigfillset(&action.sa_mask);
  sigaction(SIGUSR1, &action, NULL);
  pthread_t threads[KINDS];
  for (size_t i = 0; i < KINDS; ++i) pthread_create(&threads[i], NULL, wait_over_and_over, &kinds[i]);
  for (int round = 0; round < 100; ++round) {
    struct timespec rest = {0, 3000000};
    nanosleep(&rest, NULL);
    for (size_t i = 0; i < KINDS; ++i) pthread_kill(threads[i], SIGUSR1);
  }
  end_all(threads, KINDS);
  print_kinds();
  printf("restarted %ld\n", restarted);
  return 0;
}
