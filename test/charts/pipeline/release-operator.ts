import { hash } from "node:crypto";
import type { LiveObject } from "../../../crds/object.ts";
import type { ComparedManifests, Comparison } from "../../../crds/stage-differences.ts";
import { compareManifests } from "../../../operator/desire/release/compare-manifests.ts";
import { aDesiredSet } from "../../fakes/plans.ts";
import { aSourceManifest } from "../../fakes/releases.ts";

/** The content of a commit for each Release, by key. Content that begins with `!` cannot be rendered. */
export interface Commit {
  readonly id: string;
  readonly contents: Readonly<Record<string, string>>;
}

export interface ReleaseSpec {
  readonly source: {
    readonly ref: { readonly pipeline: string; readonly stage: string; readonly namespace?: string };
  };
  readonly revision?: string;
  readonly digest?: string;
  readonly next?: { readonly revision: string; readonly compare?: readonly Comparison[] };
  readonly suspend?: boolean;
}

interface Deployed {
  readonly revision: string;
  readonly digest: string;
  readonly generation: number;
  readonly since: string;
  readonly healthySince?: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface ReleaseStatus {
  readonly observedGeneration?: number;
  readonly deployed?: Deployed;
  readonly next?: {
    readonly revision: string;
    readonly digest?: string;
    readonly error?: string;
    readonly mutableImages?: number;
    readonly compared?: readonly ComparedManifests[];
  };
  readonly conditions?: readonly Condition[];
}

export type SimulatedRelease = LiveObject & { readonly spec: ReleaseSpec; readonly status?: ReleaseStatus };

export const instantOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The digest of a commit for a Release, rendered by a version of the operator, or why it cannot be rendered. */
export function renderOf(
  commit: Commit | undefined,
  key: string,
  version: string,
): { readonly digest: string } | { readonly error: string } {
  if (commit === undefined) return { error: "the commit is not in the repository" };
  const content = commit.contents[key] ?? "";
  if (content.startsWith("!")) return { error: `cannot render: ${content.slice(1)}` };
  return { digest: hash("sha256", `${key} ${content} ${version}`, "hex").slice(0, 32) };
}

/** Comparisons of a content. JSON is the data of a ConfigMap; any other content is its only value. */
function comparedOf(content: string, compare: readonly Comparison[]): readonly ComparedManifests[] {
  const data = content.startsWith("{") ? (JSON.parse(content) as object) : { content };
  const map = aSourceManifest("v1", "ConfigMap", "web", { fields: { data } });
  return compareManifests(aDesiredSet([map]), { home: "shop", compare });
}

export interface ReleaseOperatorInput {
  readonly nowMs: number;
  readonly version: string;
  readonly commitOf: (revision: string) => Commit | undefined;
  /** The health of its objects after they are deployed. */
  readonly health: "Healthy" | "Progressing" | "Failed";
  /** Reason why it applies nothing now. */
  readonly refusal?: string | undefined;
}

/** Composes the status of a Release like the operator after a reconcile. */
export function reconcileRelease(release: SimulatedRelease, input: ReleaseOperatorInput): ReleaseStatus {
  const { spec, status: previous = {}, metadata } = release;
  const { generation = 1, namespace, name } = metadata;
  const key = `${namespace}/${name}`;
  const { nowMs, version, commitOf, health, refusal } = input;
  const now = instantOf(nowMs);
  const planOf = (revision: string) => {
    const contents = commitOf(revision)?.contents[key] ?? "";
    const mutable = contents.includes(":latest") ? { mutableImages: 1 } : {};
    const { compare } = spec.next ?? {};
    const rendered = renderOf(commitOf(revision), key, version);
    const compared =
      compare === undefined || "error" in rendered ? {} : { compared: comparedOf(contents, compare) };
    return { revision, ...rendered, ...mutable, ...compared };
  };
  const revision = spec.revision ?? previous.deployed?.revision;
  const rendered = revision === undefined ? undefined : renderOf(commitOf(revision), key, version);
  const refused = refusalOf({
    revision,
    rendered,
    refusal,
    wanted: spec.revision === undefined ? undefined : spec.digest,
  });
  const mismatched = refused?.reason === "DigestMismatch" ? revision : undefined;
  const planned = spec.next?.revision ?? mismatched;
  const next = planned === undefined ? undefined : planOf(planned);
  const deployed =
    refused === undefined && rendered !== undefined && "digest" in rendered && revision !== undefined
      ? deploy(previous.deployed, {
          revision,
          digest: rendered.digest,
          generation,
          now,
          isHealthy: health === "Healthy",
        })
      : previous.deployed;
  const healthy = condition("Healthy", health === "Healthy", {
    reason: health,
    message: `pod is ${health}`,
    previous,
    now,
  });
  const isReady = refused === undefined && health === "Healthy";
  const ready = condition("Ready", isReady, { ...(refused ?? healthy), previous, now });
  const isApplied = { reason: "Applied", message: "Applied 1 object" };
  const applied = condition("Applied", refused === undefined, { ...(refused ?? isApplied), previous, now });
  return {
    observedGeneration: generation,
    ...(deployed && { deployed }),
    ...(next && { next }),
    conditions: [healthy, ready, applied],
  };
}

function deploy(
  before: Deployed | undefined,
  {
    revision,
    digest,
    generation,
    now,
    isHealthy,
  }: {
    readonly revision: string;
    readonly digest: string;
    readonly generation: number;
    readonly now: string;
    readonly isHealthy: boolean;
  },
): Deployed {
  const isSame = before?.digest === digest;
  const since = isSame ? before.since : now;
  const healthySince = isHealthy ? ((isSame ? before.healthySince : undefined) ?? now) : undefined;
  return { revision, digest, generation, since, ...(healthySince !== undefined && { healthySince }) };
}

function refusalOf({
  revision,
  rendered,
  refusal,
  wanted,
}: {
  readonly revision: string | undefined;
  readonly rendered: ReturnType<typeof renderOf> | undefined;
  readonly refusal: string | undefined;
  readonly wanted: string | undefined;
}): { readonly reason: string; readonly message: string } | undefined {
  if (refusal !== undefined) return { reason: refusal, message: `it is ${refusal}` };
  if (revision === undefined || rendered === undefined)
    return { reason: "PinPending", message: "waiting for a pin" };
  if ("error" in rendered) return { reason: "SourceNotFound", message: rendered.error };
  if (wanted === undefined || wanted === rendered.digest) return undefined;
  return { reason: "DigestMismatch", message: `has digest ${rendered.digest}, and spec.digest is ${wanted}` };
}

function condition(
  type: string,
  isTrue: boolean,
  {
    reason,
    message,
    previous,
    now,
  }: {
    readonly reason: string;
    readonly message: string;
    readonly previous: ReleaseStatus;
    readonly now: string;
  },
): Condition {
  const status = isTrue ? "True" : "False";
  const before = previous.conditions?.find((one) => one.type === type);
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
  return { type, status, reason, message, lastTransitionTime };
}
