import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { ZoneProcess } from "../../../operator/zones/zone-process.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

/** A process that gives a sign of life, runs some code, and ends with its standard input. */
function aProcess(code: string, { silenceMs }: { readonly silenceMs?: number } = {}) {
  const log = new RecordingLogger();
  const program = `process.stdout.write("."); process.stdin.on("end", () => process.exit()).resume(); ${code}`;
  const process_ = new ZoneProcess({
    name: "test",
    command: { file: process.execPath, arguments: ["-e", program], environment: { ONLY: "this" } },
    clock: systemClock(),
    random: () => 0,
    log,
    ...(silenceMs !== undefined && { silenceMs }),
  });
  onTestFinished(() => process_.close());
  const untilLogged = (message: string, count = 1) =>
    vi.waitUntil(() => {
      const found = log.entries.filter((entry) => entry.message === message);
      return found.length >= count ? found : undefined;
    }, 15_000);
  return { process: process_, untilLogged };
}

const ended = "A process of a zone ended, restarting it";

describe("ZoneProcess", () => {
  test("starts a process again each time that it ends, and logs its last words", async () => {
    const { untilLogged } = aProcess(
      'process.stderr.write("out of ideas"); process.exitCode = 3; process.stdin.destroy();',
    );
    const [first] = await untilLogged(ended, 2);
    expect(first).toMatchObject({ fields: { reason: "exit code 3", lastWords: "out of ideas" } });
  });

  test("gives it no environment but its own", async () => {
    const { untilLogged } = aProcess(
      "process.stderr.write(JSON.stringify(process.env)); process.stdin.destroy();",
    );
    const [first] = await untilLogged(ended);
    expect(first).toMatchObject({ fields: { lastWords: '{"ONLY":"this"}' } });
  });

  test("kills a process that does not respond", async () => {
    const { untilLogged } = aProcess("for (;;);", { silenceMs: 1_000 });
    await untilLogged("A process of a zone does not respond, killing it");
    const [first] = await untilLogged(ended);
    expect(first).toMatchObject({ fields: { reason: "SIGKILL" } });
  });

  test("ends the process when it is closed, and does not start it again", async () => {
    const { process: zone } = aProcess("");
    const { pid = 0 } = zone;
    zone.close();
    await vi.waitUntil(() => zone.pid === undefined, 15_000);
    expect(() => process.kill(pid, 0)).toThrow();
  });
});
