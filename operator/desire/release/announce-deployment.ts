import type { LiveObject } from "../../../crds/object.ts";
import type { ReleaseHistoryEntry } from "../../../crds/release.ts";
import { shortId } from "../../../crds/short-id.ts";
import type { EventRecorder, Logger } from "../../ports.ts";

interface WithHistory {
  readonly history?: readonly ReleaseHistoryEntry[] | undefined;
}

/** Reports a deployment once, after the status that records it was written. */
export function announceDeployment(
  { before, after }: { readonly before: WithHistory | undefined; readonly after: WithHistory },
  resource: LiveObject,
  { events, log }: { readonly events: EventRecorder; readonly log: Logger },
): void {
  const deployed = findDeployment(before?.history, after.history);
  if (deployed === undefined) return;
  const { revision, author, subject } = deployed;
  log.info("Deployed a commit", { revision, author, subject });
  const note = `Deployed commit ${shortId(revision)} by ${author}: ${subject}`;
  events.record(resource, { type: "Normal", reason: "Deployed", action: "Deploy", note, isRoutine: true });
}

/** The newest deployment, if it is not in the previous history. A later outcome of the same deployment does not count. Pure. */
export function findDeployment(
  before: readonly ReleaseHistoryEntry[] | undefined,
  after: readonly ReleaseHistoryEntry[] | undefined,
): ReleaseHistoryEntry | undefined {
  const [last] = before ?? [];
  const [newest] = after ?? [];
  const isSame =
    last?.revision === newest?.revision &&
    last?.digest === newest?.digest &&
    last?.deployedAt === newest?.deployedAt;
  return isSame ? undefined : newest;
}
