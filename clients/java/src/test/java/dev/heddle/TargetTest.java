package dev.heddle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetTest {
  @Test
  void hostsAndOptions() {
    Target target = Target.parse("heddles://a,b:1,[::1],[::2]:3?ca=%2Ftmp%2Fca.pem&name=n");
    assertEquals(List.of("a:7420", "b:1", "[::1]:7420", "[::2]:3"), target.hosts().stream().map(Target.Host::toString).toList());
    assertTrue(target.usesTls());
    assertEquals("/tmp/ca.pem", target.ca());
    assertEquals("n", target.name());
  }

  @Test
  void urlsThatAreNone() {
    Map<String, String> wrong = Map.ofEntries(Map.entry("http://localhost", "begins with heddle://"),
        Map.entry("heddle://a:b", "is no host"),
        Map.entry("heddle://a?x=1", "no option"), Map.entry("heddle://user@a", "token"), Map.entry("heddle://a/path", "no path"),
        Map.entry("heddle://a?tls=maybe", "on or off"), Map.entry("heddles://a?tls=off", "exclude"), Map.entry("heddle://", "is no host"),
        Map.entry("heddle://a:70000", "is no host"), Map.entry("heddle://[::1", "is no host"), Map.entry("heddle://[::1]x", "is no host"),
        Map.entry("heddle://a:99999999999", "is no host"), Map.entry("heddle://a?ca=%zz", ""));
    wrong.forEach((url, word) -> {
      IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> Heddle.builder(url).build(), url);
      assertTrue(refused.getMessage().contains(word), refused.getMessage());
    });
  }

  @Test
  void noTokenInTheTextOfAClient() {
    try (Heddle client = Heddle.builder("heddle://a").token("secret").build()) {
      assertEquals("Heddle client of a:7420", client.toString());
    }
  }
}
