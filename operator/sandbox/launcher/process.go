package main

import (
	"syscall"
	"unsafe"
)

const (
	oPath             = 0x200000
	emptyPath         = 0x1000
	closeRangeCloexec = 4

	prSetParentDeathSignal = 1
	prDropBounding         = 24
	prSetNoNewPrivileges   = 38
	prAmbient              = 47
	prAmbientClearAll      = 4

	highestDescriptor = 1_023
)

// openPaths opens what the rules and the program name, with the rights that the launcher was started with: a folder of
// root may hold the Node that nobody is to run.
func openPaths(rules *rules) ([]int, error) {
	opened := make([]int, len(rules.paths))
	for i, rule := range rules.paths {
		fd, err := syscall.Open(rule.path, oPath|syscall.O_CLOEXEC, 0)
		if err != nil {
			return nil, failure("Cannot open \"" + rule.path + "\": " + err.Error())
		}
		opened[i] = fd
	}
	// The program's file gets the highest number, and setLimits ends below it. So no descriptor of the program can ever
	// have this number, and the filter allows an execveat of this number alone. The kernel ignores the number if the path is
	// absolute, and a filter cannot read the path: only Landlock refuses to execute other files.
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil, failure("Cannot read the limit of open files: " + err.Error())
	}
	rules.descriptor = int(min(highestDescriptor, limit.Cur-1))
	if rules.report {
		return opened, nil
	}
	// A table of descriptors of its own: growing one that Go's threads share takes the kernel some 10 ms.
	syscall.RawSyscall(syscall.SYS_UNSHARE, syscall.CLONE_FILES, 0, 0)
	fd, err := syscall.Open(rules.program[0], oPath|syscall.O_CLOEXEC, 0)
	if err == nil {
		err = syscall.Dup3(fd, rules.descriptor, syscall.O_CLOEXEC)
	}
	if err != nil {
		return nil, failure("Cannot open \"" + rules.program[0] + "\": " + err.Error())
	}
	return opened, nil
}

// markCloseOnExec leaves the program its standard streams alone.
func markCloseOnExec() {
	_, _, errno := syscall.RawSyscall(sysCloseRange, 3, uintptr(^uint32(0)), closeRangeCloexec)
	if errno == 0 {
		return
	}
	for fd := uintptr(3); fd < 65_536; fd++ { // Linux before 5.11
		syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_SETFD, syscall.FD_CLOEXEC)
	}
}

// dropPrivileges gives up root and its capabilities, and whatever an exec could give back.
func dropPrivileges(uid uint32, walls *walls) error {
	for capability := uintptr(0); capability < 64; capability++ {
		// Fails without CAP_SETPCAP: then there are none to keep from children that may not gain any.
		syscall.RawSyscall(syscall.SYS_PRCTL, prDropBounding, capability, 0)
	}
	if syscall.Getuid() == 0 && uid != 0 {
		id := uintptr(uid)
		for _, call := range [][4]uintptr{
			{syscall.SYS_SETGROUPS, 0, 0, 0},
			{syscall.SYS_SETRESGID, id, id, id},
			{syscall.SYS_SETRESUID, id, id, id},
		} {
			// Not syscall.Setresuid: it changes all threads, and this thread alone will be left.
			if _, _, errno := syscall.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 {
				return systemFailure("Cannot give up root's rights", errno)
			}
		}
	}
	syscall.RawSyscall6(syscall.SYS_PRCTL, prAmbient, prAmbientClearAll, 0, 0, 0, 0)
	header, none := struct{ version, pid uint32 }{0x20080522, 0}, [6]uint32{}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0); errno != 0 {
		return systemFailure("Cannot give up capabilities", errno)
	}
	walls.UID = syscall.Getuid()
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivileges, 1, 0, 0, 0, 0)
	walls.NoNewPrivileges = errno == 0
	// After the change of user, which would clear it.
	syscall.RawSyscall6(syscall.SYS_PRCTL, prSetParentDeathSignal, uintptr(syscall.SIGKILL), 0, 0, 0, 0)
	return nil
}

// become executes the file that openPaths opened, which needs no rights on the folders above it.
func become(rules *rules) error {
	arguments, err := syscall.SlicePtrFromStrings(rules.program)
	if err != nil {
		return failure("Cannot start \"" + rules.program[0] + "\": " + err.Error())
	}
	environment, err := syscall.SlicePtrFromStrings(rules.env)
	if err != nil {
		return failure("Cannot pass the environment: " + err.Error())
	}
	var empty [1]byte
	_, _, errno := syscall.RawSyscall6(sysExecveat, uintptr(rules.descriptor), uintptr(unsafe.Pointer(&empty)),
		uintptr(unsafe.Pointer(&arguments[0])), uintptr(unsafe.Pointer(&environment[0])), emptyPath, 0)
	return systemFailure("Cannot start \""+rules.program[0]+"\"", errno)
}
