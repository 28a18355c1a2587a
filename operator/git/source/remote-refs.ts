import { createHash } from "node:crypto";

const LINES_AT_ONCE = 5_000;
/** Characters. */
const HASHED_AT_ONCE = 1_048_576;

/** The branches and tags of a remote, as `git ls-remote` lists them. */
export interface RemoteRefs {
  /** Ids of the objects that refs point to, by full name. */
  readonly ids: ReadonlyMap<string, string>;
  /** Equal digests, equal refs. */
  readonly digest: string;
}

/** Parses the output of `git ls-remote`, whose length the remote decides. Yields regularly. */
export function* readRemoteRefs(answer: string): Generator<undefined, RemoteRefs> {
  const ids = new Map<string, string>();
  const hash = createHash("sha256");
  for (let at = 0; at < answer.length; at += HASHED_AT_ONCE) {
    hash.update(answer.slice(at, at + HASHED_AT_ONCE));
    yield;
  }
  let lines = 0;
  for (let start = 0; start < answer.length; ) {
    const found = answer.indexOf("\n", start);
    const end = found < 0 ? answer.length : found;
    const line = answer.slice(start, end);
    const tab = line.indexOf("\t");
    // `^{}` marks the commit that a tag object points to.
    if (tab > 0 && !line.endsWith("^{}")) ids.set(line.slice(tab + 1), line.slice(0, tab));
    start = end + 1;
    if (++lines % LINES_AT_ONCE === 0) yield;
  }
  return { ids, digest: hash.digest("hex") };
}

/** Names in a folder of refs, such as `refs/tags/`, without the folder. Yields regularly. */
export function* namesIn({ ids }: RemoteRefs, folder: string): Generator<undefined, string[]> {
  const names: string[] = [];
  let count = 0;
  for (const ref of ids.keys()) {
    if (ref.startsWith(folder)) names.push(ref.slice(folder.length));
    if (++count % LINES_AT_ONCE === 0) yield;
  }
  return names;
}
