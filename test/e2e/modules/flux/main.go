// flux: a stand-in for Flux. Its brokers find each other by the host names of broker.toml over TCP, and it behaves to
// the pods' scripts as the real one does, also where that is unpleasant (test/scripts/flux does for one machine). The
// job's command runs on the lead alone.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

const version = "0.88.0"

// fail is the end of a command that can't do its work.
func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "stand-in: "+format+"\n", values...)
	os.Exit(1)
}

// request is what a command asks the broker of its pod, over its local socket.
type request struct {
	What string `json:"what"`
	Text string `json:"text,omitempty"`
	PID  int    `json:"pid,omitempty"`
}

// ask sends a request to the broker that FLUX_URI names; its answer, and whether it said yes.
func ask(r request) (string, bool) {
	connection, err := net.Dial("unix", strings.TrimPrefix(os.Getenv("FLUX_URI"), "local://"))
	if err != nil {
		return err.Error(), false
	}
	defer connection.Close()
	var answer struct {
		Text string
		Yes  bool
	}
	if json.NewEncoder(connection).Encode(r) != nil || json.NewDecoder(connection).Decode(&answer) != nil {
		return "the broker has gone", false
	}
	return answer.Text, answer.Yes
}

// status is what a shell would call the end of a process.
func status(state *os.ProcessState) int {
	wait := state.Sys().(syscall.WaitStatus)
	if wait.Signaled() {
		return 128 + int(wait.Signal())
	}
	return wait.ExitStatus()
}

// run is `flux run [OPTION...] -- COMMAND [ARG...]`.
func run(words []string) int {
	at := slices.Index(words, "--")
	if at < 0 || at+1 == len(words) {
		fail("flux run: no command after --: %q", words)
	}
	options, words := words[:at], words[at+1:]
	fmt.Printf("stand-in: flux run %s -- %q\n", strings.Join(options, " "), words)
	command := exec.Command(words[0], words[1:]...)
	command.Stdin, command.Stdout, command.Stderr = nil, os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	ask(request{What: "task", PID: command.Process.Pid})
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for s := range signals {
			command.Process.Signal(s)
		}
	}()
	command.Wait()
	ask(request{What: "task"})
	return status(command.ProcessState)
}

// tell is a command that is one request.
func tell(r request) int {
	text, yes := ask(r)
	if text != "" {
		fmt.Fprintln(os.Stderr, text)
	}
	if yes {
		return 0
	}
	return 1
}

func main() {
	if len(os.Args) < 2 {
		fail("no command")
	}
	words := os.Args[2:]
	switch os.Args[1] {
	case "version":
		fmt.Printf("commands:    \t\t%s\nlibflux-core:\t\t%s\n", version, version)
	case "broker":
		os.Exit(broker(words))
	case "run":
		os.Exit(run(words))
	case "exec": // -r all /bin/sh -c TEXT
		os.Exit(tell(request{What: "exec", Text: words[len(words)-1]}))
	case "ping", "cancel", "shutdown":
		os.Exit(tell(request{What: os.Args[1]}))
	case "config":
		fmt.Println("/usr/lib/flux/" + words[len(words)-1])
	default:
		fail("it has no command %s", os.Args[1])
	}
}
