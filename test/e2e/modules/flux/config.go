package main

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// config is what a broker knows of its instance.
type config struct {
	hosts         []string
	rank          int
	bind, connect string // as in broker.toml, with the port filled in
	socket        string
	key           string // the certificate's public key
	interactive   bool
	command       []string
}

// expand is the host names of a host list: "a[0-2,5],b".
func expand(list string) []string {
	var names []string
	for _, item := range regexp.MustCompile(`([^,\[]+)(\[([^]]*)\])?`).FindAllStringSubmatch(list, -1) {
		if item[3] == "" {
			names = append(names, item[1])
			continue
		}
		for _, part := range strings.Split(item[3], ",") {
			first, last, found := strings.Cut(part, "-")
			if !found {
				last = first
			}
			low, _ := strconv.Atoi(first)
			high, _ := strconv.Atoi(last)
			for i := low; i <= high; i++ {
				names = append(names, fmt.Sprint(item[1], i))
			}
		}
	}
	return names
}

// readConfig reads the broker's words, broker.toml and the certificate, as strictly as Flux does.
func readConfig(words []string) config {
	var c config
	var folder string
	host, _ := os.Hostname()
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		name, value, _ := strings.Cut(words[0], "=")
		switch name {
		case "--config-path":
			folder = value
		case "-Slocal-uri":
			c.socket = strings.TrimPrefix(value, "local://")
		case "-Sbroker.rc2_none":
			c.interactive = true
		case "-Shostname":
			host = value
		}
		words = words[1:]
	}
	c.command = words
	text, err := os.ReadFile(folder + "/broker.toml")
	if err != nil {
		fail("%v", err)
	}
	value := func(pattern string) string {
		found := regexp.MustCompile(`(?m)` + pattern).FindStringSubmatch(string(text))
		if found == nil {
			fail("%s/broker.toml has no %s", folder, pattern)
		}
		return found[1]
	}
	for _, group := range regexp.MustCompile(`host = "([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
		c.hosts = append(c.hosts, expand(group[1])...)
	}
	if c.rank = slices.Index(c.hosts, host); c.rank < 0 {
		fail("%s not found in hosts", host)
	}
	port := value(`^default_port = (\d+)`)
	c.bind = strings.ReplaceAll(value(`^default_bind = "tcp://([^"]+)"`), "%p", port)
	c.connect = strings.ReplaceAll(value(`^default_connect = "tcp://([^"]+)"`), "%p", port)
	c.key = publicKey(value(`^curve_cert = "([^"]+)"`))
	return c
}

// publicKey is the certificate's, which nobody else may read.
func publicKey(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		fail("%v", err)
	}
	if info.Mode()&0o077 != 0 {
		fail("%s can be read by others: %v", path, info.Mode())
	}
	text, _ := os.ReadFile(path)
	found := regexp.MustCompile(`public-key = "(.{40})"`).FindSubmatch(text)
	if found == nil {
		fail("%s has no public key", path)
	}
	return string(found[1])
}

// address is where rank's broker is.
func (c config) address(rank int) string { return strings.ReplaceAll(c.connect, "%h", c.hosts[rank]) }

// listenAddress is default_bind with the interface's address in place of its name.
func (c config) listenAddress() string {
	name, port, _ := net.SplitHostPort(c.bind)
	if name == "*" {
		return ":" + port
	}
	device, err := net.InterfaceByName(name)
	if err != nil {
		fail("%s: %v", name, err)
	}
	addresses, _ := device.Addrs()
	for _, address := range addresses {
		if ip := address.(*net.IPNet).IP; ip.To4() != nil {
			return net.JoinHostPort(ip.String(), port)
		}
	}
	fail("%s has no address", name)
	return ""
}
