import { describe, expect, test } from "vitest";
import type { Lifetime } from "../../../crds/child-kind.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { decideObject } from "../../../operator/engine/decide-object.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { metadataOnly } from "../../../operator/engine/metadata-only.ts";
import { stamps } from "../../../synth/manifest.ts";
import { aManifest, anOwner, asLive, set } from "../../fakes/owned-objects.ts";

const desired = aManifest({
  kind: "Pod",
  metadata: {
    labels: { [stamps.set]: set, app: "web" },
    annotations: { [stamps.digest]: "d1", note: "n" },
  },
  fields: { spec: { image: "a:1" } },
});
const live = asLive(desired);
const edited = { ...live, spec: { image: "a:2" } };
const relabelled = asLive(desired, { labels: { [stamps.set]: set, app: "other" } });
const older = asLive(desired, { annotations: { [stamps.digest]: "d0", note: "n" } });
const olderRelabelled = asLive(desired, {
  labels: { [stamps.set]: set },
  annotations: { [stamps.digest]: "d0", note: "n" },
});
const released = asLive(desired, { ownerReferences: [] });
const formerly = asLive(desired, { labels: { app: "web" } });
const handedOver = {
  ...asLive(desired, {
    labels: {},
    annotations: { [stamps.adoptBy]: "echo/web" },
    ownerReferences: [],
  }),
  ours: false,
};
const foreign = { ...asLive(desired, { labels: {}, ownerReferences: [] }), ours: false };
const leaving = asLive(desired, {
  ownerReferences: [{ ...desired.metadata.ownerReferences?.[0], uid: "0" } as never],
});
const terminating = asLive(desired, { deletionTimestamp: "2026-01-01T00:00:00Z" });

const as = { resource: anOwner(), set, shapeOf: builtInShapeOf };
const decide = (lifetime: Lifetime, there: LiveObject | undefined, isSettled = false) =>
  decideObject(desired, there, { ...as, isSettled: () => isSettled, lifetime });

/** A decision in a few words. */
function inWords(lifetime: Lifetime, there: LiveObject | undefined, isSettled = false): string {
  const decision = decide(lifetime, there, isSettled);
  if (decision.does !== "apply") return decision.does;
  const { guard, because, only = "all" } = decision.step;
  return `${guard.mode} ${only}: ${because}`;
}

describe("an object that is created once", () => {
  test.for([
    { object: "none", there: undefined, once: "create all: absent", run: "create all: absent" },
    { object: "one as desired", there: live, once: "keep", run: "keep" },
    { object: "one with another spec", there: edited, once: "keep", run: "keep" },
    { object: "one of an earlier chart", there: older, once: "keep", run: "keep" },
    {
      object: "one with a label that another manager changed",
      there: relabelled,
      once: "keep",
      run: "update metadata: metadata.labels.app",
    },
    {
      object: "one of an earlier chart, that lacks a label",
      there: olderRelabelled,
      once: "keep",
      run: "update metadata: digest",
    },
    {
      object: "one without its owner reference",
      there: released,
      once: "keep",
      run: "update metadata: metadata.ownerReferences[owner-uid]",
    },
    {
      object: "one that another operator made for the resource",
      there: formerly,
      once: "update metadata: adopt",
      run: "update metadata: adopt",
    },
    {
      object: "one that its owner hands over",
      there: handedOver,
      once: "update metadata: adopt",
      run: "update metadata: adopt",
    },
    {
      object: "one of another owner",
      there: foreign,
      once: "create all: foreign",
      run: "create all: foreign",
    },
    { object: "one of a deleted resource of the name", there: leaving, once: "wait", run: "wait" },
    { object: "one that is being deleted", there: terminating, once: "wait", run: "wait" },
  ])("$object: once $once, run $run", ({ there, once, run }) => {
    expect({ once: inWords("once", there), run: inWords("run", there) }).toEqual({ once, run });
  });

  test("is sent without its spec when its labels are corrected", () => {
    const decision = decide("run", relabelled);
    expect(decision).toEqual({
      does: "apply",
      step: {
        manifest: metadataOnly(desired),
        guard: { mode: "update", uid: live.metadata.uid },
        live: relabelled,
        because: "metadata.labels.app",
        only: "metadata",
      },
    });
  });

  test("reports why it is kept although it differs", () => {
    expect(decide("run", edited)).toMatchObject({ does: "keep", because: 'its lifetime is "run"' });
    expect(decide("once", edited)).toMatchObject({ does: "keep", because: 'its lifetime is "once"' });
  });

  test("is not changed if correcting its labels had no effect before", () => {
    expect(inWords("run", relabelled, true)).toBe("keep");
  });

  test("is never replaced, although it is a Job whose template was edited", () => {
    const job = (generation: number, image: string) =>
      aManifest({
        apiVersion: "batch/v1",
        kind: "Job",
        generation,
        digest: image,
        fields: { spec: { template: { image } } },
      });
    const made = decideObject(job(1, "a"), undefined, { ...as, isSettled: () => false });
    if (made.does !== "apply") throw new Error("the Job is not created");
    for (const lifetime of ["once", "run"] as const) {
      const options = { ...as, isSettled: () => false, lifetime };
      expect(decideObject(job(2, "b"), asLive(made.step.manifest), options).does).toBe("keep");
    }
  });
});
