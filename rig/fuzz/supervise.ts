import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LastInput, readLastInput } from "./last-input.ts";
import type { Finding, Searched } from "./search.ts";
import type { SearchInput, SearchMessage } from "./search-process.ts";

export interface SuperviseOptions {
  /** The process that searches. Default: search-process.ts. */
  readonly program?: URL;
  readonly search: Omit<SearchInput, "record">;
  /** A reader hangs if it takes longer than this for one input, in milliseconds. */
  readonly hangMs?: number;
  readonly onFinding: (finding: Finding) => void;
}

const HANG_MS = 60_000;
const searchProcess = new URL("./search-process.ts", import.meta.url);

/**
 * Searches in another process, which it kills when a reader hangs. After that, or after a crash of the process, the search
 * ends with this finding.
 *
 * @returns Undefined after such an end.
 */
export async function supervise({
  program = searchProcess,
  search,
  hangMs = HANG_MS,
  onFinding,
}: SuperviseOptions): Promise<Searched | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-fuzz-"));
  const record = join(folder, "last-input");
  await writeFile(record, "");
  try {
    const child = fork(program, [JSON.stringify({ ...search, record })]);
    let searched: Searched | undefined;
    child.on("message", (message: SearchMessage) => {
      if ("finding" in message) onFinding(message.finding);
      else searched = message.searched;
    });
    const watch = watchForHang(child, record, hangMs);
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    watch.end();
    if (searched !== undefined) return searched;
    const why = watch.hangs
      ? `it does not end within ${hangMs / 1_000} s`
      : `${signal ?? `exit code ${code}`}`;
    onFinding(endedBy(readLastInput(record), watch.hangs ? "hang" : "end of the process", why));
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function watchForHang(child: ChildProcess, record: string, hangMs: number) {
  const watch = { hangs: false, end: () => clearInterval(timer) };
  let lastCount: number | undefined;
  const timer = setInterval(() => {
    const count = readLastInput(record)?.count;
    watch.hangs = count !== undefined && count === lastCount;
    lastCount = count;
    if (watch.hangs) child.kill("SIGKILL");
  }, hangMs);
  return watch;
}

function endedBy(last: LastInput | undefined, what: Finding["what"], why: string): Finding {
  if (last === undefined) return { reader: "no reader", what, detail: why };
  const { reader, start, bytes } = last;
  return { reader, what, detail: `${why}: ${bytes} bytes, ${JSON.stringify(start.toString("latin1"))}` };
}
