import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { type ApplyResult, resultOfFailure, resultOfStep } from "../../../operator/engine/apply-result.ts";
import type { ApplyStep } from "../../../operator/engine/decide-object.ts";
import {
  AlreadyThereError,
  ApiUnavailableError,
  NotLeadingError,
  NotOwnedError,
  ObjectRejectedError,
  ReplacedError,
} from "../../../operator/errors.ts";
import { aLiveObject } from "../../fakes/objects.ts";

const live = aLiveObject();
const create = { mode: "create" } as const;
const update = { mode: "update", uid: live.metadata.uid } as const;
const step = (rest: Pick<ApplyStep, "live" | "guard" | "because">): ApplyStep => ({
  kind: ConfigMap,
  manifest: live,
  ...rest,
});

describe("resultOfStep()", () => {
  test.for([
    { is: "created", from: { live: undefined, guard: create, because: "absent" }, wasLost: false },
    { is: "restored", from: { live: undefined, guard: create, because: "absent" }, wasLost: true },
    { is: "created", from: { live, guard: create, because: "foreign" }, wasLost: false },
    { is: "updated", from: { live, guard: update, because: "digest" }, wasLost: false },
    { is: "restored", from: { live, guard: update, because: "spec.replicas" }, wasLost: false },
    { is: "adopted", from: { live, guard: update, because: "adopt" }, wasLost: false },
  ] as const)("is $is for $from.because, lost: $wasLost", ({ is, from, wasLost }) => {
    const answer = { ...live, metadata: { ...live.metadata, resourceVersion: "2" } };
    expect(resultOfStep(step(from), { answer, wasLost })).toBe(is);
  });

  test.for([
    { does: "the version is the same", because: "data.x", versions: ["1", "1"], generations: [1, 1] },
    { does: "only its status was written", because: "spec.x", versions: ["1", "2"], generations: [1, 1] },
    { does: "the same, beside its spec", because: "config.x", versions: ["1", "2"], generations: [1, 1] },
  ])("is not a repair if the server changed nothing: $does", ({ because, versions, generations }) => {
    const [before, answer] = [0, 1].map((at) => ({
      ...live,
      metadata: { ...live.metadata, resourceVersion: versions[at] ?? "", generation: generations[at] ?? 0 },
    }));
    const result = resultOfStep(step({ live: before, guard: update, because }), {
      answer: answer ?? live,
      wasLost: false,
    });
    expect(result).toBe("updated");
  });
});

describe("resultOfFailure()", () => {
  const id = "/ConfigMap/shop/web";
  const failures: readonly { readonly error: unknown; readonly is: ApplyResult | undefined }[] = [
    { error: new ObjectRejectedError(id, "no"), is: "rejected" },
    { error: new NotOwnedError(id, { name: "a team" }), is: "not_owned" },
    { error: new AlreadyThereError(id), is: "conflict" },
    { error: new ReplacedError(id), is: "conflict" },
    { error: new ApiUnavailableError("no answer", { status: 0 }), is: "error" },
    { error: new NotLeadingError(), is: undefined },
  ];
  test.for(failures)("is $is for $error.name", ({ error, is }) => {
    expect(resultOfFailure(error)).toBe(is);
  });
});
