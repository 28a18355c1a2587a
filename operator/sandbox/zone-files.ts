import type { SourceFiles } from "../git/source/ports.ts";
import type { FairSemaphore } from "../runtime/fair-semaphore.ts";
import type { AskBack } from "../zones/incoming-requests.ts";
import { type FileListItem, readLimits } from "./messages.ts";

type Listed = Awaited<ReturnType<SourceFiles["list"]>>;

export interface ZoneFilesOptions {
  readonly back: AskBack;
  /** Id of the request `render`. */
  readonly render: number;
  readonly namespace: string;
  /** Limits the requests of one connection. */
  readonly requests: FairSemaphore;
}

/** Git reads files within milliseconds, but the repository may have to be cloned again first. */
const DEADLINE_MS = 300_000;

/**
 * The files of a render inside the zone, which requests them from the operator. The blob of a file is its index in the
 * list.
 */
export function zoneFiles({ back, render, namespace, requests }: ZoneFilesOptions): SourceFiles {
  let listed: Promise<Listed> | undefined;
  const list = (): Promise<Listed> => {
    listed ??= requestList();
    return listed;
  };

  async function requestList(): Promise<Listed> {
    const files: { path: string; blob: string; size: number }[] = [];
    const refused: { path: string; what: "symlink" | "submodule" }[] = [];
    await back.request(
      "list",
      { body: { render } },
      {
        deadlineMs: DEADLINE_MS,
        read: () => undefined,
        onItem: ({ parts }) => {
          const item = JSON.parse(String(parts[0])) as FileListItem;
          for (const [path, size] of item.files) files.push({ path, blob: String(files.length), size });
          for (const [path, what] of item.refused) refused.push({ path, what });
        },
      },
    );
    return { files, refused };
  }

  async function readPortion(portion: readonly number[], contents: Map<string, Buffer>): Promise<void> {
    const permit = await requests.acquire(namespace);
    try {
      const onItem = ({ parts }: { readonly parts: readonly Buffer[] }): void => {
        for (const [at, part] of parts.entries()) contents.set(String(portion[at]), part);
      };
      const body = { render, files: portion };
      await back.request("read", { body }, { deadlineMs: DEADLINE_MS, read: () => undefined, onItem });
    } finally {
      permit.release();
    }
  }

  async function read(blobs: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const { files } = await list();
    const contents = new Map<string, Buffer>();
    for (const portion of portionsOf([...new Set(blobs)].map(Number), (index) => files[index]?.size ?? 0))
      await readPortion(portion, contents);
    return contents;
  }

  return { list, read };
}

function* portionsOf(indexes: readonly number[], sizeOf: (index: number) => number): Generator<number[]> {
  let [portion, bytes]: [number[], number] = [[], 0];
  for (const index of indexes) {
    const size = sizeOf(index);
    if (portion.length > 0 && (portion.length >= readLimits.files || bytes + size > readLimits.bytes)) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(index);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}
