// A library in Go that recovers from a fault of its own, and that is collected while it computes.
package main

import "C"

import "runtime"

func read(p *int) int { return *p }

//export recoverFromFault
func recoverFromFault() {
	defer func() { recover() }()
	read(nil)
}

func compute(done chan int) {
	sum := 0
	for i := 0; i < 1<<28; i++ {
		sum += i
	}
	done <- sum
}

// Go sends itself signals to stop what computes.
//
//export collect
func collect() {
	done := make(chan int)
	go compute(done)
	for i := 0; i < 10; i++ {
		runtime.GC()
	}
	<-done
}

func main() {}
