package main

import "syscall"

const (
	auditArch = 0xc00000b7
	// There is no second interface; no number is this high.
	x32Bit = 0x40000000

	sysGetcpu          = syscall.SYS_GETCPU
	sysFadvise64       = syscall.SYS_FADVISE64
	sysNewfstatat      = syscall.SYS_FSTATAT
	sysPerfEventOpen   = syscall.SYS_PERF_EVENT_OPEN
	sysFanotifyInit    = syscall.SYS_FANOTIFY_INIT
	sysNameToHandleAt  = syscall.SYS_NAME_TO_HANDLE_AT
	sysOpenByHandleAt  = syscall.SYS_OPEN_BY_HANDLE_AT
	sysSetns           = syscall.SYS_SETNS
	sysProcessVMReadv  = syscall.SYS_PROCESS_VM_READV
	sysProcessVMWritev = syscall.SYS_PROCESS_VM_WRITEV
	sysKcmp            = syscall.SYS_KCMP
	sysFinitModule     = syscall.SYS_FINIT_MODULE
	sysSeccomp         = syscall.SYS_SECCOMP
	sysGetrandom       = syscall.SYS_GETRANDOM
	sysMemfdCreate     = syscall.SYS_MEMFD_CREATE
	sysBpf             = syscall.SYS_BPF
	sysExecveat        = syscall.SYS_EXECVEAT
	sysUserfaultfd     = 282
	sysMembarrier      = 283
	sysPkeyMprotect    = 288
	sysPkeyAlloc       = 289
	sysPkeyFree        = 290
	sysStatx           = 291
	sysRseq            = 293
)

var legacyCalls, legacyOpen []uint32
