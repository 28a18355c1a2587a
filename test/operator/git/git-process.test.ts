import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { endGroup, GitProcesses } from "../../../operator/git/git-process.ts";
import { parseRemoteUrl, type RemoteUrl } from "../../../operator/git/remote-url.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { patienceMs } from "../../patience.ts";

/** `git -c alias.x='!…' x`: a git that runs a shell, which is sufficient for these tests. */
const shell = (script: string) => ["-c", `alias.x=!${script}`, "x"];

function processesOf(timeoutMs = 60_000) {
  const directory = mkdtempSync(`${tmpdir()}/fairlead-test-`);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const clock = new FakeClock();
  const processes = new GitProcesses({ clock, timeoutMs });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: directory };
  const run = (script: string, remote?: RemoteUrl) =>
    processes.run({ arguments: shell(script), directory, environment, ...(remote && { remote }) });
  return { clock, processes, directory, environment, run };
}

/** A zombie counts as ended. */
const isAlive = (pid: number) =>
  !/^(\s*|Z\S*\s*)$/.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout);

describe("GitProcesses", () => {
  test("returns the output of git, for every exit code", async () => {
    const { run } = processesOf();
    expect(await run("echo out; echo err >&2; exit 3")).toEqual({
      exitCode: 3,
      stdout: ["out\n", ""],
      stderr: "err\n",
    });
  });

  test("reads characters that arrive in parts", async () => {
    const { run } = processesOf();
    const { stdout } = await run(
      "printf '\\303'; sleep 0.05; printf '\\244'; printf '\\360\\237\\230\\200'; printf '\\303'",
    );
    expect(stdout.join("")).toBe("ä😀\ufffd");
  });

  test("keeps a bounded part of stderr, without secrets", async () => {
    const { processes, directory, environment } = processesOf();
    const script =
      "printf 'first t0ken\\n' >&2; head -c 10000000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 1";
    const run = { arguments: shell(script), directory, environment, secrets: ["t0ken"] };
    const { stderr } = await processes.run(run);
    expect(stderr.length).toBeLessThan(64 * 1_024);
    expect(stderr).toMatch(/^first \*\*\*\nx+\n…\nx+last\n/);
  });

  test("kills a process without output after the timeout, with its child processes", async () => {
    const { clock, run } = processesOf();
    const failed = expect(run("sleep 600 & wait")).rejects.toMatchObject({ reason: "Killed" });
    await clock.advance(59_000);
    await clock.advance(2_000);
    await failed;
  });

  test("close() kills all processes, and no process starts after it", async () => {
    const { processes, run } = processesOf();
    const running = expect(run("sleep 600")).rejects.toThrow(/stopping/);
    processes.close();
    await running;
    await expect(run("true")).rejects.toThrow(/stopping/);
  });

  test("a missing program causes a system error", async () => {
    const { processes } = processesOf();
    await expect(
      processes.run({ arguments: [], directory: "/", environment: { PATH: "/nowhere" } }),
    ).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("the whole group is killed: no grandchild remains", async () => {
    const { processes, run } = processesOf();
    const directory = mkdtempSync(`${tmpdir()}/fairlead-test-`);
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const running = run(`sh -c 'sleep 600 & echo $! > ${directory}/pid; wait'`).catch(() => {});
    const pid = await vi.waitFor(() => {
      const text = readFileSync(`${directory}/pid`, "utf8");
      expect(text).toMatch(/\d+\n/);
      return Number(text);
    }, patienceMs);
    expect(isAlive(pid)).toBe(true);
    processes.close();
    await running;
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), patienceMs);
  });
});

describe("the other side of a connection to a repository on this machine", () => {
  const local = parseRemoteUrl("/srv/shop.git");
  /** A receive-pack that creates a lock, and removes it when it has noticed the end of git. SIGTERM would leave it. */
  const finishing = `echo > lock; sh -c 'echo $$; while kill -0 $PPID; do sleep 0.01; done; rm lock' 2>&1 | tee pid; true`;
  const pidIn = (directory: string) =>
    vi.waitFor(() => {
      const text = readFileSync(`${directory}/pid`, "utf8");
      expect(text).toMatch(/\d+\n/);
      return Number(text);
    }, patienceMs);

  test("may finish after git was killed, which close() of a clone waits for", async () => {
    const { processes, directory, run } = processesOf();
    const running = expect(run(finishing, local)).rejects.toThrow(/stopping/);
    await pidIn(directory);
    processes.close();
    await running;
    await processes.untilEnded();
    expect(readdirSync(directory)).not.toContain("lock");
  });

  test("is killed with the rest if it does not end within 500 ms", async () => {
    const { clock, processes, directory, run } = processesOf();
    const running = expect(run(`sh -c 'echo $$ > pid; exec sleep 600'; true`, local)).rejects.toThrow(
      /stopping/,
    );
    const pid = await pidIn(directory);
    processes.close();
    await running;
    await clock.advance(499);
    expect(isAlive(pid)).toBe(true);
    await clock.advance(1);
    await processes.untilEnded();
    expect(isAlive(pid)).toBe(false);
  });
});

/** A shell that leads a group, once its output shows that its script has begun. */
async function aGroup(script: string) {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  if (child.pid === undefined) throw new Error("Cannot start a shell");
  return { pid: child.pid, ended };
}

describe("endGroup()", () => {
  test("lets a process that handles SIGTERM clean up", async () => {
    const { pid, ended } = await aGroup("trap 'exit 7' TERM; echo; while :; do sleep 0.01; done");
    endGroup(pid, { clock: new FakeClock() });
    expect(await ended).toEqual([7, null]);
  });

  test("kills a process that ignores SIGTERM, two seconds later", async () => {
    const { pid, ended } = await aGroup("trap '' TERM; echo; while :; do sleep 0.01; done");
    const clock = new FakeClock();
    endGroup(pid, { clock });
    await clock.advance(1_999);
    expect(process.kill(pid, 0)).toBe(true);
    await clock.advance(1);
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  test("leaves no process", async () => {
    const { pid, ended } = await aGroup("echo");
    await ended;
    const clock = new FakeClock();
    endGroup(pid, { clock });
    expect(clock.pendingDelaysMs).toEqual([]);
  });
});
