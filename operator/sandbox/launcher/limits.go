package main

import (
	"syscall"
	"unsafe"
)

const defaultOpenFiles = 256

// resources of setrlimit(2) by flag; the numbers are the same on amd64 and arm64.
var resources = map[string]int{
	"--cpu-seconds": 0,
	"--file-size":   1,
	"--memory-data": 2,
	"--core":        4,
	"--processes":   6,
	"--open-files":  syscall.RLIMIT_NOFILE,
}

type limit struct {
	resource int
	amount   uint64
}

// setLimits sets soft and hard limits. Go raises the soft limit of open files for itself, so there is always one.
func setLimits(rules *rules) error {
	for _, limit := range append([]limit{{syscall.RLIMIT_NOFILE, defaultOpenFiles}}, rules.limits...) {
		if limit.resource == syscall.RLIMIT_NOFILE {
			limit.amount = min(limit.amount, uint64(rules.descriptor))
		}
		value := [2]uint64{limit.amount, limit.amount}
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, uintptr(limit.resource), uintptr(unsafe.Pointer(&value)), 0, 0, 0)
		// Keep a hard limit that is already lower.
		if errno != 0 && errno != syscall.EPERM {
			return systemFailure("Cannot set a limit", errno)
		}
	}
	return nil
}
