"""Threads of Python with every lock that the language has, queues, pools, files and compression."""

import concurrent.futures
import hashlib
import queue
import sqlite3
import threading
import zlib

ROUNDS = 300


def hashed(number):
    text = (str(number) * 2000).encode()
    return int(hashlib.sha256(zlib.decompress(zlib.compress(text))).hexdigest()[:8], 16)


def producers_and_consumers():
    work, results = queue.Queue(maxsize=8), queue.Queue()

    def consume():
        while (number := work.get()) is not None:
            results.put(number * number)

    consumers = [threading.Thread(target=consume) for _ in range(4)]
    for thread in consumers:
        thread.start()
    for number in range(ROUNDS):
        work.put(number)
    for _ in consumers:
        work.put(None)
    for thread in consumers:
        thread.join()
    return sum(results.get() for _ in range(ROUNDS))


def locks():
    outer, inner, again = threading.Lock(), threading.RLock(), threading.Condition()
    total, turn = 0, 0

    def add(own):
        nonlocal total, turn
        for _ in range(ROUNDS):
            with outer, inner, inner:
                total += 1
            with again:
                again.wait_for(lambda: turn % 4 == own)
                turn += 1
                again.notify_all()

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return total, turn


def databases(number):
    with sqlite3.connect(":memory:") as database:
        database.execute("create table numbers (n integer)")
        database.executemany("insert into numbers values (?)", [(n,) for n in range(number)])
        return database.execute("select sum(n) from numbers").fetchone()[0]


with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(hashed, range(ROUNDS))))
    print(sum(pool.map(databases, range(1, ROUNDS))))
print(producers_and_consumers())
print(*locks())
