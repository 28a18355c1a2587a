// Command fairlead-launch sets kernel restrictions (no new privileges, no capabilities, Landlock, a seccomp filter and
// resource limits) and then executes a program in its own process. See docs/sandbox.md.
package main

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// The launcher itself failed; the program did not start. The same code as in env(1).
const exitCannotLaunch = 125

// prefixVariable holds the first words of the command line, a line each, for a caller that can name a program to start and
// not its first arguments. A command line of rules is complete without it.
const prefixVariable = "FAIRLEAD_LAUNCH"

func commandLine(words []string, prefix string) []string {
	if prefix == "" || slices.Contains(words, "--") || slices.Contains(words, "--report") {
		return words
	}
	return append(strings.Split(prefix, "\n"), words...)
}

func init() {
	// Privileges, Landlock domains and filters belong to a thread. An exec keeps those of the thread that calls it.
	runtime.LockOSThread()
}

func main() {
	rules, err := parseRules(commandLine(os.Args[1:], os.Getenv(prefixVariable)))
	if err == nil {
		err = launch(rules)
	}
	os.Stderr.WriteString("fairlead-launch: " + err.Error() + "\n")
	os.Exit(exitCannotLaunch)
}

// launch sets the restrictions and executes the program in this process. It returns only if that fails.
func launch(rules *rules) error {
	isolation := &isolation{}
	opened, err := openPaths(rules)
	if err != nil {
		return err
	}
	socket, err := listenAt(rules.listen)
	if err != nil {
		return err
	}
	markCloseOnExec()
	if err := setLimits(rules); err != nil {
		return err
	}
	isolation.Limits = len(rules.limits) > 0
	if err := dropPrivileges(rules, isolation); err != nil {
		return err
	}
	if err := restrictLandlock(rules, opened, isolation); err != nil {
		return err
	}
	if err := passOn(socket); err != nil {
		return err
	}
	if err := restrictSyscalls(rules, isolation); err != nil {
		return err
	}
	if missing := isolation.missing(rules.require); len(missing) > 0 {
		return failure("Cannot start the program: this kernel lacks " + join(missing))
	}
	if rules.report {
		syscall.Write(1, []byte(isolation.json()))
		os.Exit(0)
	}
	return become(rules)
}
