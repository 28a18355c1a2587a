import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { ZoneProcess, type ZoneProcessOptions } from "../../../operator/zones/zone-process.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { patienceMs } from "../../patience.ts";

/** A process that writes heartbeats, runs some code, and ends with its standard input. */
function aProcess(code: string, more: Pick<ZoneProcessOptions, "silenceMs" | "onLog"> = {}) {
  const log = new RecordingLogger();
  const program = `process.stdout.write("."); process.stdin.on("end", () => process.exit()).resume(); ${code}`;
  const process_ = new ZoneProcess({
    name: "test",
    command: { file: process.execPath, arguments: ["-e", program], environment: { ONLY: "this" } },
    clock: systemClock(),
    random: () => 0,
    log,
    ...more,
  });
  onTestFinished(() => process_.close());
  const untilLogged = (message: string, count = 1) =>
    vi.waitUntil(() => {
      const found = log.entries.filter((entry) => entry.message === message);
      return found.length >= count ? found : undefined;
    }, patienceMs);
  const untilSaid = (condition: () => boolean) => vi.waitUntil(condition, patienceMs);
  return { process: process_, untilLogged, untilSaid };
}

const ended = "A process of a zone ended, restarting it";

describe("ZoneProcess", () => {
  test("restarts a process each time that it ends, and logs the end of its output", async () => {
    const { untilLogged } = aProcess(
      'process.stderr.write("out of ideas"); process.exitCode = 3; process.stdin.destroy();',
    );
    const [first] = await untilLogged(ended, 2);
    expect(first).toMatchObject({ fields: { reason: "exit code 3", lastWords: "out of ideas" } });
  });

  test("passes it only its own environment variables", async () => {
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

  test("ends the process when it is closed, and does not restart it", async () => {
    const { process: zone } = aProcess("");
    const { pid = 0 } = zone;
    zone.close();
    await vi.waitUntil(() => zone.pid === undefined, patienceMs);
    expect(() => process.kill(pid, 0)).toThrow();
  });

  test("lets the process end by itself on request, and passes on its output", async () => {
    const said: string[] = [];
    const { process: zone, untilSaid } = aProcess(
      'process.on("exit", () => process.stderr.write("bye")); process.stderr.write("hello ");',
      { onLog: (chunk) => said.push(String(chunk)) },
    );
    await untilSaid(() => said.length > 0);
    await zone.end({ withinMs: 15_000 });
    expect(said.join("")).toBe("hello bye");
    expect(zone.pid).toBeUndefined();
  });

  test("kills a process that does not end by itself in time", async () => {
    const { process: zone, untilSaid } = aProcess(
      "process.stdin.removeAllListeners(); setInterval(() => {}, 1_000);",
    );
    await untilSaid(() => zone.pid !== undefined);
    await zone.end({ withinMs: 1 });
    expect(zone.pid).toBeUndefined();
  });
});
