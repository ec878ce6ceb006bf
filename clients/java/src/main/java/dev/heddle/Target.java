package dev.heddle;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The place to connect to: `heddle://host[:7420][,host…]?tls=on&ca=file&cert=file&key=file&name=host`. */
record Target(List<Host> hosts, boolean usesTls, String ca, String cert, String key, String name) {
  private static final int DEFAULT_PORT = 7420;
  private static final Set<String> OPTIONS = Set.of("tls", "ca", "cert", "key", "name");

  /** A host and its port. */
  record Host(String name, int port) {
    @Override
    public String toString() {
      return name.contains(":") ? "[" + name + "]:" + port : name + ":" + port;
    }
  }

  static Target parse(String url) {
    int schemeEnd = url.indexOf("://");
    String scheme = schemeEnd < 0 ? "" : url.substring(0, schemeEnd);
    if (!scheme.equals("heddle") && !scheme.equals("heddles")) {
      throw new IllegalArgumentException("a URL of Heddle begins with heddle:// or heddles://, not as in " + start(url));
    }
    String rest = url.substring(schemeEnd + 3);
    int queryStart = rest.indexOf('?');
    String query = queryStart < 0 ? "" : rest.substring(queryStart + 1);
    String places = queryStart < 0 ? rest : rest.substring(0, queryStart);
    if (places.endsWith("/")) {
      places = places.substring(0, places.length() - 1);
    }
    if (places.contains("/") || places.contains("@")) {
      throw new IllegalArgumentException("a URL of Heddle has no path and no user: pass the token with token() or HEDDLE_TOKEN");
    }
    Map<String, String> options = options(query);
    boolean isImplied = scheme.equals("heddles") || options.keySet().stream().anyMatch(option -> !option.equals("tls"));
    String choice = options.get("tls");
    if (choice != null && !choice.equals("on") && !choice.equals("off")) {
      throw new IllegalArgumentException("tls is on or off, not " + start(choice));
    }
    if ("off".equals(choice) && isImplied) {
      throw new IllegalArgumentException("tls=off and what belongs to TLS exclude each other");
    }
    List<Host> hosts = new ArrayList<>();
    for (String place : places.split(",", -1)) {
      hosts.add(host(place));
    }
    return new Target(List.copyOf(hosts), isImplied || "on".equals(choice), options.getOrDefault("ca", ""),
        options.getOrDefault("cert", ""), options.getOrDefault("key", ""), options.getOrDefault("name", ""));
  }

  private static Map<String, String> options(String query) {
    Map<String, String> found = new HashMap<>();
    for (String pair : query.split("&")) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      String name = URLDecoder.decode(equals < 0 ? pair : pair.substring(0, equals), StandardCharsets.UTF_8);
      if (!OPTIONS.contains(name)) {
        throw new IllegalArgumentException(start(name) + " is no option of a URL of Heddle: use tls, ca, cert, key, name");
      }
      found.put(name, equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
    }
    return found;
  }

  private static Host host(String place) {
    String host = place;
    String port = Integer.toString(DEFAULT_PORT);
    int bracket = place.indexOf(']');
    if (place.startsWith("[") && bracket > 0) {
      host = place.substring(1, bracket);
      String after = place.substring(bracket + 1);
      port = after.isEmpty() ? port : after.startsWith(":") ? after.substring(1) : "";
    } else if (place.contains(":")) {
      int colon = place.indexOf(':');
      host = place.substring(0, colon);
      port = place.substring(colon + 1);
    }
    boolean isNumber = port.matches("[0-9]{1,5}");
    if (host.isEmpty() || !isNumber || Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65_535) {
      throw new IllegalArgumentException(start(place) + " is no host, host:port or [address]:port");
    }
    return new Host(host, Integer.parseInt(port));
  }

  private static String start(String text) {
    return '"' + text.substring(0, Math.min(40, text.length())) + '"';
  }
}
