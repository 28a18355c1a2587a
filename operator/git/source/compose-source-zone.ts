import { type GitZoneProcessOptions, placeOfZone, startGitZone } from "../git-zone.ts";
import { SOURCE_ZONE } from "./messages.ts";
import { type SourceWorkerOptions, sourceZone } from "./source-process.ts";
import { ZoneSources, type ZoneSourcesOptions } from "./zone-sources.ts";

export interface ComposeSourceZoneInput extends GitZoneProcessOptions, Omit<ZoneSourcesOptions, "socket"> {
  /** Folder with a folder of sockets for each zone. Undefined: the zone's process is started here. */
  readonly zoneSockets: string | undefined;
  readonly worker: Omit<SourceWorkerOptions, "folder">;
}

/** The operator's side of the source zone. */
export interface SourceZone {
  readonly sources: ZoneSources;
  /** Starts the process, if it belongs to the operator, and connects to it. */
  start(): void;
  close(): Promise<void>;
}

/** Creates the operator's side of the source zone. Nothing runs before it is needed. */
export function composeSourceZone({ zoneSockets, worker, ...options }: ComposeSourceZoneInput): SourceZone {
  const place = placeOfZone(SOURCE_ZONE, zoneSockets, (folder) =>
    startGitZone(sourceZone, { ...worker, folder }, options),
  );
  const sources = new ZoneSources({ ...options, socket: place.socket, onStart: place.start });
  return {
    sources,
    start: () => sources.start(),
    close: async () => {
      await sources.close();
      await place.close();
    },
  };
}
