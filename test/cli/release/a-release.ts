import type { ReleaseObject } from "../../../cli/release/release-object.ts";
import type { Condition } from "../../../crds/conditions.ts";
import { Release, type ReleaseHistoryEntry, type ReleaseStatus } from "../../../crds/release.ts";

/** The id of a commit, from its first characters. */
export function commitId(start: string): string {
  return start.padEnd(40, "0");
}

/** One deployed revision. */
export function deployed(
  start: string,
  outcome: ReleaseHistoryEntry["outcome"] = "Ready",
  subject = `Commit ${start}`,
): ReleaseHistoryEntry {
  return {
    revision: commitId(start),
    digest: `sha256:${start}`,
    author: "Ada",
    subject,
    committedAt: "2026-01-01T00:00:00Z",
    deployedAt: "2026-01-01T00:00:01Z",
    outcome,
  };
}

export interface AReleaseOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly spec?: object;
  readonly status?: Partial<Omit<ReleaseStatus, "history">> & {
    readonly history?: readonly ReleaseHistoryEntry[];
  };
  readonly generation?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Release as stored by the API server. */
export function aRelease({
  name = "web",
  namespace = "shop",
  spec = {},
  status = {},
  generation = 1,
  annotations,
}: AReleaseOptions = {}): ReleaseObject {
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: { name, namespace, uid: `uid-${name}`, generation, ...(annotations && { annotations }) },
    spec: Release.spec.parse({
      source: { url: "https://git.example.com/shop/web.git" },
      render: { manifests: {} },
      ...spec,
    }),
    status: status as ReleaseStatus,
  };
}

export function condition(
  type: string,
  status: "True" | "False" | "Unknown",
  { reason = "Because", message = "Somebody said so", observedGeneration = 1 } = {},
): Condition {
  return { type, status, reason, message, observedGeneration, lastTransitionTime: "2026-01-01T00:00:00Z" };
}
