package dev.heddle;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Frames: a head of 16 bytes, optional metadata, a message (docs/protocol.md). */
final class Frames {
  static final int REQUEST = 1;
  static final int RESPONSE = 2;
  static final int EVENT = 3;
  static final int ERROR = 4;
  static final int CANCEL = 5;
  static final int CREDIT = 6;
  static final int PING = 7;
  static final int PONG = 8;
  static final int GOAWAY = 9;
  static final int HELLO = 10;

  static final int HEAD_BYTES = 16;
  static final int END_OF_STREAM = 0x02;
  /** The server's frames may be larger than a client's: a stored event may hold an item of 4 MiB. */
  static final int RECEIVED_BYTES = 8 << 20;

  static final byte[] NOTHING = {};

  private static final int KNOWN_FLAGS = 0x82;
  private static final int MAGIC = 0xfa;

  private Frames() {}

  /** One frame that has come, with its size on the wire. */
  record Frame(int kind, int flags, int method, long stream, ByteString payload, int size) {
    boolean isAnswer() {
      return kind == RESPONSE || kind == EVENT || kind == ERROR;
    }
  }

  /** A fault of the server, as opposed to one of the connection. */
  static final class Fault extends Exception {
    private static final long serialVersionUID = 1L;
    final Failure failure;

    Fault(Failure failure) {
      super(failure.message, null, false, false);
      this.failure = failure;
    }

    Fault(String message) {
      this(new Failure(HeddleException.Kind.PROTOCOL, message));
    }
  }

  /** The next frame that this client knows. */
  static Frame read(InputStream in, int largest) throws IOException, Fault {
    byte[] head = new byte[HEAD_BYTES];
    while (true) {
      fill(in, head);
      ByteBuffer fields = ByteBuffer.wrap(head);
      int kind = head[1] & 0xff;
      int flags = head[11] & 0xff;
      int metadata = fields.getShort(9) & 0xffff;
      long length = fields.getInt(12) & 0xffff_ffffL;
      check(head, kind, flags, metadata, length, largest);
      byte[] body = new byte[(int) length];
      fill(in, body);
      if ((kind & 0x80) != 0) {
        continue;  // Kinds with the top bit may be skipped.
      }
      boolean needsContent = kind == EVENT || kind == ERROR || kind == GOAWAY || kind == HELLO;
      if (needsContent && metadata == length) {
        throw new Fault("the server sent a frame of kind " + kind + " without content");
      }
      ByteString payload = UnsafeByteOperations.unsafeWrap(body, metadata, body.length - metadata);
      return new Frame(kind, flags, fields.getShort(2) & 0xffff, fields.getInt(4) & 0xffff_ffffL, payload, HEAD_BYTES + body.length);
    }
  }

  private static void check(byte[] head, int kind, int flags, int metadata, long length, int largest) throws Fault {
    boolean mayBeSkipped = (kind & 0x80) != 0;
    if ((head[0] & 0xff) != MAGIC) {
      throw new Fault("this is no server of Heddle, or one that speaks TLS: its bytes are no frames");
    }
    if (head[8] != 1) {
      throw new Fault("the server speaks version " + (head[8] & 0xff) + " of the protocol, the client version 1");
    }
    if (metadata > length) {
      throw new Fault("the server sent a frame whose metadata is longer than the frame");
    }
    if (!mayBeSkipped && (kind < REQUEST || kind > HELLO)) {
      throw new Fault("the server sent a frame of the unknown kind " + kind);
    }
    if (!mayBeSkipped && (flags & ~KNOWN_FLAGS) != 0) {
      throw new Fault("the server sent a frame with the unknown flags " + flags);
    }
    if (length > largest) {
      throw new Fault(new Failure(HeddleException.Kind.TOO_LARGE,
          "the server sent a frame of " + length + " bytes; the client takes " + largest));
    }
  }

  private static void fill(InputStream in, byte[] into) throws IOException {
    if (in.readNBytes(into, 0, into.length) < into.length) {
      throw new EOFException("the server closed it");
    }
  }

  static <T> T parse(ByteString payload, Parser<T> parser, String name) throws Fault {
    try {
      return parser.parseFrom(payload);
    } catch (InvalidProtocolBufferException unreadable) {
      throw new Fault("the server sent a " + name + " that cannot be read");
    }
  }

  /** Frames that wait to be written, as their bytes. */
  static final class Outgoing {
    private static final int KEPT_BYTES = 1 << 20;
    private byte[] bytes = new byte[4096];
    private int size;

    void add(int kind, int method, long stream, byte[] payload, byte[] metadata) {
      int wanted = size + HEAD_BYTES + metadata.length + payload.length;
      if (wanted > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(wanted, 2 * bytes.length));
      }
      ByteBuffer.wrap(bytes, size, bytes.length - size).put((byte) MAGIC).put((byte) kind).putShort((short) method).putInt((int) stream)
          .put((byte) 1).putShort((short) metadata.length).put((byte) 0).putInt(metadata.length + payload.length)
          .put(metadata).put(payload);
      size = wanted;
    }

    boolean isEmpty() {
      return size == 0;
    }

    byte[] bytes() {
      return bytes;
    }

    int size() {
      return size;
    }

    void clear() {
      size = 0;
      if (bytes.length > KEPT_BYTES) {
        bytes = new byte[4096];
      }
    }
  }
}
