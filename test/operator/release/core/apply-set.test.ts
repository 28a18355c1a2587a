import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  applySetMetadata,
  applySetOf,
  foreignToolOf,
  readApplySet,
} from "../../../../operator/release/core/apply-set.ts";
import { aRelease, aSourceManifest, asOwned, asPrepared } from "../../../fakes/releases.ts";

const deployment = aSourceManifest("apps/v1", "Deployment", "web");
const prod = aSourceManifest("v1", "ConfigMap", "web", { namespace: "prod" });

describe("applySetMetadata()", () => {
  test("records a set as kubectl reads it", () => {
    const id = `applyset-${hash("sha256", "web.shop.Release.fairlead.dev", "base64url")}-v1`;
    expect(applySetMetadata(aRelease(), applySetOf(asPrepared([prod, deployment]), []))).toEqual({
      labels: { "applyset.kubernetes.io/id": id },
      annotations: {
        "applyset.kubernetes.io/tooling": "fairlead/v1",
        "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Deployment.apps",
        "applyset.kubernetes.io/additional-namespaces": "prod",
      },
    });
  });

  test("gives nothing to write when the Release has it, among other labels and annotations", () => {
    const record = applySetOf(asPrepared([prod, deployment]), []);
    const { labels, annotations } = applySetMetadata(aRelease(), record) ?? {};
    const release = aRelease({
      labels: { team: "a", ...labels },
      annotations: { note: "n", ...annotations },
    });
    expect(applySetMetadata(release, record)).toBeUndefined();
    expect(applySetMetadata(release, applySetOf(asPrepared([prod]), []))?.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap",
    });
  });

  test("reads back what it wrote", () => {
    const { annotations } =
      applySetMetadata(aRelease(), applySetOf(asPrepared([prod, deployment]), [])) ?? {};
    expect(readApplySet(aRelease({ annotations: { ...annotations } }))).toEqual({
      groupKinds: [
        { group: "", kind: "ConfigMap" },
        { group: "apps", kind: "Deployment" },
      ],
      namespaces: ["prod"],
    });
    expect(readApplySet(aRelease())).toEqual({ groupKinds: [], namespaces: [] });
  });
});

describe("applySetOf()", () => {
  test("holds on to what was recorded and to what is there, until both are gone", () => {
    const before = applySetOf(asPrepared([deployment]), []);
    const there = asPrepared([prod]).objects.map(({ manifest }) => asOwned(manifest));
    const textOf = (record: ReturnType<typeof applySetOf>) =>
      applySetMetadata(aRelease(), record)?.annotations["applyset.kubernetes.io/contains-group-kinds"];
    const secret = asPrepared([aSourceManifest("v1", "Secret", "web")]);
    expect(textOf(applySetOf(secret, there, before))).toBe("ConfigMap,Deployment.apps,Secret");
    expect(textOf(applySetOf(secret, []))).toBe("Secret");
    // Also of places that nobody has looked at yet.
    const recorded = { groupKinds: [], namespaces: ["prod"] };
    expect(applySetOf(secret, [], recorded).namespaces).toContain("prod");
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
