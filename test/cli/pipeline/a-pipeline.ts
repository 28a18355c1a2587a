import type { PipelineObject } from "../../../cli/pipeline/pipeline-object.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { stageDigestOf } from "../../../crds/stage-digest.ts";

export const [older, newer] = ["1".repeat(40), "2".repeat(40)];
/** Digests of the two Releases of `prod` with the two commits. */
export const digests = {
  [older]: { web: "a".repeat(32), api: "c".repeat(32) },
  [newer]: { web: "b".repeat(32), api: "c".repeat(32) },
};

/** Digest of the stage `prod` with a commit. */
export function prodDigest(revision: string): string {
  const { web = "", api = "" } = digests[revision] ?? {};
  return stageDigestOf([
    { name: "web", namespace: "shop", digest: web },
    { name: "api", namespace: "apis", digest: api },
  ]);
}

const candidate = (number: number, revision: string) => ({
  number,
  revision,
  subject: `Change ${number}`,
  author: "Bob <bob@example.dev>",
  committedAt: "2026-11-23T09:00:00Z",
  releases: [
    { release: "shop/web", digest: digests[revision]?.web ?? "" },
    { release: "apis/api", digest: digests[revision]?.api ?? "" },
  ],
});

/** A Pipeline with the stages `dev` and `prod`, whose `prod` waits for approvals of the newer of two commits. */
export function aPipeline({ isWaiting = true, name = "shop" } = {}): PipelineObject {
  const spec = Pipeline.spec.parse({
    source: { url: "https://git.test/shop.git" },
    stages: [
      { name: "dev", releases: [{ name: "web-dev" }] },
      {
        name: "prod",
        releases: [{ name: "web" }, { name: "api", namespace: "apis" }],
        enter: { approvals: { count: 2, groups: ["sre"] } },
      },
    ],
  });
  const waiting = [{ gate: "Approvals" as const, message: "0 of 2 approvals from sre" }];
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Pipeline",
    metadata: { name, namespace: "shop", uid: "p-1" },
    spec,
    status: {
      candidates: [candidate(1, older), candidate(2, newer)],
      stages: [
        { name: "dev", phase: "Passed" },
        {
          name: "prod",
          phase: "Waiting",
          ...(isWaiting && { next: { revision: newer, digest: prodDigest(newer) }, waiting }),
        },
      ],
    },
  };
}
