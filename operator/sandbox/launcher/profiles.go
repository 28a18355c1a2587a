package main

import "syscall"

const (
	allBits = ^uint32(0)
	// open(2) for reading: no O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_TMPFILE.
	writingFlags = 0x3 | 0x40 | 0x200 | 0x400000
	cloneThread  = 0x10000
	// All CLONE_NEW… flags of clone(2); CLONE_NEWTIME is for clone3 and unshare alone.
	cloneNew = 0x7e020000
	// The first number that is in no list here.
	unknownFrom = 463
)

var profiles = map[string]func(*rules) profile{
	"program": programProfile, "reader": readerProfile, "programs": programsProfile,
	"git": gitProfile, "source": sourceProfile,
}

const profileNames = "program, reader, programs, git or source"

// PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS, PR_SET_VMA
var programOptions = []uint32{3, 15, 16, 23, 39, 0x53564d41}

// programProfile is for an untrusted program, run by Node: it computes, and communicates over its standard streams.
// Calls that are not on the list are refused. The list was found with strace on Node 26 with glibc, and includes calls of
// musl and other V8 versions.
func programProfile(rules *rules) profile {
	calls := allow(
		// Memory
		syscall.SYS_BRK, syscall.SYS_MMAP, syscall.SYS_MUNMAP, syscall.SYS_MPROTECT, syscall.SYS_MREMAP,
		syscall.SYS_MADVISE, syscall.SYS_MINCORE, sysMembarrier, sysPkeyAlloc, sysPkeyFree, sysPkeyMprotect, sysMseal,
		// Its own threads, time and signals
		syscall.SYS_FUTEX, syscall.SYS_SET_ROBUST_LIST, syscall.SYS_GET_ROBUST_LIST, syscall.SYS_SET_TID_ADDRESS, sysRseq,
		syscall.SYS_RT_SIGACTION, syscall.SYS_RT_SIGPROCMASK, syscall.SYS_RT_SIGRETURN, syscall.SYS_RT_SIGPENDING,
		syscall.SYS_RT_SIGSUSPEND, syscall.SYS_RT_SIGTIMEDWAIT, syscall.SYS_SIGALTSTACK, syscall.SYS_RESTART_SYSCALL,
		syscall.SYS_NANOSLEEP, syscall.SYS_CLOCK_NANOSLEEP, syscall.SYS_CLOCK_GETTIME, syscall.SYS_CLOCK_GETRES,
		syscall.SYS_GETTIMEOFDAY, syscall.SYS_TIMES, syscall.SYS_EXIT, syscall.SYS_EXIT_GROUP,
		syscall.SYS_SCHED_YIELD, syscall.SYS_SCHED_GETAFFINITY, syscall.SYS_SCHED_GETPARAM, syscall.SYS_SCHED_GETSCHEDULER,
		syscall.SYS_SCHED_GET_PRIORITY_MAX, syscall.SYS_SCHED_GET_PRIORITY_MIN, syscall.SYS_GETPRIORITY, sysGetcpu,
		// Its identity
		syscall.SYS_GETPID, syscall.SYS_GETTID, syscall.SYS_GETPPID, syscall.SYS_GETUID, syscall.SYS_GETEUID,
		syscall.SYS_GETGID, syscall.SYS_GETEGID, syscall.SYS_GETRESUID, syscall.SYS_GETRESGID, syscall.SYS_GETGROUPS,
		syscall.SYS_GETPGID, syscall.SYS_GETSID, syscall.SYS_CAPGET, syscall.SYS_UNAME, syscall.SYS_SYSINFO,
		syscall.SYS_GETRUSAGE, syscall.SYS_UMASK, sysGetrandom,
		// Its descriptors
		syscall.SYS_READ, syscall.SYS_WRITE, syscall.SYS_READV, syscall.SYS_WRITEV, syscall.SYS_PREAD64,
		syscall.SYS_PWRITE64, syscall.SYS_PREADV, syscall.SYS_PWRITEV, syscall.SYS_LSEEK, syscall.SYS_CLOSE, sysCloseRange,
		syscall.SYS_DUP, syscall.SYS_DUP3, syscall.SYS_PIPE2, syscall.SYS_EVENTFD2, syscall.SYS_EPOLL_CREATE1,
		syscall.SYS_EPOLL_CTL, syscall.SYS_EPOLL_PWAIT, syscall.SYS_PPOLL, syscall.SYS_PSELECT6,
		syscall.SYS_GETSOCKNAME, syscall.SYS_GETPEERNAME, syscall.SYS_GETSOCKOPT, syscall.SYS_SHUTDOWN,
		// Files that Landlock allows it to read
		syscall.SYS_FSTAT, sysNewfstatat, sysStatx, syscall.SYS_FACCESSAT, sysFaccessat2, syscall.SYS_READLINKAT,
		syscall.SYS_GETDENTS64, syscall.SYS_GETCWD, sysFadvise64,
	)
	self := uint32(syscall.Getpid())
	calls = append(calls, allow(legacyCalls...)...)
	for _, open := range legacyOpen {
		calls = append(calls, call{number: open, when: []condition{{argument: 1, mask: writingFlags, values: []uint32{0}}}, errno: syscall.EACCES})
	}
	calls = append(calls,
		call{number: syscall.SYS_OPENAT, when: []condition{{argument: 2, mask: writingFlags, values: []uint32{0}}}, errno: syscall.EACCES},
		call{number: syscall.SYS_CLONE, when: []condition{{argument: 0, mask: cloneThread | cloneNew, values: []uint32{cloneThread}}}},
		// Its flags are in memory, where no filter can read them. C libraries then use clone.
		refuse(sysClone3, syscall.ENOSYS),
		call{number: syscall.SYS_KILL, when: only(0, self)},
		call{number: syscall.SYS_TGKILL, when: only(0, self)},
		call{number: syscall.SYS_PRLIMIT64, when: only(0, 0, self)},
		call{number: sysExecveat, when: onceAs(rules)},
		// FIONCLEX, FIOCLEX, FIONBIO, FIONREAD, TCGETS, TIOCGWINSZ
		call{number: syscall.SYS_IOCTL, when: only(1, 0x5450, 0x5451, 0x5421, 0x541b, 0x5401, 0x5413), errno: syscall.ENOTTY},
		// F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
		call{number: syscall.SYS_FCNTL, when: only(1, 0, 1, 2, 3, 4, 1_030)},
		call{number: syscall.SYS_PRCTL, when: only(0, programOptions...), errno: syscall.EINVAL},
	)
	for _, number := range []uint32{sysIoUringSetup, sysEpollPwait2, sysOpenat2, sysPidfdOpen} {
		calls = append(calls, refuse(number, syscall.ENOSYS))
	}
	return profile{calls, returnErrno | uint32(syscall.EPERM), unknownFrom}
}

// readerProfile is for a process of Fairlead that computes, and serves the one socket that the launcher created (see
// listenAt).
func readerProfile(rules *rules) profile {
	wanted := programProfile(rules)
	wanted.calls = append(allow(syscall.SYS_ACCEPT4, syscall.SYS_LISTEN), wanted.calls...)
	return wanted
}

// programsProfile is for a process of Fairlead that does the same, and starts programs with this launcher. Landlock limits
// the files that it may execute, and its signals to the processes that it started.
func programsProfile(rules *rules) profile {
	wanted := readerProfile(rules)
	calls := allow(
		syscall.SYS_EXECVE, sysExecveat, syscall.SYS_WAIT4, syscall.SYS_WAITID, syscall.SYS_SETSID, syscall.SYS_CHDIR,
		syscall.SYS_KILL, syscall.SYS_TGKILL, syscall.SYS_CAPSET,
		sysLandlockCreateRuleset, sysLandlockAddRule, sysLandlockRestrictSelf,
	)
	user := append([]condition{}, only(0, rules.childrenUser)...)
	user = append(append(user, only(1, rules.childrenUser)...), only(2, rules.childrenUser)...)
	calls = append(calls,
		call{number: syscall.SYS_CLONE, when: []condition{{argument: 0, mask: cloneNew, values: []uint32{0}}}},
		call{number: syscall.SYS_SOCKETPAIR, when: only(0, syscall.AF_UNIX)},
		call{number: syscall.SYS_UNSHARE, when: only(0, syscall.CLONE_FILES)},
		call{number: sysSeccomp, when: only(0, setModeFilter)},
		call{number: syscall.SYS_SETGROUPS, when: only(0, 0)},
		call{number: syscall.SYS_SETRESUID, when: user},
		call{number: syscall.SYS_SETRESGID, when: user},
		// In addition to those of a program: PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT
		call{number: syscall.SYS_PRCTL, when: only(0, append(programOptions, 1, 24, 38, 47)...), errno: syscall.EINVAL},
	)
	wanted.calls = append(calls, wanted.calls...)
	return wanted
}

// sourceProfile is for the process that starts git. Its Unix socket is the one that the launcher created.
func sourceProfile(rules *rules) profile {
	wanted := gitProfile(rules)
	wanted.calls = append([]call{{number: syscall.SYS_UNSHARE, when: only(0, syscall.CLONE_FILES)}}, wanted.calls...)
	return wanted
}

// onceAs allows only the execveat of the launcher: the kernel ignores the sixth argument, which contains a random number
// that only the launcher has. The exec clears it from the registers together with the launcher's memory.
func onceAs(rules *rules) []condition {
	return []condition{
		{argument: 0, mask: allBits, values: []uint32{uint32(rules.descriptor)}},
		{argument: 4, mask: allBits, values: []uint32{emptyPath}},
		{argument: 5, mask: allBits, values: []uint32{uint32(rules.secret)}},
		{argument: 5, mask: allBits, values: []uint32{uint32(rules.secret >> 32)}, high: true},
	}
}

// gitProfile is for git and ssh: they start programs, write files and use the network. It refuses the calls that reach
// other processes or the kernel's rarely used parts.
func gitProfile(*rules) profile {
	var calls []call
	for _, number := range []uint32{
		syscall.SYS_PTRACE, sysProcessVMReadv, sysProcessVMWritev, sysPidfdGetfd, sysProcessMadvise, sysKcmp,
		sysBpf, sysIoUringSetup, sysIoUringSetup + 1, sysIoUringSetup + 2, sysUserfaultfd, sysPerfEventOpen,
		syscall.SYS_KEYCTL, syscall.SYS_ADD_KEY, syscall.SYS_REQUEST_KEY,
		syscall.SYS_MOUNT, syscall.SYS_UMOUNT2, syscall.SYS_PIVOT_ROOT, syscall.SYS_CHROOT, sysOpenTree, sysMoveMount,
		sysFsopen, sysFsconfig, sysFsmount, sysFspick, sysMountSetattr, syscall.SYS_UNSHARE, sysSetns,
		sysNameToHandleAt, sysOpenByHandleAt, sysFanotifyInit, sysMemfdCreate, sysMemfdSecret, syscall.SYS_PERSONALITY,
		syscall.SYS_INIT_MODULE, sysFinitModule, syscall.SYS_DELETE_MODULE, syscall.SYS_KEXEC_LOAD,
		syscall.SYS_REBOOT, syscall.SYS_SWAPON, syscall.SYS_SWAPOFF, syscall.SYS_ACCT, syscall.SYS_SYSLOG,
		syscall.SYS_QUOTACTL, syscall.SYS_MKNODAT, syscall.SYS_SETTIMEOFDAY, syscall.SYS_CLOCK_SETTIME,
		syscall.SYS_MOVE_PAGES, syscall.SYS_MBIND, syscall.SYS_VHANGUP,
	} {
		calls = append(calls, refuse(number, syscall.EPERM))
	}
	calls = append(calls,
		refuse(sysClone3, syscall.ENOSYS),
		call{number: syscall.SYS_CLONE, when: []condition{{argument: 0, mask: cloneNew, values: []uint32{0}}}},
		// Over the Internet; and AF_NETLINK, with which C libraries choose between IPv4 and IPv6.
		call{number: syscall.SYS_SOCKET, when: only(0, syscall.AF_INET, syscall.AF_INET6, syscall.AF_NETLINK), errno: syscall.EAFNOSUPPORT},
		call{number: syscall.SYS_SOCKETPAIR, when: only(0, syscall.AF_UNIX), errno: syscall.EAFNOSUPPORT},
	)
	return profile{calls, returnAllow, unknownFrom}
}

func allow(numbers ...uint32) []call {
	calls := make([]call, len(numbers))
	for i, number := range numbers {
		calls[i].number = number
	}
	return calls
}

func refuse(number uint32, errno syscall.Errno) call {
	return call{number: number, errno: errno, refused: true}
}

func only(argument int, values ...uint32) []condition {
	return []condition{{argument: argument, mask: allBits, values: values}}
}
