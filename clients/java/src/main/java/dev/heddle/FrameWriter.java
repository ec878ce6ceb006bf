package dev.heddle;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.function.Consumer;

/** The sending half of a connection, with its thread. Everything that was queued meanwhile goes in one write. */
final class FrameWriter {
  private final Socket raw;
  private final Socket socket;
  private final Consumer<String> failed;
  private final Thread thread;
  private Frames.Outgoing outgoing = new Frames.Outgoing();
  private boolean isFinished;

  /** The raw socket is the one below TLS: closing it never waits. */
  FrameWriter(Socket raw, Socket socket, Threads threads, Consumer<String> failed) {
    this.raw = raw;
    this.socket = socket;
    this.failed = failed;
    thread = threads.make("heddle-writer", this::write);
  }

  void start() {
    thread.start();
  }

  synchronized void add(int kind, int method, long stream, byte[] payload, byte[] metadata) {
    if (!isFinished) {
      outgoing.add(kind, method, stream, payload, metadata);
      notifyAll();
    }
  }

  /** Writes what is queued, and then closes the socket. */
  synchronized void finish() {
    isFinished = true;
    notifyAll();
  }

  private void write() {
    Frames.Outgoing taken = new Frames.Outgoing();
    try {
      OutputStream out = socket.getOutputStream();
      boolean isLast = false;
      while (!isLast) {
        synchronized (this) {
          while (outgoing.isEmpty() && !isFinished) {
            wait();
          }
          Frames.Outgoing next = outgoing;
          outgoing = taken;
          taken = next;
          isLast = isFinished;
        }
        out.write(taken.bytes(), 0, taken.size());
        taken.clear();
      }
      socket.close();
    } catch (IOException | OutOfMemoryError unwritten) {
      failed.accept("the connection ended: " + unwritten.getMessage());
    } catch (InterruptedException stopped) {
      failed.accept("the client is closed");
    } finally {
      abort();
    }
  }

  void abort() {
    try {
      raw.close();
    } catch (IOException ignored) {
      return;  // It was closed before.
    }
  }

  /** Waits for the thread; bytes that are not written after this time stay unwritten. */
  void join(Duration patience) throws InterruptedException {
    if (Thread.currentThread() != thread) {
      thread.join(Math.max(1, patience.toMillis()));
      abort();
      thread.join(patience.toMillis());
    }
  }
}
