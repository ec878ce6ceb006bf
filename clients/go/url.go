package heddle

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
)

const defaultPort = "7420"

// Where to connect: heddle://host[:7420][,host…]?tls=on&ca=file&cert=file&key=file&name=host.
type target struct {
	hosts               []string
	tls                 bool
	ca, cert, key, name string
}

func parseURL(text string) (target, error) {
	none := func(format string, args ...any) (target, error) {
		return target{}, fmt.Errorf("heddle: "+format, args...)
	}
	scheme, rest, found := strings.Cut(text, "://")
	if !found || (scheme != "heddle" && scheme != "heddles") {
		return none("a URL of Heddle begins with heddle:// or heddles://, not as in %.40q", text)
	}
	places, query, _ := strings.Cut(rest, "?")
	places, path, _ := strings.Cut(places, "/")
	if path != "" || strings.Contains(places, "@") {
		return none("a URL of Heddle has no path and no user: pass the token with WithToken or HEDDLE_TOKEN")
	}
	options, err := url.ParseQuery(query)
	if err != nil {
		return none("the options of the URL cannot be read: %v", err)
	}
	made := target{}
	known := map[string]*string{"ca": &made.ca, "cert": &made.cert, "key": &made.key, "name": &made.name}
	isImplied := scheme == "heddles"
	for name, values := range options {
		if place, ok := known[name]; ok {
			*place = values[len(values)-1]
			isImplied = true
		} else if name != "tls" {
			return none("%s is no option of a URL of Heddle: use tls, ca, cert, key, name", name)
		}
	}
	choice := options.Get("tls")
	if options.Has("tls") && choice != "on" && choice != "off" {
		return none("tls is on or off, not %.40q", choice)
	}
	if choice == "off" && isImplied {
		return none("tls=off and what belongs to TLS exclude each other")
	}
	made.tls = isImplied || choice == "on"
	for _, place := range strings.Split(places, ",") {
		host, err := hostAndPort(place)
		if err != nil {
			return none("%v", err)
		}
		made.hosts = append(made.hosts, host)
	}
	return made, nil
}

func hostAndPort(place string) (string, error) {
	host, port := place, defaultPort
	if strings.HasPrefix(place, "[") && strings.HasSuffix(place, "]") {
		host = place[1 : len(place)-1]
	} else if strings.Contains(place, ":") {
		var err error
		if host, port, err = net.SplitHostPort(place); err != nil {
			return "", fmt.Errorf("%.40q is no host, host:port or [address]:port", place)
		}
	}
	number, err := strconv.Atoi(port)
	if host == "" || err != nil || number < 1 || number > 65535 {
		return "", fmt.Errorf("%.40q is no host, host:port or [address]:port", place)
	}
	return net.JoinHostPort(host, port), nil
}

// Files are read at each new connection, so that renewed certificates count.
func (t target) config(own *tls.Config, host string) (*tls.Config, error) {
	config := &tls.Config{}
	if own != nil {
		config = own.Clone()
	}
	config.NextProtos = []string{"heddle/1"}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	if config.ServerName == "" {
		config.ServerName = host
	}
	if t.name != "" {
		config.ServerName = t.name
	}
	if t.ca != "" {
		pem, err := os.ReadFile(t.ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate in PEM form", t.ca)
		}
	}
	if t.cert != "" {
		key := t.key
		if key == "" {
			key = t.cert
		}
		pair, err := tls.LoadX509KeyPair(t.cert, key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
