import type { LiveObject, ObjectKind } from "../../crds/object.ts";

/** One event of a watch, already reduced ({@link LiveObject}); a bookmark only moves the resourceVersion. */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: LiveObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: "ERROR"; readonly status: number; readonly reason: string; readonly message: string };

export interface ListPage {
  readonly items: readonly LiveObject[];
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
}

/** Where a reflector gets its objects: one kind, one selector, one namespace or all. Errors: WatchError. */
export interface WatchSource {
  readonly kind: ObjectKind;
  /** Whether the kind comes from a CustomResourceDefinition, which may change. */
  readonly isCustomKind?: boolean;
  list(params: {
    readonly resourceVersion: string;
    readonly limit?: number;
    readonly continueToken?: string;
    readonly signal: AbortSignal;
  }): Promise<ListPage>;
  /** Rejects with WatchError when the watch cannot start or breaks; ends when the server closes it cleanly. */
  watch(params: {
    readonly resourceVersion: string;
    readonly sendInitialEvents: boolean;
    readonly timeoutSeconds: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<WatchEvent>;
}
