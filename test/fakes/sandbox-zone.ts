import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunPatience } from "../../operator/render/ports.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import type { ReportedIsolation } from "../../operator/sandbox/isolation-report.ts";
import type { ProgramObservation } from "../../operator/sandbox/program/programs.ts";
import { socketOf } from "../../operator/sandbox/worker-command.ts";
import { ZoneRenderRunner } from "../../operator/sandbox/zone-render-runner.ts";
import type { Serve } from "../../operator/zones/incoming-requests.ts";
import { serveZone } from "../../operator/zones/zone-server.ts";
import { toCanonicalJson } from "../../synth/digest.ts";
import { wideLimits } from "./link-pair.ts";
import { RecordingLogger } from "./recording-logger.ts";

export const patient: RunPatience = {
  unwanted: new AbortController().signal,
  isSlow: false,
  onSlow: () => {},
};

export function aSocketFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-sandbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function aZoneRunner(
  folder: string,
  observed: ProgramObservation[] = [],
  memoryLimit = Number.POSITIVE_INFINITY,
) {
  const log = new RecordingLogger();
  /** The reports of the zone's processes. */
  const isolation = new Map<string, ReportedIsolation>();
  const runner = new ZoneRenderRunner({
    onIsolation: (process, found) => void isolation.set(process, found),
    folder,
    longestProgramMs: 60_000,
    requireIsolation: false,
    memoryLimit,
    clock: systemClock(),
    random: () => 0,
    log,
    observe: (observation) => observed.push(observation),
  });
  onTestFinished(() => runner.close());
  return { runner, log, isolation };
}

/**
 * A replacement of the real zone, without isolation: the test answers its other requests. It restarts when it was ended.
 */
export async function aFakeZone(folder: string, answer: Serve, service: "reader" | "programs" = "reader") {
  const serve: Serve = async (request, back) =>
    request.name === "isolation"
      ? { body: { own: { landlockAbi: 0, inForce: [] } } }
      : await answer(request, back);
  const options = {
    socket: socketOf(folder, service),
    zone: `sandbox/${service}`,
    clock: systemClock(),
    limits: wideLimits,
    requestParts: 1,
    serve,
  };
  let server = await serveZone(options);
  onTestFinished(() => server.close());
  return {
    /** Ends all connections, like a crashing process, and starts another one. */
    die: async (): Promise<void> => {
      server.close();
      server = await serveZone(options);
    },
  };
}

/** A ConfigMap as rendered by a zone. */
export const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
/** An item of an answer: an object, or a text instead of one. */
export const anObject = (value: unknown, origin = "a.yaml:1") => ({
  body: { origin },
  parts: [Buffer.from(typeof value === "string" ? value : toCanonicalJson(value))],
});
const details = { warnings: [] };
/** An item of an answer: dependencies between its objects. */
export const someEdges = (...pairs: readonly number[]) => {
  const part = Buffer.alloc(4 * pairs.length);
  for (const [index, value] of pairs.entries()) part.writeUInt32BE(value, 4 * index);
  return { body: { edges: true } as never, parts: [part] };
};
/** The last message of an answer; `more` is added to its details. */
export const theEnd = (more: object = {}, body: object = {}) => ({
  body: { did: [], printed: "", ...body },
  parts: [Buffer.from(JSON.stringify({ ...details, ...more }))],
});
/** Answers each render with these objects. */
export const sends =
  (...items: ReturnType<typeof anObject>[]): Serve =>
  async ({ send }) => {
    for (const item of items) await send(item);
    return theEnd();
  };
