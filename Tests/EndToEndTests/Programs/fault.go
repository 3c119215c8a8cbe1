// Faults in C under Go's runtime, which has handlers of its own.
package main

/*
#include <pthread.h>
#include <stdlib.h>

static void fault(void) { *(volatile int *)16 = 7; }
static void stop(void) { abort(); }
static void *fault_there(void *argument) {
	fault();
	return argument;
}
static void fault_on_thread(void) {
	pthread_t thread;
	pthread_create(&thread, NULL, fault_there, NULL);
	pthread_join(thread, NULL);
}
*/
import "C"

import (
	"fmt"
	"os"
)

func read(p *int) int { return *p }

func recovers() {
	defer func() { fmt.Println("recovered:", recover()) }()
	read(nil)
}

func main() {
	switch os.Args[1] {
	case "c":
		C.fault()
	case "thread":
		C.fault_on_thread()
	case "abort":
		C.stop()
	case "go":
		read(nil)
	case "recovers":
		recovers()
	}
}
