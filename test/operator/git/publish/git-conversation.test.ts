import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { GitError } from "../../../../operator/git/git-errors.ts";
import { GitProcesses } from "../../../../operator/git/git-process.ts";
import { converse } from "../../../../operator/git/publish/git-conversation.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";

function processesOf() {
  const directory = mkdtempSync(`${tmpdir()}/fairlead-test-`);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const clock = new FakeClock();
  const processes = new GitProcesses({ clock, timeoutMs: 60_000 });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: directory };
  /** `git -c alias.x='!…' x`: a git that runs a shell, which is sufficient for these tests. */
  const open = (script: string) =>
    converse(processes, { arguments: ["-c", `alias.x=!${script}`, "x"], directory, environment });
  return { clock, processes, open };
}

describe("converse()", () => {
  test("a long-running process is written to as fast as it reads, and may end early", async () => {
    const { open } = processesOf();
    const much = Buffer.from("x".repeat(1_000_000));
    expect((await open("head -c 1000000 | wc -c").ask(much)).trim()).toBe("1000000");
    await expect(open("exit 1").ask(much)).rejects.toMatchObject({ reason: "Ended" });
  });

  test("a long-running process answers repeatedly, and reports why it ended", async () => {
    const { open } = processesOf();
    const echo =
      "while read line; do test $line != bad || break; echo got $line; done; echo no more >&2; exit 3";
    const staying = open(echo);
    expect(await staying.ask(Buffer.from("one\n"))).toBe("got one");
    expect(await staying.ask(Buffer.from("two\n"))).toBe("got two");
    await expect(staying.ask(Buffer.from("bad\n"))).rejects.toThrow(new GitError("Ended", "no more"));
    expect(staying.isOver).toBe(true);
    await expect(staying.ask(Buffer.from("three\n"))).rejects.toMatchObject({ reason: "Ended" });
    await staying.close();
  });

  test("a long-running process may be silent between two requests, and not within one", async () => {
    const { clock, open } = processesOf();
    const script = "while read line; do test $line != hang || sleep 600; echo got $line; done";
    const staying = open(script);
    expect(await staying.ask(Buffer.from("one\n"))).toBe("got one");
    await clock.advance(600_000);
    expect(await staying.ask(Buffer.from("two\n"))).toBe("got two");
    const hung = expect(staying.ask(Buffer.from("hang\n"))).rejects.toMatchObject({ reason: "Killed" });
    await clock.advance(61_000);
    await hung;
  });

  test("a long-running process ends with the operator", async () => {
    const { processes, open } = processesOf();
    const staying = open("cat");
    expect(await staying.ask(Buffer.from("one\n"))).toBe("one");
    await staying.close();
    expect(staying.isOver).toBe(true);
    const other = open("sleep 600");
    const asked = expect(other.ask(Buffer.from("one\n"))).rejects.toThrow(/stopping/);
    processes.close();
    await asked;
  });
});
