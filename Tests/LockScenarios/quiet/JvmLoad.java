// A Java machine under load: its collector, its compiler and its own locks, with threads that fight over monitors.

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class JvmLoad {
  private static final Object monitor = new Object();
  private static final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private static final ConcurrentHashMap<Integer, String> map = new ConcurrentHashMap<>();
  private static long underMonitor, underLock;

  private static long work(int own) {
    long sum = 0;
    for (int i = 0; i < 200_000; i++) {
      List<byte[]> garbage = new ArrayList<>();
      for (int j = 0; j < 4; j++) garbage.add(new byte[256 + (i & 1023)]);
      sum += garbage.get(i & 3).length;
      map.put((own * 31 + i) & 4095, Integer.toString(i));
      if (i % 16 == 0) {
        synchronized (monitor) { underMonitor++; }
        lock.writeLock().lock();
        try { underLock++; } finally { lock.writeLock().unlock(); }
      }
    }
    return sum;
  }

  public static void main(String[] arguments) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(8);
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      final int own = i;
      tasks.add(() -> work(own));
    }
    long sum = 0;
    for (Future<Long> future : pool.invokeAll(tasks)) sum += future.get();
    pool.shutdown();
    for (int i = 0; i < 500; i++) {
      Thread thread = new Thread(() -> { synchronized (monitor) { underMonitor++; } });
      thread.start();
      thread.join();
    }
    System.gc();
    System.out.println(sum + " " + underMonitor + " " + underLock + " " + map.size());
  }
}
