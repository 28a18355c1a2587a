import { homedir } from "node:os";
import { workerIn } from "../../sandbox/zone-command.ts";
import type { GitZone, GitZoneOptions } from "../git-zone.ts";
import { localPlaces } from "./local-places.ts";
import { SOURCE_ZONE } from "./messages.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const sourceWorkerFile = "source-worker.mjs";

/** V8's heap of the process, in MiB. */
const HEAP_MIB = 384;

/**
 * Options for starting the process of the source zone. None of them is secret, because other users can read command
 * lines.
 */
export interface SourceWorkerOptions extends GitZoneOptions {
  /** Maximum size of all clones, in bytes. */
  readonly cacheBytes: number;
  /** Whether repositories on this machine may be used. */
  readonly allowFile: boolean;
  /** Address and folder of secrets of the hooks; undefined: no hooks are served. */
  readonly hooks: { readonly address: string; readonly secrets: string } | undefined;
}

/** The process that polls and fetches repositories. It may also read the secrets of hooks, and listen for them. */
export const sourceZone: GitZone<SourceWorkerOptions> = {
  name: SOURCE_ZONE,
  get worker() {
    return workerIn(import.meta.dirname, sourceWorkerFile);
  },
  heapMiB: HEAP_MIB,
  flags: ({ cacheBytes, allowFile, hooks }) => [
    `--cache-bytes=${cacheBytes}`,
    ...(allowFile ? ["--file-remotes"] : []),
    ...(hooks === undefined
      ? []
      : [`--hook-bind-address=${hooks.address}`, `--hook-secrets=${hooks.secrets}`]),
  ],
  rules: ({ allowFile, hooks }) => ({
    read: [...(hooks === undefined ? [] : [hooks.secrets]), ...(allowFile ? localPlaces(homedir()) : [])],
    // Repositories may use any port.
    tcpConnect: "any",
    ...(hooks !== undefined && {
      tcpListen: [Number(hooks.address.slice(hooks.address.lastIndexOf(":") + 1))],
    }),
  }),
};
