import { Release } from "../../crds/release.ts";
import { isPinnedTo } from "../../operator/desire/release/source-loss.ts";
import type { SourceFailureReason } from "../../operator/errors.ts";
import { waitUntil } from "../install/wait-until.ts";
import type { ApiClient } from "./api-client.ts";
import { conditionOf, labelOfRelease, type ReleaseObject, shortCommit } from "./release-object.ts";

/** A Release that will not become ready unless a user changes something. */
export class NotReadyError extends Error {
  override readonly name = "NotReadyError";
}

export interface FollowOptions {
  readonly client: ApiClient;
  readonly report: (line: string) => void;
  readonly timeoutMs: number;
  /** Value of the annotation of the requested poll, which must have been handled. */
  readonly request?: string;
}

/**
 * Waits until a requested poll of a Release is handled: it was reconciled, and everything is applied and healthy.
 *
 * @throws NotReadyError with the message of the Release, if it cannot become ready by itself; NotInTimeError;
 * UnknownReleaseError.
 */
export async function untilReady(
  release: ReleaseObject,
  { client, report, timeoutMs, request }: FollowOptions,
): Promise<ReleaseObject> {
  let seen = release;
  await waitUntil(
    async () => {
      const live = await client.read(Release, release.metadata);
      if (live === undefined || live.metadata.uid !== release.metadata.uid)
        throw new NotReadyError(`Cannot wait for Release ${labelOfRelease(release)}: it was deleted`);
      seen = live as ReleaseObject;
      return missingFor(seen, { request, generation: release.metadata.generation });
    },
    { deadlineMs: performance.now() + timeoutMs, report },
  );
  return seen;
}

/** Text about the missing part until a Release is ready as requested; undefined: nothing is missing. Pure. */
export function missingFor(
  release: ReleaseObject,
  { request, generation }: { readonly request: string | undefined; readonly generation: number },
): string | undefined {
  const title = `Release ${labelOfRelease(release)}`;
  if (release.spec.suspend)
    throw new NotReadyError(`${title} is suspended: it is not reconciled until it is resumed`);
  const ready = conditionOf(release, "Ready");
  const isSeen = ready !== undefined && (ready.observedGeneration ?? 0) >= generation;
  const isLookedAt = request === undefined || release.status?.lastHandledRequest === request;
  if (!isSeen || !isLookedAt)
    return `Waiting for ${title}: the operator has not reconciled it yet${saying(release)}`;
  if (ready.status === "True" && conditionOf(release, "Reconciling")?.status !== "True")
    return missingSource(release, { title, request });
  if (conditionOf(release, "Stalled")?.status === "True")
    throw new NotReadyError(`${title} cannot become ready: ${ready.reason}: ${ready.message}`);
  return `Waiting for ${title}${revisionIn(release)}: ${ready.reason}: ${ready.message}`;
}

/**
 * Text about the missing part if a Release is ready with an earlier result: during an outage it stays ready for a while,
 * and if it is pinned to its deployed commit, permanently. A requested poll must still be reported.
 */
function missingSource(
  release: ReleaseObject,
  { title, request }: { readonly title: string; readonly request: string | undefined },
): string | undefined {
  const sourced = conditionOf(release, "Sourced");
  if (sourced?.status !== "False") return undefined;
  const { reason, message } = sourced;
  const failure = { reason: reason as SourceFailureReason };
  if (request === undefined && isPinnedTo(release.status?.observedHead, release, failure)) return undefined;
  if (reason === "SourceUnreachable") return `Waiting for the source of ${title}: ${reason}: ${message}`;
  throw new NotReadyError(`${title} cannot get its source: ${reason}: ${message}`);
}

/** Why a poll fails, if the status contains the reason. */
function saying(release: ReleaseObject): string {
  const sourced = release.status?.conditions?.find(
    ({ type, status }) => type === "Sourced" && status === "False",
  );
  return sourced === undefined ? "" : ` (${sourced.reason}: ${sourced.message})`;
}

function revisionIn({ status }: ReleaseObject): string {
  return status?.attempted === undefined ? "" : ` at ${shortCommit(status.attempted)}`;
}
