import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BranchClone } from "./branch-clone.ts";
import { type PublishWorkerOptions, publishSocketIn } from "./publish-command.ts";
import { PublishConnection, type PublishConnectionOptions } from "./publish-connection.ts";
import { type PublishProcess, type PublishProcessOptions, startPublishProcess } from "./publish-process.ts";
import { ZoneClone } from "./zone-clone.ts";

export interface ComposePublishZoneInput
  extends PublishProcessOptions,
    Pick<PublishConnectionOptions, "onWalls"> {
  /** Folder with a folder of sockets for each zone. Undefined: the zone's process is started here. */
  readonly zoneSockets: string | undefined;
  readonly worker: Omit<PublishWorkerOptions, "folder">;
}

/** The operator's side of the publish zone. */
export interface PublishZone {
  /** Whether the zone can authenticate at the repository. @throws CredentialsError, RepositoryUnreachableError */
  check(): Promise<void>;
  /** A clone for a branch of the repository and a folder on it. */
  clone(place: { readonly branch: string; readonly root: string }): BranchClone;
  close(): Promise<void>;
}

/** Puts the operator's side of the publish zone together. Nothing runs before it is needed. */
export function composePublishZone({
  zoneSockets,
  worker,
  ...options
}: ComposePublishZoneInput): PublishZone {
  // Of mode 0700: no other user can take the place of the zone.
  const folder =
    zoneSockets === undefined
      ? mkdtempSync(join(tmpdir(), "fairlead-publish-"))
      : join(zoneSockets, "publish");
  const isOurs = zoneSockets === undefined;
  let started: PublishProcess | undefined;
  const connection = new PublishConnection({
    ...options,
    socket: publishSocketIn(folder),
    onStart: () => {
      if (isOurs) started = startPublishProcess({ ...worker, folder }, options);
    },
  });
  return {
    check: () => connection.check(),
    clone: (place) => new ZoneClone({ ...place, connection }),
    close: async () => {
      connection.close();
      await started?.end();
      if (isOurs) rmSync(folder, { recursive: true, force: true });
    },
  };
}
