import type { RenderSpec } from "../../crds/render.ts";
import type { Manifest } from "../../synth/manifest.ts";
import type { SourceFailure } from "../errors.ts";
import type { SourceRevision } from "../git/source/ports.ts";

// Renders are level-triggered like sources: they answer at once from memory, and requeue the key when the answer
// changes.

/** Rendered objects of a source, without the operator's stamps. */
export interface Rendered {
  /** Ids are unique; namespaces are as the author wrote them; in the order of the files or the constructs. */
  readonly manifests: readonly Manifest[];
  /** Origin of each manifest, for messages: `web/deployment.yaml:12`, or the path of its construct. By index. */
  readonly origins: readonly string[];
  /** Edges that the constructs declare: indexes of manifests that must be healthy before this one. By index. */
  readonly dependencies: ReadonlyMap<number, readonly number[]>;
  /** Digest over the manifests. */
  readonly digest: string;
  /** For a program: digest of its bundle and of its inputs. */
  readonly programDigest?: string;
  readonly inputsDigest?: string;
  /** Paths (relative to the source's path) of the files that it uses; undefined: the whole folder. */
  readonly readPaths?: readonly string[];
  /** Warnings about ignored or unusual content: at most 20 sentences with file and line. */
  readonly warnings?: readonly string[];
}

export type RenderState =
  | { readonly state: "ready"; readonly rendered: Rendered }
  | { readonly state: "pending" }
  /** `waiting`: it is rendered later; the failure contains the time. */
  | { readonly state: "waiting"; readonly failure: SourceFailure }
  | { readonly state: "failed"; readonly failure: SourceFailure };

/** Handling of a render that takes long. */
export interface RunPatience {
  /** Aborts when the result is no longer needed: a long run is then ended. */
  readonly unwanted: AbortSignal;
  /** The program ran long before: it has low CPU priority from the start. */
  readonly isSlow: boolean;
  readonly onSlow: () => void; // it takes long
  readonly onRunning?: (isRunning: boolean) => void; // its process starts to work for it, or has ended its work
  readonly onWorked?: (ms: number) => void; // how long the reader, or a bundler that failed, worked for it
}

export interface RenderRequest {
  /** Namespace of the resource. A render of one namespace is never used for another. */
  readonly key: string;
  readonly namespace: string;
  readonly render: RenderSpec;
  readonly revision: Pick<SourceRevision, "tree" | "repositoryId" | "files">;
  readonly programQuota?: SmallestLimit | undefined; // seconds of all programs of the namespace within an hour
}

/** Renders sources to manifests. The same tree, options and inputs are rendered once. */
export interface Renderer {
  render(request: RenderRequest): RenderState;
  forget(key: string): void;
  close(): Promise<void>;
}

/** A numeric limit, and the rule that sets it. */
export interface SmallestLimit {
  readonly from: string;
  readonly value: number;
}
