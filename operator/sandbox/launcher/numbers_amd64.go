package main

import "syscall"

const (
	auditArch = 0xc000003e
	// System calls of the x32 interface have this bit.
	x32Bit = 0x40000000

	sysGetcpu          = 309
	sysFadvise64       = syscall.SYS_FADVISE64
	sysNewfstatat      = syscall.SYS_NEWFSTATAT
	sysPerfEventOpen   = 298
	sysFanotifyInit    = 300
	sysNameToHandleAt  = 303
	sysOpenByHandleAt  = 304
	sysSetns           = 308
	sysProcessVMReadv  = 310
	sysProcessVMWritev = 311
	sysKcmp            = 312
	sysFinitModule     = 313
	sysSeccomp         = 317
	sysGetrandom       = 318
	sysMemfdCreate     = 319
	sysBpf             = 321
	sysExecveat        = 322
	sysUserfaultfd     = 323
	sysMembarrier      = 324
	sysPkeyMprotect    = 329
	sysPkeyAlloc       = 330
	sysPkeyFree        = 331
	sysStatx           = 332
	sysRseq            = 334
)

// Calls that newer architectures do not have.
var legacyCalls = []uint32{
	syscall.SYS_ARCH_PRCTL, syscall.SYS_STAT, syscall.SYS_LSTAT, syscall.SYS_ACCESS, syscall.SYS_READLINK,
	syscall.SYS_POLL, syscall.SYS_SELECT, syscall.SYS_EPOLL_WAIT, syscall.SYS_PIPE, syscall.SYS_DUP2, syscall.SYS_TIME,
	syscall.SYS_GETPGRP, syscall.SYS_EVENTFD, syscall.SYS_EPOLL_CREATE,
}

// Their second argument has the flags.
var legacyOpen = []uint32{syscall.SYS_OPEN}
