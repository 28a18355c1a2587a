import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchArguments } from "../../../operator/sandbox/launch-arguments.ts";
import { kernelIsolation, launcher } from "../../fakes/launcher.ts";
import { perlProgram, systemCalls } from "./system-calls.ts";

const run = promisify(execFile);
const perl = "/usr/bin/perl";
const EPERM = 1;
const EBADF = 9;
const EINVAL = 22;
const ENOSYS = 38;
const EACCES = 13;

const [, ...loaders] = kernelIsolation.node.execute;
const rules = {
  read: ["/usr/lib", "/lib", "/lib64", "/dev/null"].filter(existsSync),
  execute: [perl, ...loaders],
  user: 0,
} as const;

let other: ChildProcess;
type Profile = "program" | "git" | "reader" | "programs" | "source";
type Errors = Readonly<Record<string, number>>;
/** Error numbers of the calls: with the filters, and without a filter. */
let filtered: Readonly<Record<Profile, Errors>>;
let program: Errors;
let git: Errors;
let free: Errors;

describe.runIf(launcher !== undefined && existsSync(perl))("the filter of system calls", () => {
  beforeAll(async () => {
    other = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
    const code = perlProgram(other.pid ?? 0);
    const errorsOf = async ([file = "", ...words]: readonly string[]): Promise<Errors> =>
      JSON.parse((await run(file, words)).stdout);
    const behind = async (seccomp: Profile): Promise<readonly [Profile, Errors]> => {
      const words = launchArguments({ ...rules, seccomp, childrenUser: 65_534 }, [perl, "-e", code]);
      return [seccomp, await errorsOf([launcher ?? "", ...words])];
    };
    const profiles = ["program", "git", "reader", "programs", "source"] as const;
    filtered = Object.fromEntries(await Promise.all(profiles.map(behind))) as typeof filtered;
    ({ program, git } = filtered);
    free = await errorsOf([perl, "-e", code]);
  });
  afterAll(() => void other.kill("SIGKILL"));

  test.for(systemCalls.map(({ name }) => name))("refuses %s to programs", (name) => {
    expect([EPERM, ENOSYS]).toContain(program[name]);
    // Root may do anything, so only the filter can have denied it.
    if (process.getuid?.() === 0) expect(free[name]).not.toBe(EPERM);
  });

  test("refuses programs sockets of every family", () => {
    for (let family = 1; family <= 45; family++) expect(program[`socket ${family}`]).toBe(EPERM);
    expect(free["socket 1"]).toBe(0);
  });

  test("refuses programs a new process", () => {
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

  test("refuses readers the same as programs, except accepting connections", () => {
    const { accept4, ...others } = filtered.reader;
    const { accept4: _, ...refused } = program;
    expect(others).toEqual(refused);
    expect(accept4).toBe(EBADF);
  });

  test("refuses the process that starts programs the same as programs, except starting and killing processes", () => {
    const isRefused = (errno: number | undefined): boolean => [EPERM, ENOSYS].includes(errno ?? 0);
    const more = Object.keys(program).filter(
      (name) => isRefused(program[name]) && !isRefused(filtered.programs[name]),
    );
    // kill and tgkill are denied by Landlock's scope.
    const expected = ["accept4", "execve", "execveat", "execveat from the launcher's descriptor"];
    expect(more.toSorted()).toEqual(
      [...expected, "execveat of an absolute path", "fork", "setsid", "socketpair"].toSorted(),
    );
  });

  test("refuses the process that starts git the same as git", () => {
    for (const [name, errno] of Object.entries(git))
      expect([name, filtered.source[name]]).toEqual([name, errno]);
  });

  test.runIf(process.arch === "x64")("kills a program that uses the x32 interface", async () => {
    const words = launchArguments({ ...rules, seccomp: "program" }, [perl, "-e", "syscall(0x40000027)"]);
    await expect(run(launcher ?? "", words)).rejects.toMatchObject({ signal: "SIGSYS" });
  });
});
