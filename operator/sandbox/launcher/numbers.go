package main

// Numbers of system calls that package syscall lacks and that are the same on all architectures.
const (
	sysIoUringSetup          = 425
	sysOpenTree              = 428
	sysMoveMount             = 429
	sysFsopen                = 430
	sysFsconfig              = 431
	sysFsmount               = 432
	sysFspick                = 433
	sysPidfdOpen             = 434
	sysClone3                = 435
	sysCloseRange            = 436
	sysOpenat2               = 437
	sysPidfdGetfd            = 438
	sysFaccessat2            = 439
	sysProcessMadvise        = 440
	sysEpollPwait2           = 441
	sysMountSetattr          = 442
	sysLandlockCreateRuleset = 444
	sysLandlockAddRule       = 445
	sysLandlockRestrictSelf  = 446
	sysMemfdSecret           = 447
	sysMseal                 = 462
)
