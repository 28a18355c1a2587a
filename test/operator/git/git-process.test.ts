import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { GitEndedError, GitKilledError } from "../../../operator/git/git-errors.ts";
import { GitProcesses } from "../../../operator/git/git-process.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

/** `git -c alias.x='!…' x`: a git that runs a shell, which is all that these tests need. */
const shell = (script: string) => ["-c", `alias.x=!${script}`, "x"];

function processesOf(timeoutMs = 60_000) {
  const directory = mkdtempSync(`${tmpdir()}/fairlead-test-`);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const clock = new FakeClock();
  const processes = new GitProcesses({ clock, timeoutMs });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: directory };
  const run = (script: string) => processes.run({ arguments: shell(script), directory, environment });
  const open = (script: string) => processes.open({ arguments: shell(script), directory, environment });
  return { clock, processes, directory, environment, run, open };
}

/** A zombie that nobody has collected yet is as dead as it gets. */
const isAlive = (pid: number) =>
  !/^(\s*|Z\S*\s*)$/.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout);

describe("GitProcesses", () => {
  test("gives what git said, whatever its exit code", async () => {
    const { run } = processesOf();
    expect(await run("echo out; echo err >&2; exit 3")).toEqual({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
  });

  test("reads characters that arrive in parts", async () => {
    const { run } = processesOf();
    const { stdout } = await run(
      "printf '\\303'; sleep 0.05; printf '\\244'; printf '\\360\\237\\230\\200'; printf '\\303'",
    );
    expect(stdout).toBe("ä😀\ufffd");
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

  test("feeds one that stays as it reads, and survives one that stops early", async () => {
    const { open } = processesOf();
    const pieces = Array.from({ length: 100 }, () => "x".repeat(10_000));
    expect((await open("head -c 1000000 | wc -c").ask(pieces)).trim()).toBe("1000000");
    await expect(open("exit 1").ask(pieces)).rejects.toThrow(GitEndedError);
  });

  test("kills a process that is silent too long, with what it started", async () => {
    const { clock, run } = processesOf();
    const failed = expect(run("sleep 600 & wait")).rejects.toThrow(GitKilledError);
    await clock.advance(59_000);
    await clock.advance(2_000);
    await failed;
  });

  test("one that stays answers again and again, and says why it ended", async () => {
    const { open } = processesOf();
    const echo =
      "while read line; do test $line != bad || break; echo got $line; done; echo no more >&2; exit 3";
    const staying = open(echo);
    expect(await staying.ask(["one\n"])).toBe("got one");
    expect(await staying.ask(["t", "wo\n"])).toBe("got two");
    await expect(staying.ask(["bad\n"])).rejects.toThrow(new GitEndedError("no more"));
    expect(staying.isOver).toBe(true);
    await expect(staying.ask(["three\n"])).rejects.toThrow(GitEndedError);
    await staying.close();
  });

  test("one that stays may be silent between two questions, and not in one", async () => {
    const { clock, open } = processesOf();
    const script = "while read line; do test $line != hang || sleep 600; echo got $line; done";
    const staying = open(script);
    expect(await staying.ask(["one\n"])).toBe("got one");
    await clock.advance(600_000);
    expect(await staying.ask(["two\n"])).toBe("got two");
    const hung = expect(staying.ask(["hang\n"])).rejects.toThrow(GitKilledError);
    await clock.advance(61_000);
    await hung;
  });

  test("one that stays ends with us", async () => {
    const { processes, open } = processesOf();
    const staying = open("cat");
    expect(await staying.ask(["one\n"])).toBe("one");
    await staying.close();
    expect(staying.isOver).toBe(true);
    const other = open("sleep 600");
    const asked = expect(other.ask(["one\n"])).rejects.toThrow(/stopping/);
    processes.close();
    await asked;
  });

  test("close() ends everything, and nothing starts after it", async () => {
    const { processes, run } = processesOf();
    const running = expect(run("sleep 600")).rejects.toThrow(/stopping/);
    processes.close();
    await running;
    await expect(run("true")).rejects.toThrow(/stopping/);
  });

  test("a missing program is an error of the system", async () => {
    const { processes } = processesOf();
    await expect(
      processes.run({ arguments: [], directory: "/", environment: { PATH: "/nowhere" } }),
    ).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("the whole group dies: no grandchild is left", async () => {
    const { processes, run } = processesOf();
    const directory = mkdtempSync(`${tmpdir()}/fairlead-test-`);
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const running = run(`sh -c 'sleep 600 & echo $! > ${directory}/pid; wait'`).catch(() => {});
    const pid = await vi.waitFor(() => {
      const text = readFileSync(`${directory}/pid`, "utf8");
      expect(text).toMatch(/\d+\n/);
      return Number(text);
    });
    expect(isAlive(pid)).toBe(true);
    processes.close();
    await running;
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  });
});
