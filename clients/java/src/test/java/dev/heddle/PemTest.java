package dev.heddle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.ECPrivateKey;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PemTest {
  @TempDir private Path folder;

  private String openssl(String output, String... arguments) throws Exception {
    String file = folder.resolve(output).toString();
    String[] command = new String[arguments.length + 3];
    command[0] = "openssl";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    command[arguments.length + 1] = "-out";
    command[arguments.length + 2] = file;
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor(), said);
    return file;
  }

  @Test
  void keysInEachForm() throws Exception {
    String plain = openssl("rsa.key", "genpkey", "-algorithm", "RSA");
    String own = openssl("rsa1.key", "rsa", "-in", plain, "-traditional");
    assertArrayEquals(Pem.key(plain).getEncoded(), Pem.key(own).getEncoded());
    String curve = openssl("ec1.key", "ecparam", "-name", "secp384r1", "-genkey");
    String wrapped = openssl("ec.key", "pkcs8", "-topk8", "-nocrypt", "-in", curve);
    assertEquals(((ECPrivateKey) Pem.key(wrapped)).getS(), ((ECPrivateKey) Pem.key(curve)).getS());
    assertEquals("EdDSA", Pem.key(openssl("ed.key", "genpkey", "-algorithm", "ED25519")).getAlgorithm());
  }

  private static String block(String title, String content) {
    return "-----BEGIN " + title + "-----\n" + content + "\n-----END " + title + "-----\n";
  }

  @Test
  void filesThatAreNone() throws Exception {
    Path file = folder.resolve("bad.pem");
    List<String> bad = List.of("", "text", block("EC PRIVATE KEY", "MAA="), block("EC PRIVATE KEY", "MIT/////"),
        block("PRIVATE KEY", "MAA="), block("PRIVATE KEY", "A"), block("ENCRYPTED PRIVATE KEY", "MAA="));
    for (String text : bad) {
      Files.writeString(file, text);
      assertThrows(IOException.class, () -> Pem.key(file.toString()), text);
      assertThrows(IOException.class, () -> Pem.certificates(file.toString()), text);
    }
  }
}
