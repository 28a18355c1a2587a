import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketIn } from "../../operator/git/git-zone.ts";
import { LocalClone, type LocalCloneOptions } from "../../operator/git/publish/local-clone.ts";
import { PublishConnection } from "../../operator/git/publish/publish-connection.ts";
import { describePublishError } from "../../operator/git/publish/publish-failure.ts";
import { createPublishService } from "../../operator/git/publish/publish-service.ts";
import { ZoneClone } from "../../operator/git/publish/zone-clone.ts";
import type { Logger } from "../../operator/ports.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import type { Serve } from "../../operator/zones/incoming-requests.ts";
import { serveZone, type ZoneServer } from "../../operator/zones/zone-server.ts";
import { RecordingLogger } from "./recording-logger.ts";

/** A publish zone in this process, which can end and restart, and the operator's connection to it. */
export class PublishZoneInProcess {
  readonly folder = mkdtempSync(join(tmpdir(), "fairlead-publish-"));
  /** The log of the operator's side. */
  readonly log = new RecordingLogger();
  readonly connection: PublishConnection;
  readonly #serve: Serve;
  #server: Promise<ZoneServer>;

  constructor(serve: Serve) {
    this.#serve = serve;
    this.#server = this.#listen();
    this.connection = new PublishConnection({
      socket: socketIn(this.folder, "publish"),
      clock: systemClock(),
      random: Math.random,
      log: this.log,
    });
  }

  /** The operator's side of a clone in the zone. */
  clone(place: { readonly branch: string; readonly root: string }): ZoneClone {
    return new ZoneClone({ ...place, connection: this.connection });
  }

  /** Closes the connection, without a replacement. */
  async die(): Promise<void> {
    (await this.#server).close();
  }

  revive(): void {
    this.#server = this.#listen();
  }

  async close(): Promise<void> {
    this.connection.close();
    await this.die();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #listen(): Promise<ZoneServer> {
    return await serveZone({
      socket: socketIn(this.folder, "publish"),
      zone: "publish",
      clock: systemClock(),
      limits: { headerBytes: 65_536, parts: 1, bytes: 2 * 2 ** 20 },
      requestParts: 1,
      serve: this.#serve,
      describeError: describePublishError,
    });
  }
}

const noIsolation = { landlockAbi: 0, inForce: [] };

/** The zone, for one repository. */
export function aPublishService(options: Omit<LocalCloneOptions, "branch" | "root">, log: Logger): Serve {
  const createClone = (place: { readonly branch: string; readonly root: string }) =>
    new LocalClone({ ...options, ...place });
  const isolation = { own: noIsolation, git: noIsolation };
  return createPublishService({ createClone, check: async () => undefined, log, isolation }).serve;
}
