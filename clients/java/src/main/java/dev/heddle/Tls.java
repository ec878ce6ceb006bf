package dev.heddle;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** TLS over a connected socket. Files are read at each new connection, so that renewed certificates count. */
final class Tls {
  private static final char[] NO_PASSWORD = {};

  private Tls() {}

  static SSLSocket over(Socket socket, Target target, SSLContext own, String host, int port) throws IOException {
    try {
      SSLContext context = own != null ? own : context(target);
      String name = target.name().isEmpty() ? host : target.name();
      SSLSocket made = (SSLSocket) context.getSocketFactory().createSocket(socket, name, port, true);
      SSLParameters parameters = made.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      parameters.setApplicationProtocols(new String[] {"heddle/1"});
      parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
      made.setSSLParameters(parameters);
      made.startHandshake();
      return made;
    } catch (GeneralSecurityException | IllegalArgumentException bad) {
      throw new IOException(bad.getMessage(), bad);
    }
  }

  private static SSLContext context(Target target) throws IOException, GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys(target), authorities(target), null);
    return context;
  }

  private static TrustManager[] authorities(Target target) throws IOException, GeneralSecurityException {
    if (target.ca().isEmpty()) {
      return null;
    }
    KeyStore store = emptyStore();
    int number = 0;
    for (X509Certificate certificate : Pem.certificates(target.ca())) {
      store.setCertificateEntry("ca" + number++, certificate);
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static KeyManager[] keys(Target target) throws IOException, GeneralSecurityException {
    if (target.cert().isEmpty()) {
      return null;
    }
    List<X509Certificate> chain = Pem.certificates(target.cert());
    KeyStore store = emptyStore();
    store.setKeyEntry("client", Pem.key(target.key().isEmpty() ? target.cert() : target.key()), NO_PASSWORD,
        chain.toArray(new X509Certificate[0]));
    KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }
}
