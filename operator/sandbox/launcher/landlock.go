package main

import (
	"syscall"
	"unsafe"
)

// Rights of files, from include/uapi/linux/landlock.h.
const (
	fsExecute = 1 << iota
	fsWriteFile
	fsReadFile
	fsReadDir
	fsRemoveDir
	fsRemoveFile
	fsMakeChar
	fsMakeDir
	fsMakeReg
	fsMakeSock
	fsMakeFifo
	fsMakeBlock
	fsMakeSym
	fsRefer    // ABI 2
	fsTruncate // ABI 3
	fsIoctlDev // ABI 5
)

const (
	netBind        = 1 << 0 // ABI 4
	netConnect     = 1 << 1 // ABI 4
	scopeAbstract  = 1 << 0 // ABI 6
	scopeSignal    = 1 << 1 // ABI 6
	rulePath       = 1
	rulePort       = 2
	versionFlag    = 1
	rightsOfAFile  = fsExecute | fsWriteFile | fsReadFile | fsTruncate | fsIoctlDev
	rightsToRead   = fsReadFile | fsReadDir
	rightsToChange = fsWriteFile | fsTruncate | fsRemoveDir | fsRemoveFile | fsMakeDir | fsMakeReg | fsMakeSym |
		fsMakeFifo | fsMakeSock | fsRefer
)

var pathRights = map[string]uint64{
	"--ro":   rightsToRead,
	"--rw":   rightsToRead | rightsToChange,
	"--exec": rightsToRead | fsExecute,
}

type rulesetAttribute struct{ fs, net, scoped uint64 }

// landlockABI returns the kernel's version of Landlock; 0: there is none, or it is disabled.
func landlockABI() int {
	version, _, errno := syscall.RawSyscall(sysLandlockCreateRuleset, 0, 0, versionFlag)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// handledRights returns every right and scope that this version of Landlock can remove, and the size of its structure.
func handledRights(abi int) (rulesetAttribute, uintptr) {
	handled, size := rulesetAttribute{fs: fsRefer - 1}, uintptr(8)
	if abi >= 2 {
		handled.fs |= fsRefer
	}
	if abi >= 3 {
		handled.fs |= fsTruncate
	}
	if abi >= 4 {
		handled.net, size = netBind|netConnect, 16
	}
	if abi >= 5 {
		handled.fs |= fsIoctlDev
	}
	if abi >= 6 {
		handled.scoped, size = scopeAbstract|scopeSignal, 24
	}
	return handled, size
}

// restrictLandlock removes all rights and scopes from this thread except those of the rules.
func restrictLandlock(rules *rules, opened []int, isolation *isolation) error {
	isolation.LandlockABI = landlockABI()
	if isolation.LandlockABI == 0 {
		return nil
	}
	handled, size := handledRights(isolation.LandlockABI)
	if rules.anyPort {
		handled.net &^= netConnect
	}
	ruleset, _, errno := syscall.RawSyscall(sysLandlockCreateRuleset, uintptr(unsafe.Pointer(&handled)), size, 0)
	if errno != 0 {
		return systemFailure("Cannot create a Landlock ruleset", errno)
	}
	for i, rule := range rules.paths {
		if err := allowPath(int(ruleset), opened[i], rule, handled.fs); err != nil {
			return err
		}
	}
	for _, rule := range rules.ports {
		attribute := [2]uint64{rule.access & handled.net, rule.port}
		if attribute[0] == 0 {
			continue
		}
		if errno := addRule(int(ruleset), rulePort, unsafe.Pointer(&attribute)); errno != 0 {
			return systemFailure("Cannot allow a TCP port", errno)
		}
	}
	if _, _, errno := syscall.RawSyscall(sysLandlockRestrictSelf, ruleset, 0, 0); errno != 0 {
		return systemFailure("Cannot enter a Landlock domain", errno)
	}
	isolation.Handled = handled
	return nil
}

func allowPath(ruleset, fd int, rule pathRule, handled uint64) error {
	var status syscall.Stat_t
	if err := syscall.Fstat(fd, &status); err != nil {
		return failure("Cannot allow \"" + rule.path + "\": " + err.Error())
	}
	access := rule.access & handled
	if status.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		access &= rightsOfAFile
	}
	// The kernel's structure is packed: 64 bits of rights, 32 bits of descriptor.
	var attribute [12]byte
	*(*uint64)(unsafe.Pointer(&attribute[0])) = access
	*(*int32)(unsafe.Pointer(&attribute[8])) = int32(fd)
	if errno := addRule(ruleset, rulePath, unsafe.Pointer(&attribute)); errno != 0 {
		return systemFailure("Cannot allow \""+rule.path+"\"", errno)
	}
	return nil
}

func addRule(ruleset int, kind uintptr, attribute unsafe.Pointer) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(sysLandlockAddRule, uintptr(ruleset), kind, uintptr(attribute), 0, 0, 0)
	return errno
}

func systemFailure(what string, errno syscall.Errno) error {
	return failure(what + ": " + errno.Error())
}
