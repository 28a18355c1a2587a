import { mkdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { askIsolationOnce } from "../../../operator/sandbox/ask-isolation.ts";
import type { ReportedIsolation } from "../../../operator/sandbox/isolation-report.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { aFakeZone, aSocketFolder } from "../../fakes/sandbox-zone.ts";
import { patienceMs } from "../../patience.ts";

test("the isolation of a zone is known before anything is rendered, and renders can use its connection afterwards", async () => {
  const zoneSockets = aSocketFolder();
  mkdirSync(`${zoneSockets}/sandbox`);
  const log = new RecordingLogger();
  const found = new Map<string, ReportedIsolation>();
  const ask = (): void =>
    askIsolationOnce({
      zoneSockets,
      onIsolation: (process, isolation) => void found.set(process, isolation),
      clock: systemClock(),
      random: () => 0,
      log,
    });
  ask();
  await aFakeZone(
    `${zoneSockets}/sandbox`,
    () => Promise.reject(new Error("nothing is rendered")),
    "programs",
  );
  await vi.waitUntil(() => found.size === 1, patienceMs);
  expect(found.get("programs")).toMatchObject({ inForce: [], keptApart: false });
  found.clear();
  // A zone accepts one connection at a time.
  ask();
  await vi.waitUntil(() => found.size === 1, patienceMs);
  expect(log.entries.filter(({ level }) => level === "warn")).toEqual([]);
});
