import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SourceWorkerOptions, sourceSocketIn } from "./source-command.ts";
import { type SourceProcess, type SourceProcessOptions, startSourceProcess } from "./source-process.ts";
import { ZoneSources, type ZoneSourcesOptions } from "./zone-sources.ts";

export interface ComposeSourceZoneInput extends SourceProcessOptions, Omit<ZoneSourcesOptions, "socket"> {
  /** Folder with a folder of sockets for each zone. Undefined: the zone's process is started here. */
  readonly zoneSockets: string | undefined;
  readonly worker: Omit<SourceWorkerOptions, "folder">;
}

/** The operator's side of the source zone. */
export interface SourceZone {
  readonly sources: ZoneSources;
  /** Starts the process, where it is ours to start, and connects to it. */
  start(): void;
  close(): Promise<void>;
}

/** Puts the operator's side of the source zone together. Nothing runs before it is needed. */
export function composeSourceZone({ zoneSockets, worker, ...options }: ComposeSourceZoneInput): SourceZone {
  if (zoneSockets !== undefined) {
    const sources = new ZoneSources({ ...options, socket: sourceSocketIn(join(zoneSockets, "source")) });
    return { sources, start: () => sources.start(), close: () => sources.close() };
  }
  // Of mode 0700: no other user can take the place of the zone.
  const folder = mkdtempSync(join(tmpdir(), "fairlead-source-"));
  let started: SourceProcess | undefined;
  const onStart = (): void => {
    started ??= startSourceProcess({ ...worker, folder }, options);
  };
  const sources = new ZoneSources({ ...options, onStart, socket: sourceSocketIn(folder) });
  return {
    sources,
    start: () => sources.start(),
    close: async () => {
      await sources.close();
      await started?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
