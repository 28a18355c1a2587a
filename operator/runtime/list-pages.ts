import { keyOf, type LiveObject } from "../../crds/object.ts";
import { WatchError } from "../errors.ts";
import type { ListPage, WatchSource } from "./ports.ts";
import { yieldToEventLoop } from "./time-slice.ts";

/** Also the default of client-go. */
const pageSize = 500;

export interface ListPagesInput {
  readonly source: Pick<WatchSource, "list">;
  readonly resourceVersion: string;
  /** Also if the server could respond from its cache, because it has none. */
  readonly pagingForced: boolean;
  /** Called for each object; its result is stored. */
  readonly prepare: (object: LiveObject) => LiveObject;
  readonly signal: AbortSignal;
}

export interface ListedPages {
  /** By key. */
  readonly objects: ReadonlyMap<string, LiveObject>;
  readonly resourceVersion: string;
  /** The server responded with pages. */
  readonly paged: boolean;
}

/**
 * Lists all objects, page by page if this is useful. When the token of a next page has expired, one full list replaces
 * the pages so far.
 *
 * @throws WatchError
 */
export async function listPages(input: ListPagesInput): Promise<ListedPages> {
  const { source, resourceVersion, pagingForced, signal } = input;
  // At a given version only the watch cache is fast, and it does not support pages.
  const paging = pagingForced || resourceVersion === "" || resourceVersion === "0";
  const first = await source.list({ resourceVersion, ...(paging && { limit: pageSize }), signal });
  const objects = new Map<string, LiveObject>();
  await collect(first, objects, input);
  let { continueToken } = first;
  while (continueToken !== undefined) {
    let page: ListPage;
    try {
      page = await source.list({
        resourceVersion: "",
        ...(paging && { limit: pageSize }),
        continueToken,
        signal,
      });
    } catch (error) {
      if (!(error instanceof WatchError && error.status === 410)) throw error;
      page = await source.list({ resourceVersion, signal });
      objects.clear();
      await collect(page, objects, input);
      return { objects, resourceVersion: page.resourceVersion, paged: true };
    }
    await collect(page, objects, input);
    continueToken = page.continueToken;
  }
  // The first page's version is the oldest: newer objects on later pages arrive again, which has no effect.
  return { objects, resourceVersion: first.resourceVersion, paged: first.continueToken !== undefined };
}

/** In slices, because a full list may have tens of thousands. */
async function collect(
  page: ListPage,
  objects: Map<string, LiveObject>,
  { prepare }: ListPagesInput,
): Promise<void> {
  let sliced = 0;
  for (const item of page.items) {
    objects.set(keyOf(item), prepare(item));
    if (++sliced % pageSize === 0) await yieldToEventLoop();
  }
}
