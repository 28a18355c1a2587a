import { type GitZoneProcessOptions, placeOfZone } from "../git-zone.ts";
import type { BranchClone } from "./branch-clone.ts";
import { PUBLISH_ZONE } from "./messages.ts";
import { PublishConnection, type PublishConnectionOptions } from "./publish-connection.ts";
import { type PublishWorkerOptions, startPublishProcess } from "./publish-process.ts";
import { ZoneClone } from "./zone-clone.ts";

export interface ComposePublishZoneInput
  extends GitZoneProcessOptions,
    Pick<PublishConnectionOptions, "onIsolation"> {
  /** Folder with a folder of sockets for each zone. Undefined: the zone's process is started here. */
  readonly zoneSockets: string | undefined;
  readonly worker: Omit<PublishWorkerOptions, "folder">;
}

/** The operator's side of the publish zone. */
export interface PublishZone {
  /** Checks that the zone can authenticate at the repository. @throws GitError `Credentials`, `RepositoryUnreachable` */
  check(): Promise<void>;
  /** A clone for a branch of the repository and a folder on it. */
  clone(place: { readonly branch: string; readonly root: string }): BranchClone;
  close(): Promise<void>;
}

/** Creates the operator's side of the publish zone. Nothing runs before it is needed. */
export function composePublishZone({
  zoneSockets,
  worker,
  ...options
}: ComposePublishZoneInput): PublishZone {
  const place = placeOfZone(PUBLISH_ZONE, zoneSockets, (folder) =>
    startPublishProcess({ ...worker, folder }, options),
  );
  const connection = new PublishConnection({ ...options, socket: place.socket, onStart: place.start });
  return {
    check: () => connection.check(),
    clone: (branch) => new ZoneClone({ ...branch, connection }),
    close: async () => {
      connection.close();
      await place.close();
    },
  };
}
