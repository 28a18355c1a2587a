import type { RenderSpec } from "../../crds/release-render.ts";
import type { Manifest } from "../../synth/manifest.ts";
import type { SourceFailure } from "../errors.ts";
import type { SourceRevision } from "../git/source/ports.ts";

// Renders are level-triggered as sources are: they answer at once from memory, and put the key back into its queue.

/** Rendered objects of a source, without the operator's stamps. */
export interface Rendered {
  /** Ids unique; namespaces as the author wrote them; in the order of the files or the constructs. */
  readonly manifests: readonly Manifest[];
  /** Where each manifest comes from, for messages: `web/deployment.yaml:12`, or the path of its construct. By index. */
  readonly origins: readonly string[];
  /** Edges that the constructs declare: indexes of manifests that must be healthy before this one. By index. */
  readonly dependencies: ReadonlyMap<number, readonly number[]>;
  /** Digest over the manifests. */
  readonly digest: string;
  /** For a program: digest of its bundle and of its inputs. */
  readonly programDigest?: string;
  readonly inputsDigest?: string;
  /** Paths (relative to the source's path) that it was made of; undefined: all of the folder. */
  readonly readPaths?: readonly string[];
  /** Warnings about ignored or unusual content: at most 20 sentences with file and line. */
  readonly warnings?: readonly string[];
}

export type RenderState =
  | { readonly state: "ready"; readonly rendered: Rendered }
  | { readonly state: "pending" }
  /** `waiting`: it is rendered later; the failure says when. */
  | { readonly state: "waiting"; readonly failure: SourceFailure }
  | { readonly state: "failed"; readonly failure: SourceFailure };

/** How a run of a program that takes long is treated. */
export interface RunPatience {
  /** The result is no longer needed: a long run is ended. */
  readonly unwanted: AbortSignal;
  /** The program took long before: from the start it gets only what others leave of the processor. */
  readonly isSlow: boolean;
  readonly onSlow: () => void; // it takes long
  readonly onRunning?: (isRunning: boolean) => void; // its process starts to work for it, or has ended its work
}

export interface RenderRequest {
  /** Of the resource. Nothing that is rendered for one namespace is used for another. */
  readonly key: string;
  readonly namespace: string;
  readonly render: RenderSpec;
  readonly revision: Pick<SourceRevision, "tree" | "repositoryId" | "files">;
  readonly programQuota?: SmallestLimit | undefined; // seconds of all programs of the namespace within an hour
}

/** Makes manifests of sources. The same tree, options and inputs are rendered once. */
export interface Renderer {
  render(request: RenderRequest): RenderState;
  forget(key: string): void;
  close(): Promise<void>;
}

/** A limit in numbers, and the rule that sets it. */
export interface SmallestLimit {
  readonly from: string;
  readonly value: number;
}
