import { formatColumns } from "./columns.ts";
import { historyOf, type ReleaseObject, shortCommit } from "./release-object.ts";

/** The deployed revisions of a Release as a table, newest first, with the numbers that `rollback` takes. Pure. */
export function formatHistory(release: ReleaseObject): readonly string[] {
  const pinned = historyOf(release).findIndex(({ revision }) => revision === release.spec.revision);
  const rows = historyOf(release).map(({ revision, deployedAt, outcome, author, subject }, index) => [
    String(index + 1),
    shortCommit(revision),
    deployedAt,
    index === pinned ? `${outcome}, pinned` : outcome,
    author,
    subject,
  ]);
  return formatColumns([["#", "REVISION", "DEPLOYED", "OUTCOME", "AUTHOR", "SUBJECT"], ...rows]);
}
