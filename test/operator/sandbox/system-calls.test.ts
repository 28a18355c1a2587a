import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchArguments } from "../../../operator/sandbox/launch-arguments.ts";
import { kernelWalls, launcher } from "../../fakes/launcher.ts";
import { perlProgram, systemCalls } from "./system-calls.ts";

const run = promisify(execFile);
const perl = "/usr/bin/perl";
const EPERM = 1;
const EINVAL = 22;
const ENOSYS = 38;
const EACCES = 13;

const [, ...loaders] = kernelWalls.node.execute;
const rules = {
  read: ["/usr/lib", "/lib", "/lib64", "/dev/null"].filter(existsSync),
  execute: [perl, ...loaders],
  user: 0,
} as const;

let other: ChildProcess;
/** Error numbers of the calls: with the filter of programs, with that of git, and without any. */
let program: Readonly<Record<string, number>>;
let git: Readonly<Record<string, number>>;
let free: Readonly<Record<string, number>>;

describe.runIf(launcher !== undefined && existsSync(perl))("the filter of system calls", () => {
  beforeAll(async () => {
    other = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
    const code = perlProgram(other.pid ?? 0);
    const behind = (seccomp: "program" | "git"): Promise<{ stdout: string }> =>
      run(launcher ?? "", launchArguments({ ...rules, seccomp }, [perl, "-e", code]));
    const [first, second, third] = await Promise.all([
      behind("program"),
      behind("git"),
      run(perl, ["-e", code]),
    ]);
    [program, git, free] = [first, second, third].map(({ stdout }) => JSON.parse(stdout)) as [
      typeof program,
      typeof git,
      typeof free,
    ];
  });
  afterAll(() => void other.kill("SIGKILL"));

  test.for(systemCalls.map(({ name }) => name))("refuses %s to programs", (name) => {
    expect([EPERM, ENOSYS]).toContain(program[name]);
    // Root may do anything, so the filter alone can have refused it.
    if (process.getuid?.() === 0) expect(free[name]).not.toBe(EPERM);
  });

  test("refuses programs sockets of every family", () => {
    for (let family = 1; family <= 45; family++) expect(program[`socket ${family}`]).toBe(EPERM);
    expect(free["socket 1"]).toBe(0);
  });

  test("refuses programs another process", () => {
    expect(program["fork"]).toBe(EPERM);
    expect([git["fork"], free["fork"]]).toEqual([0, 0]);
  });

  test("refuses programs the descriptor from which the launcher started them", () => {
    expect(program["descriptor 1023"]).toBe(EINVAL);
    expect(program["more descriptors"]).toBe(EPERM);
  });

  test("lets git use the Internet, and no other family of sockets but the kernel's routes", () => {
    const allowed = Array.from({ length: 45 }, (_, index) => index + 1).filter(
      (family) => git[`socket ${family}`] !== 97,
    );
    expect(allowed).toEqual([2, 10, 16]);
  });

  test.for(
    "ptrace process_vm_readv pidfd_getfd bpf io_uring_setup userfaultfd perf_event_open keyctl mount open_tree unshare setns clone3 memfd_create open_by_handle_at personality".split(
      " ",
    ),
  )("refuses %s to git", (name) => {
    expect([EPERM, ENOSYS, EACCES]).toContain(git[name]);
  });

  test.runIf(process.arch === "x64")("ends a program that uses the interface of x32", async () => {
    const words = launchArguments({ ...rules, seccomp: "program" }, [perl, "-e", "syscall(0x40000027)"]);
    await expect(run(launcher ?? "", words)).rejects.toMatchObject({ signal: "SIGSYS" });
  });
});
