import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { applySetMetadata, foreignToolOf } from "../../../../operator/desire/release/apply-set.ts";
import { aRelease } from "../../../fakes/releases.ts";

const deployment = "apps/Deployment/shop/web";
const prod = "/ConfigMap/prod/web";

describe("applySetMetadata()", () => {
  test("describes a set in the form that kubectl reads", () => {
    const id = `applyset-${hash("sha256", "web.shop.Release.fairlead.dev", "base64url")}-v1`;
    const role = "rbac.authorization.k8s.io/ClusterRole//web";
    expect(applySetMetadata(aRelease(), [prod, deployment, role, prod])).toEqual({
      labels: { "applyset.kubernetes.io/id": id },
      annotations: {
        "applyset.kubernetes.io/tooling": "fairlead/v1",
        "applyset.kubernetes.io/contains-group-kinds":
          "ClusterRole.rbac.authorization.k8s.io,ConfigMap,Deployment.apps",
        "applyset.kubernetes.io/additional-namespaces": "prod",
      },
    });
  });

  test("returns nothing to write if the Release already has it, among other labels and annotations", () => {
    const { labels, annotations } = applySetMetadata(aRelease(), [prod, deployment]) ?? {};
    const release = aRelease({
      labels: { team: "a", ...labels },
      annotations: { note: "n", ...annotations },
    });
    expect(applySetMetadata(release, [deployment, prod])).toBeUndefined();
    expect(applySetMetadata(release, [prod])?.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap",
    });
  });
});

describe("foreignToolOf()", () => {
  test.for([
    { tooling: undefined, foreign: undefined },
    { tooling: "fairlead/v1", foreign: undefined },
    { tooling: "fairlead/v2", foreign: undefined },
    { tooling: "kubectl/v1.34", foreign: "kubectl/v1.34" },
    { tooling: "fairlead-other/v1", foreign: "fairlead-other/v1" },
  ])("$tooling: $foreign", ({ tooling, foreign }) => {
    const annotations = tooling === undefined ? {} : { "applyset.kubernetes.io/tooling": tooling };
    expect(foreignToolOf(aRelease({ annotations }))).toBe(foreign);
  });
});
