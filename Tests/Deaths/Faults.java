import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Lives on faults that the Java machine repairs: null pointers, stopped threads, stacks that overflow. */
public class Faults {
  static final class Node {
    Node next;
    int value;
  }

  static volatile int sum;
  static volatile boolean done;

  static int valueOf(Node node) {
    return node.value;
  }

  static int depth(int at) {
    return depth(at + 1) + 1;
  }

  /** Enough calls that a compiled method takes the place of the check, and faults. */
  static int nullPointers() {
    int caught = 0;
    for (int i = 0; i < 20_000_000; i++) {
      Node node = i % 1_000_000 == 999_999 ? null : new Node();
      try {
        sum += valueOf(node);
      } catch (NullPointerException expected) {
        caught++;
      }
    }
    return caught;
  }

  /** Leaves a file that says so where CrashKit is in this process. */
  static void witnessCrashKit() throws IOException {
    if (Files.readString(Path.of("/proc/self/maps")).contains("libCrashKitPreload")) {
      Files.writeString(Path.of("crashkit-was-there"), "");
    }
  }

  public static void main(String[] arguments) throws InterruptedException, IOException {
    witnessCrashKit();
    Thread[] busy = new Thread[4];
    for (int i = 0; i < busy.length; i++) {
      busy[i] = new Thread(() -> {
        while (!done) {
          sum++;
        }
      });
      busy[i].start();
    }
    System.out.println("null pointers: " + nullPointers());
    int overflows = 0;
    for (int i = 0; i < 3; i++) {
      try {
        depth(0);
      } catch (StackOverflowError expected) {
        overflows++;
      }
      System.gc();
    }
    System.out.println("overflows: " + overflows);
    done = true;
    for (Thread thread : busy) {
      thread.join();
    }
    System.exit(5);
  }
}
