import { describe, expect, test } from "vitest";
import { type ApplyResult, resultOfFailure, resultOfStep } from "../../../operator/core/apply-result.ts";
import type { ApplyStep } from "../../../operator/core/plan.ts";
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
    expect(resultOfStep(step(from), { wasLost })).toBe(is);
  });
});

describe("resultOfFailure()", () => {
  const id = "/ConfigMap/shop/web";
  const failures: readonly { readonly error: unknown; readonly is: ApplyResult | undefined }[] = [
    { error: new ObjectRejectedError(id, "no"), is: "rejected" },
    { error: new NotOwnedError(id, "a team"), is: "not_owned" },
    { error: new AlreadyThereError(id), is: "conflict" },
    { error: new ReplacedError(id), is: "conflict" },
    { error: new ApiUnavailableError("no answer", { status: 0 }), is: "error" },
    { error: new NotLeadingError(), is: undefined },
  ];
  test.for(failures)("is $is for $error.name", ({ error, is }) => {
    expect(resultOfFailure(error)).toBe(is);
  });
});
