import { describe, expect, test } from "vitest";
import { ConfigMap, Job } from "../../../crds/core-kinds.ts";
import { propagationOfReplaced } from "../../../operator/engine/propagation.ts";
import { aLiveObject } from "../../fakes/objects.ts";

const aJob = (conditions?: readonly object[]) =>
  aLiveObject({ kind: Job, name: "once", fields: { status: { conditions } } });

describe("propagationOfReplaced()", () => {
  test.each([
    { what: "a Job that is unobserved", live: aJob(), is: "Foreground" },
    {
      what: "a Job whose pods fail",
      live: aJob([{ type: "FailureTarget", status: "True" }]),
      is: "Foreground",
    },
    { what: "a suspended Job", live: aJob([{ type: "Suspended", status: "True" }]), is: "Foreground" },
    { what: "a Job that is resumed", live: aJob([{ type: "Complete", status: "False" }]), is: "Foreground" },
    { what: "a completed Job", live: aJob([{ type: "Complete", status: "True" }]), is: "Background" },
    { what: "a failed Job", live: aJob([{ type: "Failed", status: "True" }]), is: "Background" },
    { what: "a ConfigMap", live: aLiveObject({ kind: ConfigMap, name: "a" }), is: "Background" },
  ])("$what is deleted in the $is", ({ live, is }) => {
    expect(propagationOfReplaced(live)).toBe(is);
  });
});
