import { join } from "node:path";
import type { Link } from "../zones/link.ts";
import type { Received } from "../zones/outgoing-requests.ts";
import { ZoneClient, type ZoneClientOptions } from "../zones/zone-client.ts";
import { type ReportedIsolation, readIsolationReport } from "./isolation-report.ts";
import { type IsolationAnswer, isolationAnswer, type SandboxService } from "./messages.ts";
import { socketOf } from "./worker-command.ts";

/** Receives the kernel isolation that a process of the zone reported: of itself, or of programs. */
export type OnIsolation = (process: SandboxService | "program", isolation: ReportedIsolation) => void;

export interface AskIsolationOnceOptions extends Pick<ZoneClientOptions, "clock" | "random" | "log"> {
  /** Folder with a folder of sockets for each zone. */
  readonly zoneSockets: string;
  readonly onIsolation: OnIsolation;
}

const ANSWER_MS = 10_000;
/** How long to wait for a zone that starts with the operator. */
const PATIENCE_MS = 60_000;
/** Limits for an answer. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 65_536 };

/**
 * Requests the isolation of a process of the sandbox zone. If it does not answer, the next connection repeats the
 * request.
 */
export async function askIsolation(
  service: SandboxService,
  link: Link,
  onIsolation: OnIsolation,
): Promise<void> {
  const read = ({ body }: Received): IsolationAnswer => isolationAnswer.parse(body);
  const answer = await link
    .request("isolation", { body: {} }, { read, deadlineMs: ANSWER_MS })
    .catch(() => undefined);
  if (answer === undefined) return;
  onIsolation(service, readIsolationReport(answer.own));
  if (answer.programs !== undefined && service === "programs")
    onIsolation("program", readIsolationReport(answer.programs));
}

/**
 * Requests the isolation of a zone in another container, over a separate connection: a missing layer should be known
 * before the first resource is rendered.
 */
export function askIsolationOnce({ zoneSockets, onIsolation, ...options }: AskIsolationOnceOptions): void {
  const service = "programs";
  const client = new ZoneClient({
    ...options,
    ...{ zone: `sandbox/${service}`, socket: socketOf(join(zoneSockets, "sandbox"), service), limits },
  });
  void client
    .link({ withinMs: PATIENCE_MS })
    .then((link) => askIsolation(service, link, onIsolation))
    // The first render reports that the zone is unavailable.
    .catch(() => undefined)
    .finally(() => client.close());
}
