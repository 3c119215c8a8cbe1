// The same program in Go: goroutines that wait for a channel, and the runtime's dump of all of them, written to a file.
//
// goroutines captures COUNT MEGABYTES ROUNDS
// goroutines churn SECONDS CAPTURES
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var gate = make(chan int)
var started sync.WaitGroup

//go:noinline
func first(number int) int { return second(number) + 1 }

//go:noinline
func second(number int) int { return third(number) + 1 }

//go:noinline
func third(number int) int {
	started.Done()
	<-gate
	return number
}

func start(count int) {
	started.Add(count)
	for number := 0; number < count; number++ {
		go first(number)
	}
	started.Wait()
}

func allocate(megabytes int) [][]byte {
	var blocks [][]byte
	for left := megabytes << 20; left > 0; {
		block := make([]byte, 64<<(len(blocks)%8))
		for i := range block {
			block[i] = 0x5a
		}
		blocks = append(blocks, block)
		left -= len(block)
	}
	return blocks
}

func processorMilliseconds() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func dump(buffer []byte) int {
	size := runtime.Stack(buffer, true)
	name := fmt.Sprintf("%s/goroutines-%d", os.TempDir(), os.Getpid())
	if err := os.WriteFile(name, buffer[:size], 0600); err != nil {
		panic(err)
	}
	os.Remove(name)
	return size
}

func captures(count, megabytes, rounds int) {
	blocks := allocate(megabytes)
	start(count)
	buffer := make([]byte, 4096+count*1024)
	for round := 0; round < rounds; round++ {
		processor, began := processorMilliseconds(), time.Now()
		size := dump(buffer)
		took := time.Since(began)
		fmt.Println(float64(took.Nanoseconds())/1e6, processorMilliseconds()-processor, size)
	}
	runtime.KeepAlive(blocks)
}

func churn(seconds, each int) {
	start(1000)
	if each > 0 {
		go func() {
			buffer := make([]byte, 16<<20)
			for {
				time.Sleep(time.Second / time.Duration(each))
				dump(buffer)
			}
		}()
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	var ended atomic.Int64
	var workers sync.WaitGroup
	for worker := 0; worker < runtime.NumCPU(); worker++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for time.Now().Before(end) {
				var group sync.WaitGroup
				group.Add(64)
				for number := 0; number < 64; number++ {
					go func() {
						runtime.Gosched()
						group.Done()
					}()
				}
				group.Wait()
				ended.Add(64)
			}
		}()
	}
	workers.Wait()
	fmt.Println(ended.Load() / int64(seconds))
}

func main() {
	var numbers []int
	for _, word := range os.Args[min(2, len(os.Args)):] {
		number, err := strconv.Atoi(word)
		if err != nil {
			break
		}
		numbers = append(numbers, number)
	}
	switch {
	case len(numbers) == 3 && os.Args[1] == "captures":
		captures(numbers[0], numbers[1], numbers[2])
	case len(numbers) == 2 && os.Args[1] == "churn":
		churn(numbers[0], numbers[1])
	default:
		fmt.Fprintln(os.Stderr, "usage: goroutines captures COUNT MEGABYTES ROUNDS | churn SECONDS CAPTURES")
		os.Exit(64)
	}
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
