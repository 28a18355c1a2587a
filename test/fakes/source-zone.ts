import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as realTime } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { socketIn } from "../../operator/git/git-zone.ts";
import type { SourceRequest, SourceRevision, SourceState } from "../../operator/git/source/ports.ts";
import { describeSourceError } from "../../operator/git/source/source-service.ts";
import { ZoneSources, type ZoneSourcesOptions } from "../../operator/git/source/zone-sources.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import type { Serve } from "../../operator/zones/incoming-requests.ts";
import { serveZone } from "../../operator/zones/zone-server.ts";
import { patienceMs } from "../patience.ts";
import { FakeClock } from "./fake-clock.ts";
import { RecordingLogger } from "./recording-logger.ts";

export function aSocketFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-source-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The report of a process without isolation. */
export const noIsolation = { landlockAbi: 0, inForce: [] };

/** A replacement of the real zone, which can end and restart. */
export async function aZone(folder: string, serve: Serve) {
  const open = (answer: Serve) =>
    serveZone({
      socket: socketIn(folder, "source"),
      zone: "source",
      clock: systemClock(),
      limits: { headerBytes: 65_536, parts: 1, bytes: 16 * 2 ** 20 },
      requestParts: 1,
      serve: answer,
      describeError: describeSourceError,
    });
  let server = await open(serve);
  onTestFinished(() => server.close());
  return {
    die: () => server.close(),
    revive: async (other: Serve = serve): Promise<void> => {
      server = await open(other);
    },
  };
}

/** The operator's side of the zone with a fake clock, with all its notifications. */
export class SourcesOfZone {
  readonly clock = new FakeClock();
  readonly log = new RecordingLogger();
  /** Keys that were notified, in order. */
  readonly told: string[] = [];
  readonly sources: ZoneSources;

  constructor(folder: string | ZoneSources, options: Partial<ZoneSourcesOptions> = {}) {
    const { clock, log } = this;
    this.sources =
      typeof folder !== "string"
        ? folder
        : new ZoneSources({
            ...{ socket: socketIn(folder, "source"), clock, log, random: () => 0 },
            ...options,
          });
    this.sources.subscribe((keys) => void this.told.push(...keys));
    onTestFinished(() => this.sources.close());
  }

  request(key: string, more: Partial<SourceRequest> = {}): SourceRequest {
    return {
      key,
      source: { url: "https://git.example.dev/app", ref: { branch: "main" }, path: "." },
      revision: undefined,
      intervalMs: 60_000,
      credentials: undefined,
      signers: undefined,
      requestedAt: undefined,
      ...more,
    };
  }

  ask(key: string, more: Partial<SourceRequest> = {}): SourceState {
    return this.sources.resolve(this.request(key, more));
  }

  /** Advances time, and lets the zone run, until `condition` holds. */
  async until(condition: () => boolean, { stepMs = 20 } = {}): Promise<void> {
    const endMs = performance.now() + patienceMs;
    while (!condition()) {
      if (performance.now() > endMs)
        throw new Error(`it never happened that ${condition}\n${JSON.stringify(this.log.entries)}`);
      await this.clock.advance(stepMs);
      await realTime(1);
    }
  }

  /** Requests the source until it is ready. */
  async ready(
    key: string,
    more: Partial<SourceRequest> = {},
    holds: (revision: SourceRevision) => boolean = () => true,
  ): Promise<SourceRevision> {
    let state = this.ask(key, more);
    await this.until(() => {
      state = this.ask(key, more);
      return state.state === "ready" && holds(state.revision);
    });
    if (state.state !== "ready") throw new Error("it is not ready");
    return state.revision;
  }
}
