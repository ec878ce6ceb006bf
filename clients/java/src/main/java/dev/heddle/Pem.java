package dev.heddle;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and keys of files in PEM form. */
final class Pem {
  private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
  private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");
  // The name of RSA with its empty parameter, and that of keys on curves, in DER.
  private static final byte[] RSA = {0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1, 5, 0};
  private static final byte[] CURVE = {0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01};
  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final int PARAMETERS = 0xa0;

  private Pem() {}

  private record Block(String title, byte[] content) {}

  static List<X509Certificate> certificates(String file) throws IOException, GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    List<X509Certificate> found = new ArrayList<>();
    for (Block block : blocks(file)) {
      if (block.title.equals("CERTIFICATE")) {
        found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.content)));
      }
    }
    if (found.isEmpty()) {
      throw new IOException(file + " holds no certificate in PEM form");
    }
    return found;
  }

  static PrivateKey key(String file) throws IOException, GeneralSecurityException {
    for (Block block : blocks(file)) {
      switch (block.title) {
        case "PRIVATE KEY":
          return key(block.content, file);
        case "RSA PRIVATE KEY":
          return key(wrapped(RSA, block.content), file);
        case "EC PRIVATE KEY":
          return key(wrapped(tagged(SEQUENCE, joined(CURVE, curve(block.content, file))), block.content), file);
        case "ENCRYPTED PRIVATE KEY":
          throw new IOException(file + " holds an encrypted key: decrypt it, or pass an SSLContext");
        default:
      }
    }
    throw new IOException(file + " holds no private key in PEM form");
  }

  private static PrivateKey key(byte[] content, String file) throws IOException, GeneralSecurityException {
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(content));
      } catch (InvalidKeySpecException another) {
        continue;
      }
    }
    throw new IOException(file + " holds a key that is neither RSA nor EC nor EdDSA");
  }

  private static List<Block> blocks(String file) throws IOException {
    List<Block> found = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(new String(Files.readAllBytes(Path.of(file)), StandardCharsets.US_ASCII));
    while (matcher.find()) {
      try {
        found.add(new Block(matcher.group(1), Base64.getMimeDecoder().decode(matcher.group(2))));
      } catch (IllegalArgumentException bad) {
        throw new IOException(file + " is no PEM file");
      }
    }
    return found;
  }

  // DER

  /** A key in the form of its own kind, as PKCS 8. */
  private static byte[] wrapped(byte[] algorithm, byte[] key) {
    return tagged(SEQUENCE, joined(new byte[] {0x02, 0x01, 0x00}, algorithm, tagged(OCTETS, key)));
  }

  /** The curve of an EC key: its parameters, behind the version and the number. */
  private static byte[] curve(byte[] key, String file) throws IOException {
    try {
      int[] all = element(key, 0);
      for (int at = all[0]; at < all[1];) {
        int[] inner = element(key, at);
        if ((key[at] & 0xff) == PARAMETERS) {
          return Arrays.copyOfRange(key, inner[0], inner[1]);
        }
        at = inner[1];
      }
    } catch (IndexOutOfBoundsException cut) {
      throw new IOException(file + " holds an EC key that cannot be read");
    }
    throw new IOException(file + " holds an EC key without its curve");
  }

  /** The start and the end of the content of an element. */
  private static int[] element(byte[] from, int at) {
    int length = from[at + 1] & 0xff;
    int start = at + 2;
    if (length > 0x80) {
      int count = length & 0x7f;
      length = 0;
      for (int index = 0; index < Math.min(count, 3); index++) {
        length = length << 8 | from[start + index] & 0xff;
      }
      start += count;
    }
    return new int[] {start, start + length};
  }

  private static byte[] tagged(int tag, byte[] content) {
    int count = content.length;
    byte[] length = count < 0x80 ? new byte[] {(byte) count}
        : count < 0x100 ? new byte[] {(byte) 0x81, (byte) count} : new byte[] {(byte) 0x82, (byte) (count >> 8), (byte) count};
    return joined(new byte[] {(byte) tag}, length, content);
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
