// Command fairlead-launch replaces itself by a program behind walls of the kernel: no new privileges, no capabilities,
// Landlock, a seccomp filter and resource limits. See docs/sandbox.md.
package main

import (
	"os"
	"runtime"
	"syscall"
)

// The launcher itself failed; the program did not start. The same code as in env(1).
const exitCannotLaunch = 125

func init() {
	// Privileges, Landlock domains and filters belong to a thread. An exec keeps those of the thread that calls it.
	runtime.LockOSThread()
}

func main() {
	rules, err := parseRules(os.Args[1:])
	if err == nil {
		err = launch(rules)
	}
	os.Stderr.WriteString("fairlead-launch: " + err.Error() + "\n")
	os.Exit(exitCannotLaunch)
}

// launch builds the walls and becomes the program. It returns only if that fails.
func launch(rules *rules) error {
	walls := &walls{}
	opened, err := openPaths(rules)
	if err != nil {
		return err
	}
	markCloseOnExec()
	if err := setLimits(rules); err != nil {
		return err
	}
	walls.Limits = len(rules.limits) > 0
	if err := dropPrivileges(rules.uid, walls); err != nil {
		return err
	}
	if err := restrictLandlock(rules, opened, walls); err != nil {
		return err
	}
	if err := restrictSyscalls(rules, walls); err != nil {
		return err
	}
	if missing := walls.missing(rules.require); len(missing) > 0 {
		return failure("Cannot start the program: this kernel lacks " + join(missing))
	}
	if rules.report {
		syscall.Write(1, []byte(walls.json()))
		os.Exit(0)
	}
	return become(rules)
}
