import { join } from "node:path";
import type { Link } from "../zones/link.ts";
import type { Received } from "../zones/outgoing-requests.ts";
import { ZoneClient, type ZoneClientOptions } from "../zones/zone-client.ts";
import { type SandboxService, type WallsAnswer, wallsAnswer } from "./messages.ts";
import { type ReportedWalls, readWallsReport } from "./walls-report.ts";
import { socketOf } from "./worker-command.ts";

/** Takes walls of the kernel that a process of the zone reported: around itself, or around programs. */
export type OnWalls = (process: SandboxService | "program", walls: ReportedWalls) => void;

export interface AskWallsOnceOptions extends Pick<ZoneClientOptions, "clock" | "random" | "log"> {
  /** Folder with a folder of sockets for each zone. */
  readonly zoneSockets: string;
  readonly onWalls: OnWalls;
}

const ANSWER_MS = 10_000;
/** How long to wait for a zone that starts with the operator. */
const PATIENCE_MS = 60_000;
/** Of an answer. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 65_536 };

/** Asks a process of the sandbox zone which walls it has. One that does not answer is asked over the next connection. */
export async function askWalls(service: SandboxService, link: Link, onWalls: OnWalls): Promise<void> {
  const read = ({ body }: Received): WallsAnswer => wallsAnswer.parse(body);
  const answer = await link
    .request("walls", { body: {} }, { read, deadlineMs: ANSWER_MS })
    .catch(() => undefined);
  if (answer === undefined) return;
  onWalls(service, readWallsReport(answer.own));
  if (answer.programs !== undefined && service === "programs")
    onWalls("program", readWallsReport(answer.programs));
}

/** Asks a zone in another container, over a connection of its own: a gap should be known before the first resource comes. */
export function askWallsOnce({ zoneSockets, onWalls, ...options }: AskWallsOnceOptions): void {
  const service = "programs";
  const client = new ZoneClient({
    ...options,
    ...{ zone: `sandbox/${service}`, socket: socketOf(join(zoneSockets, "sandbox"), service), limits },
  });
  void client
    .link({ withinMs: PATIENCE_MS })
    .then((link) => askWalls(service, link, onWalls))
    // The first render says that the zone is not there.
    .catch(() => undefined)
    .finally(() => client.close());
}
