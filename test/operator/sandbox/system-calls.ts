/** A system call that Perl can make, and JavaScript cannot. */
export interface SystemCall {
  readonly name: string;
  /** Its number on amd64 and on arm64; one number where both have the same. */
  readonly numbers: readonly [amd64: number, arm64: number] | number;
  /**
   * Perl: `$pid` is another process, `$text` a string, `$nowhere` a path without a file. The calls change nothing if
   * they are allowed.
   */
  readonly args: string;
}

const call = (name: string, numbers: SystemCall["numbers"], args: string): SystemCall => ({
  name,
  numbers,
  args,
});

/** Attempts of code that runs outside of Node. */
export const systemCalls: readonly SystemCall[] = [
  call("ptrace", [101, 117], "0x4206, $pid, 0, 0"),
  call("process_vm_readv", [310, 270], "$pid, 0, 0, 0, 0, 0"),
  call("process_vm_writev", [311, 271], "$pid, 0, 0, 0, 0, 0"),
  call("process_madvise", 440, "-1, 0, 0, 0, 0"),
  call("pidfd_open", 434, "$pid, 0"),
  call("pidfd_getfd", 438, "-1, 0, 0"),
  call("pidfd_send_signal", 424, "-1, 0, 0, 0"),
  call("kill", [62, 129], "$pid, 0"),
  call("tkill", [200, 130], "$pid, 0"),
  call("tgkill", [234, 131], "$pid, $pid, 0"),
  call("rt_sigqueueinfo", [129, 138], "$pid, 0, 0"),
  call("prlimit64", [302, 261], "$pid, 0, 0, 0"),
  call("setpriority", [141, 140], "0, $pid, 0"),
  call("sched_setaffinity", [203, 122], "$pid, 0, 0"),
  call("bpf", [321, 280], "99, 0, 0"),
  call("io_uring_setup", 425, "0, 0"),
  call("userfaultfd", [323, 282], "0xffff"),
  call("perf_event_open", [298, 241], "0, 0, -1, -1, 0"),
  call("add_key", [248, 217], "0, 0, 0, 0, 0"),
  call("request_key", [249, 218], "0, 0, 0, 0"),
  call("keyctl", [250, 219], "9999, 0, 0, 0, 0"),
  call("mount", [165, 40], "0, 0, 0, 0, 0"),
  call("umount2", [166, 39], "0, 0"),
  call("pivot_root", [155, 41], "0, 0"),
  call("open_tree", 428, "-1, 0, 0"),
  call("fsopen", 430, "0, 0"),
  call("chroot", [161, 51], "0"),
  call("unshare", [272, 97], "1"),
  call("setns", [308, 268], "-1, 0"),
  call("clone3", 435, "0, 0"),
  call("execve", [59, 221], "0, 0, 0"),
  call("execveat", [322, 281], "-100, 0, 0, 0, 0"),
  call("execveat from the launcher's descriptor", [322, 281], "1023, $nowhere, 0, 0, 0x1000, 0"),
  call("execveat of an absolute path", [322, 281], "1023, $nowhere, 0, 0, 0, 0"),
  call("memfd_create", [319, 279], "$text, 0"),
  call("open_by_handle_at", [304, 265], "-1, 0, 0"),
  call("name_to_handle_at", [303, 264], "-1, 0, 0, 0, 0"),
  call("personality", [135, 92], "0xffffffff"),
  call("inotify_init1", [294, 26], "0"),
  call("fanotify_init", [300, 262], "0xffff, 0"),
  call("fchmodat", [268, 53], "-100, 0, 0"),
  call("fchownat", [260, 54], "-100, 0, 0, 0, 0"),
  call("utimensat", [280, 88], "-100, 0, 0, 0xffff"),
  call("setxattr", [188, 5], "0, 0, 0, 0, 0"),
  call("getxattr", [191, 8], "0, 0, 0, 0"),
  call("truncate", [76, 45], "0, 0"),
  call("mknodat", [259, 33], "-100, 0, 0, 0"),
  call("shmget", [29, 194], "0, 0, 0"),
  call("msgget", [68, 186], "77, 0"),
  call("mq_open", [240, 180], "0, 0, 0, 0"),
  call("socketpair", [53, 199], "1, 1, 0, 0"),
  call("sendmsg", [46, 211], "-1, 0, 0"),
  call("accept4", [288, 242], "-1, 0, 0, 0"),
  call("seccomp", [317, 277], "99, 0, 0"),
  call("setuid", [105, 146], "-1"),
  call("setsid", [112, 157], ""),
  call("setrlimit", [160, 164], "99, 0"),
  call("init_module", [175, 105], "0, 0, 0"),
];

export const numberOf = ({ numbers }: SystemCall): number =>
  typeof numbers === "number" ? numbers : numbers[process.arch === "arm64" ? 1 : 0];

/** A Perl program that makes the calls and prints, as JSON, the error number of each; 0 is a success. */
export function perlProgram(pid: number): string {
  const lines = systemCalls.map(
    (one) => `note("${one.name}", syscall(${[numberOf(one), one.args].filter(Boolean).join(", ")}));`,
  );
  const [socket, fcntl, prlimit] = process.arch === "arm64" ? [198, 25, 261] : [41, 72, 302];
  return `my $pid = ${pid}; my $text = "fairlead"; my $nowhere = "/does/not/exist"; my @said;
    sub note { my ($name, $result) = @_; push @said, sprintf('"%s": %d', $name, $result == -1 ? $!+0 : 0); }
    ${lines.join("\n")}
    for my $family (1 .. 45) { note("socket $family", syscall(${socket}, $family, 2, 0)); }
    my $child = fork; if (defined $child && $child == 0) { exit 0 }
    note("fork", defined $child ? 0 : -1);
    note("descriptor 1023", syscall(${fcntl}, 1, 0, 1023));
    my $limit = pack("QQ", 1024, 1024);
    note("more descriptors", syscall(${prlimit}, 0, 7, $limit, 0));
    print "{", join(",", @said), "}";`;
}

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const NOT_IMPLEMENTED = 0x00050026;

/** A Perl program that runs another one as if the kernel did not have these system calls. */
export function withoutCalls(numbers: readonly number[]): string {
  const filter = [
    [LOAD, 0, 0, 0],
    ...numbers.flatMap((number) => [
      [IF_EQUAL, 0, 1, number],
      [RETURN, 0, 0, NOT_IMPLEMENTED],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  const prctl = process.arch === "arm64" ? 167 : 157;
  return `my $filter = pack("(SCCL)*", ${filter.flat().join(", ")});
    my $program = pack("Sx6P", ${filter.length}, $filter);
    syscall(${prctl}, 38, 1, 0, 0, 0) == 0 and syscall(${prctl}, 22, 2, $program) == 0 or die "$!";
    exec @ARGV;`;
}
