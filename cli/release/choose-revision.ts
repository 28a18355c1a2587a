import type { ReleaseHistoryEntry } from "../../crds/release.ts";
import { formatHistory } from "./history-text.ts";
import { historyOf, labelOfRelease, type ReleaseObject } from "./release-object.ts";

/** There is no matching revision, or the choice is ambiguous. */
export class UnknownRevisionError extends Error {
  override readonly name = "UnknownRevisionError";
}

/** A commit to deploy, and its entry in the history, if any. */
export interface ChosenRevision {
  readonly revision: string;
  readonly entry: ReleaseHistoryEntry | undefined;
}

/**
 * Finds the commit that a user specified: a number of the history, a prefix of a commit's id in the history, or a full
 * id.
 *
 * @throws UnknownRevisionError that contains the history.
 */
export function chooseRevision(release: ReleaseObject, text: string): ChosenRevision {
  const history = historyOf(release);
  if (/^\d{1,2}$/.test(text)) {
    const entry = history[Number(text) - 1];
    if (entry !== undefined) return { revision: entry.revision, entry };
    throw unknown(release, `the history has no number ${text}`);
  }
  const wanted = text.toLowerCase();
  if (!/^[0-9a-f]{4,64}$/.test(wanted))
    throw unknown(release, `"${text}" is neither a number of the history nor a commit id`);
  const entries = history.filter(({ revision }) => revision.startsWith(wanted));
  const revisions = new Set(entries.map(({ revision }) => revision));
  if (revisions.size > 1) throw unknown(release, `more than one commit begins with ${text}`);
  const [entry] = entries;
  if (entry !== undefined) return { revision: entry.revision, entry };
  if (wanted.length === 40 || wanted.length === 64) return { revision: wanted, entry: undefined };
  throw unknown(release, `no commit of the history begins with ${text}; any other needs its full id`);
}

/**
 * The last ready commit before the deployed one; or the deployed one, if a newer one could not be deployed at all. A
 * second rollback goes further back, and not forward again.
 *
 * @throws UnknownRevisionError that contains the history.
 */
export function choosePrevious(release: ReleaseObject): ChosenRevision {
  const history = historyOf(release);
  const { attempted } = release.status ?? {};
  const current = history[0]?.revision;
  const isCurrentTheOne = attempted === undefined || attempted === current;
  const begin = isCurrentTheOne ? history.findLastIndex(({ revision }) => revision === current) + 1 : 0;
  const entry = history.slice(begin).find(({ outcome }) => outcome === "Ready");
  if (entry === undefined) throw unknown(release, "no earlier revision was ready");
  return { revision: entry.revision, entry };
}

function unknown(release: ReleaseObject, why: string): UnknownRevisionError {
  const lines = historyOf(release).length === 0 ? ["its history is empty"] : formatHistory(release);
  return new UnknownRevisionError(
    `Cannot choose a revision of Release ${labelOfRelease(release)}: ${why}\n${lines.join("\n")}`,
  );
}
