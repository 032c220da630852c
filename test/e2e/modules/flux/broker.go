package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// member is a broker's connection to another: a follower's to its lead, or the lead's to one of the followers.
// Lines go over it: "hello RANK KEY" to the lead; "exec TEXT" and "end" from it; "done" as exec's answer.
type member struct {
	connection net.Conn
	lines      *bufio.Scanner
	done       chan bool
}

func newMember(connection net.Conn) *member {
	return &member{connection, bufio.NewScanner(connection), make(chan bool, 1)}
}

func (m *member) say(format string, values ...any) {
	fmt.Fprintf(m.connection, format+"\n", values...)
}

func shell(text string) { exec.Command("/bin/sh", "-c", text).Run() }

// instance is what a broker has of the instance.
type instance struct {
	config
	mutex     sync.Mutex
	members   map[int]*member // by rank
	program   *exec.Cmd
	task      int // the PID of the running job's task
	connected bool
	quorum    chan bool
	over      chan int // the broker's exit status
}

func broker(words []string) int {
	c := readConfig(words)
	i := &instance{config: c, members: map[int]*member{}, quorum: make(chan bool), over: make(chan int, 8)}
	fmt.Printf("stand-in: rank %d of %d is %s\n", c.rank, len(c.hosts), c.hosts[c.rank])
	os.Remove(c.socket)
	local, err := net.Listen("unix", c.socket)
	if err != nil {
		fail("%v", err)
	}
	go i.serve(local)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	if c.rank > 0 {
		go i.follow(signals)
	} else {
		i.lead(signals)
	}
	return <-i.over
}

// lead takes its followers in, and runs the initial program once all are there.
func (i *instance) lead(signals chan os.Signal) {
	listener, err := net.Listen("tcp", i.listenAddress())
	if err != nil {
		fail("%v", err)
	}
	i.connected = true
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				fail("%v", err)
			}
			go i.welcome(newMember(connection))
		}
	}()
	go i.stopLead(signals)
	if len(i.hosts) == 1 {
		go close(i.quorum)
	}
	go i.initialProgram()
}

// welcome is a follower's time at the lead.
func (i *instance) welcome(m *member) {
	var rank int
	var key string
	if !m.lines.Scan() {
		return
	}
	if _, err := fmt.Sscanf(m.lines.Text(), "hello %d %s", &rank, &key); err != nil || key != i.key {
		fmt.Println("stand-in: a peer with another key waits for ever")
		return
	}
	i.resolved(rank, m.connection)
	i.mutex.Lock()
	i.members[rank] = m
	if len(i.members) == len(i.hosts)-1 {
		close(i.quorum)
	}
	i.mutex.Unlock()
	for m.lines.Scan() {
		m.done <- true
	}
	fmt.Printf("stand-in: rank %d is lost\n", rank)
	i.mutex.Lock()
	defer i.mutex.Unlock()
	delete(i.members, rank)
	close(m.done)
	i.kill(syscall.SIGTERM)
}

// resolved records that a follower is where its name says.
func (i *instance) resolved(rank int, connection net.Conn) {
	name, _, _ := net.SplitHostPort(i.address(rank))
	addresses, err := net.LookupHost(name)
	peer, _, _ := net.SplitHostPort(connection.RemoteAddr().String())
	fmt.Printf("stand-in: rank %d is %s %v %v, from %s\n", rank, name, addresses, err, peer)
}

func (i *instance) kill(s syscall.Signal) bool {
	return i.task != 0 && syscall.Kill(i.task, s) == nil
}

func (i *instance) initialProgram() {
	<-i.quorum
	fmt.Printf("stand-in: quorum of %d\n", len(i.hosts))
	if i.interactive {
		return
	}
	i.mutex.Lock()
	i.program = exec.Command(i.command[0], i.command[1:]...)
	i.program.Env = append(os.Environ(), "FLUX_URI=local://"+i.socket)
	i.program.Stdout, i.program.Stderr = os.Stdout, os.Stderr
	err := i.program.Start()
	i.mutex.Unlock()
	if err != nil {
		fail("%v", err)
	}
	i.program.Wait()
	i.end(status(i.program.ProcessState))
}

// end is a clean end: the followers hear of it.
func (i *instance) end(status int) {
	i.mutex.Lock()
	for _, m := range i.members {
		m.say("end")
	}
	i.mutex.Unlock()
	i.over <- status
}

// stopLead: the initial program gets SIGHUP; without one the instance ends, and nobody hears of a failure.
func (i *instance) stopLead(signals chan os.Signal) {
	for range signals {
		i.mutex.Lock()
		running := i.program != nil
		if running {
			i.program.Process.Signal(syscall.SIGHUP)
		}
		i.mutex.Unlock()
		if !running {
			i.end(0)
		}
	}
}

// follow is a follower's life. One that has lost its lead hangs, and SIGTERM doesn't end it.
func (i *instance) follow(signals chan os.Signal) {
	var connection net.Conn
	for said := false; connection == nil; {
		var err error
		if connection, err = net.DialTimeout("tcp", i.address(0), time.Second); err != nil {
			if !said {
				fmt.Println("stand-in: the lead is not there yet:", err)
			}
			said = true
			select {
			case <-signals:
				i.over <- 0
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
	go func() {
		for range signals {
			if i.isConnected() {
				i.over <- 0
			}
		}
	}()
	m := newMember(connection)
	m.say("hello %d %s", i.rank, i.key)
	i.setConnected(true)
	for m.lines.Scan() {
		if text, found := strings.CutPrefix(m.lines.Text(), "exec "); found {
			shell(text)
			m.say("done")
		} else {
			i.over <- 0
			return
		}
	}
	i.setConnected(false)
	fmt.Println("stand-in: the lead is lost")
}

func (i *instance) isConnected() bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.connected
}

func (i *instance) setConnected(is bool) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.connected = is
}

// serve answers the commands of this pod.
func (i *instance) serve(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			fail("%v", err)
		}
		go func() {
			defer connection.Close()
			var r request
			if json.NewDecoder(connection).Decode(&r) != nil {
				return
			}
			text, yes := i.answer(r)
			json.NewEncoder(connection).Encode(map[string]any{"Text": text, "Yes": yes})
		}()
	}
}

func (i *instance) answer(r request) (string, bool) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	switch r.What {
	case "task":
		i.task = r.PID
	case "ping":
		return "", i.connected
	case "cancel":
		if !i.kill(syscall.SIGTERM) {
			return "flux-cancel: Matched 0 jobs", false
		}
	case "shutdown":
		go i.end(0)
	case "exec":
		for _, m := range i.members {
			m.say("exec %s", r.Text)
		}
		shell(r.Text)
		i.mutex.Unlock() // a member that is lost needs it
		for _, m := range i.everybody() {
			<-m.done
		}
		i.mutex.Lock()
	}
	return "", true
}

func (i *instance) everybody() []*member {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	var all []*member
	for _, m := range i.members {
		all = append(all, m)
	}
	return all
}
