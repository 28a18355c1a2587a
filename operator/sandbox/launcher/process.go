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

	// To start programs as another user, and to end them.
	capKill   = 1 << 5
	capSetgid = 1 << 6
	capSetuid = 1 << 7

	socketMode = 0o660
	backlog    = 511
	// Number of the descriptor of the Unix socket.
	listening = 3

	highestDescriptor = 1_023
)

// openPaths opens the paths of the rules and the program's file, with the launcher's initial rights: Node may be in a folder
// that only root can read.
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
	// have this number, and the filter of a program allows an execveat of only this number (see onceAs).
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil, failure("Cannot read the limit of open files: " + err.Error())
	}
	rules.descriptor = int(min(highestDescriptor, limit.Cur-1))
	if rules.report {
		return opened, nil
	}
	// A separate table of descriptors: the growth of one that Go's threads share takes the kernel about 10 ms.
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

// markCloseOnExec leaves only the standard streams to the program.
func markCloseOnExec() {
	_, _, errno := syscall.RawSyscall(sysCloseRange, 3, uintptr(^uint32(0)), closeRangeCloexec)
	if errno == 0 {
		return
	}
	for fd := uintptr(3); fd < 65_536; fd++ { // Linux before 5.11
		syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_SETFD, syscall.FD_CLOEXEC)
	}
}

// dropPrivileges drops root and its capabilities, and everything that an exec could restore.
func dropPrivileges(rules *rules, isolation *isolation) error {
	uid, kept := rules.uid, uint32(0)
	if rules.childrenUser != 0 && uid == 0 && syscall.Getuid() == 0 {
		kept = capKill | capSetgid | capSetuid
	}
	for capability := uintptr(0); capability < 64; capability++ {
		if kept&(1<<capability) != 0 {
			continue
		}
		// Fails without CAP_SETPCAP: then there are no capabilities to remove, and children cannot gain any.
		syscall.RawSyscall(syscall.SYS_PRCTL, prDropBounding, capability, 0)
	}
	if syscall.Getuid() == 0 && uid != 0 {
		id := uintptr(uid)
		for _, call := range [][4]uintptr{
			{syscall.SYS_SETGROUPS, 0, 0, 0},
			{syscall.SYS_SETRESGID, id, id, id},
			{syscall.SYS_SETRESUID, id, id, id},
		} {
			// Not syscall.Setresuid: it changes all threads, and only this thread remains after the exec.
			if _, _, errno := syscall.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 {
				return systemFailure("Cannot give up root's rights", errno)
			}
		}
	}
	syscall.RawSyscall6(syscall.SYS_PRCTL, prAmbient, prAmbientClearAll, 0, 0, 0, 0)
	header, sets := struct{ version, pid uint32 }{0x20080522, 0}, [6]uint32{}
	syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0)
	// Effective, permitted, inheritable; then the same of the higher capabilities.
	kept &= sets[1]
	sets = [6]uint32{kept, kept, 0}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0); errno != 0 {
		return systemFailure("Cannot give up capabilities", errno)
	}
	isolation.UID = syscall.Getuid()
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivileges, 1, 0, 0, 0, 0)
	isolation.NoNewPrivileges = errno == 0
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
		uintptr(unsafe.Pointer(&arguments[0])), uintptr(unsafe.Pointer(&environment[0])), emptyPath, uintptr(rules.secret))
	return systemFailure("Cannot start \""+rules.program[0]+"\"", errno)
}

// listenAt creates the Unix socket that the program serves, so that the program needs no right to create one: it can
// neither create another one nor replace that of another process.
func listenAt(path string) (int, error) {
	if path == "" {
		return -1, nil
	}
	fail := func(err error) (int, error) {
		return -1, failure("Cannot listen at \"" + path + "\": " + err.Error())
	}
	// The socket of an earlier process.
	if err := syscall.Unlink(path); err != nil && err != syscall.ENOENT {
		return fail(err)
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fail(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		return fail(err)
	}
	// In a cluster the operator has another user id, and shares the pod's group with this process.
	if err := syscall.Chmod(path, socketMode); err != nil {
		return fail(err)
	}
	if err := syscall.Listen(fd, backlog); err != nil {
		return fail(err)
	}
	return fd, nil
}

// passOn passes the socket to the program.
func passOn(fd int) error {
	if fd < 0 {
		return nil
	}
	errno := syscall.Errno(0)
	if fd == listening {
		_, _, errno = syscall.RawSyscall(syscall.SYS_FCNTL, listening, syscall.F_SETFD, 0)
	} else {
		_, _, errno = syscall.RawSyscall(syscall.SYS_DUP3, uintptr(fd), listening, 0)
	}
	if errno != 0 {
		return systemFailure("Cannot pass on a socket", errno)
	}
	return nil
}
