import { createHash } from "node:crypto";

const LINES_AT_ONCE = 5_000;
/**
 * Maximum length of a line, in characters. A longer one is ignored: a ref is the path of a file, which has at most 4,096
 * bytes. V8 gives long texts of the same length the same hash, so reading many of them would take quadratic time.
 */
const LONGEST = 8_192;

/** The branches and tags of a remote, as `git ls-remote` lists them. */
export interface RemoteRefs {
  /** Ids of the objects that refs point to, by full name. */
  readonly ids: ReadonlyMap<string, string>;
  /** Equal digests, equal refs. */
  readonly digest: string;
}

/**
 * Parses the output of `git ls-remote`, whose length the remote decides. Yields regularly.
 *
 * @param pieces The output in pieces of any length: to join 16 MiB takes 0.1 s.
 */
export function* readRemoteRefs(pieces: Iterable<string>): Generator<undefined, RemoteRefs> {
  const ids = new Map<string, string>();
  const hash = createHash("sha256");
  let lines = 0;
  /** The beginning of a line, from earlier pieces. */
  let begun = "";
  for (const piece of pieces) {
    hash.update(piece);
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      note(begun + piece.slice(start, end), ids);
      begun = "";
      start = end + 1;
      if (++lines % LINES_AT_ONCE === 0) yield;
    }
    // More is not needed to see that the line is too long.
    if (begun.length <= LONGEST) begun += piece.slice(start, start + LONGEST + 1);
    yield;
  }
  note(begun, ids);
  return { ids, digest: hash.digest("hex") };
}

function note(line: string, ids: Map<string, string>): void {
  if (line.length > LONGEST) return;
  const tab = line.indexOf("\t");
  // `^{}` marks the commit that a tag object points to.
  if (tab > 0 && !line.endsWith("^{}")) ids.set(line.slice(tab + 1), line.slice(0, tab));
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
