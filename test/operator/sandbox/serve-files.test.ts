import { expect, test } from "vitest";
import type { SourceFiles } from "../../../operator/git/source/ports.ts";
import { FairSemaphore } from "../../../operator/runtime/fair-semaphore.ts";
import type { FileListItem } from "../../../operator/sandbox/messages.ts";
import { FileServer } from "../../../operator/sandbox/serve-files.ts";
import type { Message } from "../../../operator/zones/messages.ts";

/** The zone accepts frames of at most 16 MiB; it closes the connection for a larger one. */
const FRAME_BYTES = 2 ** 20;

test("a list of long paths that JSON makes longer arrives in small frames, complete and in order", async () => {
  const paths = Array.from({ length: 1_000 }, (_, index) => "\u0001".repeat(4_000) + String(index));
  const files: SourceFiles = {
    list: async () => ({
      files: paths.map((path) => ({ path, blob: "b", size: 1 })),
      refused: paths.map((path) => ({ path, what: "symlink" })),
    }),
    read: async () => new Map(),
  };
  const server = new FileServer("shop", files, new FairSemaphore({ permits: 8 }));
  const frames: Buffer[] = [];
  const send = async ({ parts = [] }: Message): Promise<void> => {
    frames.push(...(parts as Buffer[]));
  };
  const { signal } = new AbortController();
  await server.serve({ id: 1, name: "list", body: { render: 1 }, parts: [], signal, send });

  expect(Math.max(...frames.map(({ length }) => length))).toBeLessThan(FRAME_BYTES);
  const items = frames.map((frame) => JSON.parse(frame.toString()) as FileListItem);
  expect(items.flatMap((item) => item.files.map(([path]) => path))).toEqual(paths);
  expect(items.flatMap((item) => item.refused.map(([path]) => path))).toEqual(paths);
});
