package main

import (
	"syscall"
	"unsafe"
)

// A seccomp filter is a program of classic BPF: linux/filter.h, linux/seccomp.h.
const (
	bpfLoad       = 0x20 // LD | W | ABS
	bpfIfEqual    = 0x15 // JMP | JEQ | K
	bpfIfAtLeast  = 0x35 // JMP | JGE | K
	bpfAnd        = 0x54 // ALU | AND | K
	bpfReturn     = 0x06 // RET | K
	returnKill    = 0x80000000
	returnErrno   = 0x00050000
	returnAllow   = 0x7fff0000
	offsetNumber  = 0
	offsetArch    = 4
	offsetFirst   = 16
	setModeFilter = 1
	// Linux before 5.16 would otherwise slow down the whole program to keep it from reading its own memory.
	filterSpecAllow = 4
)

type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// condition tests the low half of an argument: the kernel reads only this half of a descriptor, a command, an id or flags.
type condition struct {
	argument int
	mask     uint32
	// The masked argument has to be one of these.
	values []uint32
	// It tests the high half instead.
	high bool
}

// call is the rule of a filter for a system call.
type call struct {
	number uint32
	// The call is allowed if all of these are true.
	when []condition
	// The error otherwise; 0: EPERM.
	errno syscall.Errno
	// The call is always refused.
	refused bool
}

// profile is a list of calls, and the rule for all others.
type profile struct {
	calls     []call
	otherwise uint32
	// Numbers from here on are newer than the list: C libraries do not need calls that a kernel may lack.
	unknownFrom uint32
}

// assemble translates a profile. A system call of another architecture or of x32 ends the process.
func (wanted profile) assemble() []instruction {
	program := []instruction{
		{bpfLoad, 0, 0, offsetArch},
		{bpfIfEqual, 1, 0, auditArch},
		{bpfReturn, 0, 0, returnKill},
		{bpfLoad, 0, 0, offsetNumber},
		{bpfIfAtLeast, 0, 1, x32Bit},
		{bpfReturn, 0, 0, returnKill},
		{bpfIfAtLeast, 0, 1, wanted.unknownFrom},
		{bpfReturn, 0, 0, returnErrno | uint32(syscall.ENOSYS)},
	}
	for _, call := range wanted.calls {
		body := call.assemble()
		program = append(program, instruction{bpfIfEqual, 0, uint8(len(body)), call.number})
		program = append(program, body...)
	}
	return append(program, instruction{bpfReturn, 0, 0, wanted.otherwise})
}

func (call call) assemble() []instruction {
	errno := call.errno
	if errno == 0 {
		errno = syscall.EPERM
	}
	refuse := instruction{bpfReturn, 0, 0, returnErrno | uint32(errno)}
	if call.refused {
		return []instruction{refuse}
	}
	var body []instruction
	for _, condition := range call.when {
		offset := uint32(offsetFirst + 8*condition.argument)
		if condition.high {
			offset += 4
		}
		body = append(body,
			instruction{bpfLoad, 0, 0, offset},
			instruction{bpfAnd, 0, 0, condition.mask})
		for i, value := range condition.values {
			// A value that fits jumps over the other values and the refusal.
			body = append(body, instruction{bpfIfEqual, uint8(len(condition.values) - i), 0, value})
		}
		body = append(body, refuse)
	}
	return append(body, instruction{bpfReturn, 0, 0, returnAllow})
}

// restrictSyscalls installs the filter of a profile on this thread, if the kernel has filters.
func restrictSyscalls(rules *rules, isolation *isolation) error {
	if rules.seccomp == "" {
		return nil
	}
	if _, _, errno := syscall.RawSyscall(sysGetrandom, uintptr(unsafe.Pointer(&rules.secret)), 8, 0); errno != 0 {
		return systemFailure("Cannot make a secret", errno)
	}
	program := profiles[rules.seccomp](rules).assemble()
	filter := struct {
		length uint16
		first  *instruction
	}{uint16(len(program)), &program[0]}
	for _, flags := range []uintptr{filterSpecAllow, 0} {
		_, _, errno := syscall.RawSyscall(sysSeccomp, setModeFilter, flags, uintptr(unsafe.Pointer(&filter)))
		switch errno {
		case 0:
			isolation.Seccomp = rules.seccomp
			return nil
		case syscall.EINVAL, syscall.ENOSYS:
		default:
			return systemFailure("Cannot install a seccomp filter", errno)
		}
	}
	return nil
}
