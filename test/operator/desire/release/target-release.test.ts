import { describe, expect, test } from "vitest";
import { releaseAnnotations } from "../../../../crds/release.ts";
import { SourceError } from "../../../../operator/errors.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCatalog, aRelease, aSourceManifest, asOwned } from "../../../fakes/releases.ts";

const map = aSourceManifest("v1", "ConfigMap", "a", { fields: { data: { x: "1" } } });
const elsewhere = { target: { namespace: "other", createNamespace: true } };

describe("a Release for another namespace", () => {
  test("creates it before the objects in it", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map]);
    bench.edit(aRelease({ spec: elsewhere }));
    bench.cluster.rewrite = (object) =>
      object.kind === "Namespace" ? { ...object, status: { phase: "Active" } } : object;
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "status Release/web",
      "metadata Release/web",
      "apply Namespace/other",
      "apply ConfigMap/a",
      "status Release/web",
    ]);
    expect(bench.live("ConfigMap", "a")?.metadata.namespace).toBe("other");
    expect(bench.release().metadata.annotations).toMatchObject({
      "applyset.kubernetes.io/additional-namespaces": "other",
    });
  });

  test("does not change an existing one, and reads it once", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map]);
    const kind = aCatalog().find("v1", "Namespace");
    const { live } = asOwned({ apiVersion: "v1", kind: kind?.kind ?? "", metadata: { name: "other" } });
    const theirs = bench.cluster.put({ ...live, ours: false, status: { phase: "Active" } });
    bench.edit(aRelease({ spec: elsewhere }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "status Release/web",
      "metadata Release/web",
      "apply Namespace/other",
      "read Namespace/other",
      "apply ConfigMap/a",
      "status Release/web",
    ]);
    expect(bench.live("Namespace", "other")).toBe(theirs);
    expect(await bench.reconcile()).toEqual({});
    expect(bench.takeRequests()).toEqual([]);
  });
});

/** A user requests a poll, as `fairlead reconcile` does. */
const asking = { [releaseAnnotations.requestedAt]: "now" };

test("a Release whose spec is refused acknowledges a reconcile request", async () => {
  const bench = new ReleaseBench();
  bench.commit("1", [map]);
  bench.edit(aRelease({ annotations: { ...asking, "applyset.kubernetes.io/tooling": "kubectl/v1" } }));
  await bench.reconcile();
  expect(bench.condition("Ready")).toBe("False SpecInvalid");
  expect(bench.release().status?.lastHandledRequest).toBe("now");
});

describe("a Release whose repository needs credentials", () => {
  const spec = {
    source: { url: "https://git.example/shop.git", secretRef: { name: "git" } },
    interval: "10s",
  };

  test("reports that its Secret is missing, and checks again", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map]);
    bench.secrets.read = () => {
      throw new SourceError("SourceInvalid", "Secret shop/git is not there");
    };
    bench.edit(aRelease({ spec, annotations: asking }));
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 10_000 });
    expect(bench.condition("Ready")).toBe("False SourceInvalid");
    // The user that requested a poll waits for an answer.
    expect(bench.release().status?.lastHandledRequest).toBe("now");
    bench.secrets.read = async () => new Map([["username", "ann"]]);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("reads its Secret again when the remote refuses the credentials", async () => {
    const bench = new ReleaseBench();
    bench.fail({ source: { reason: "SourceRefused", message: "not with these credentials" } });
    bench.edit(aRelease({ spec }));
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 10_000 });
    expect(bench.forgotten).toEqual(["shop/git"]);
    expect(bench.condition("Ready")).toBe("False SourceRefused");
  });

  test("reads its Secret again when the remote refuses the credentials of a deployed Release", async () => {
    // Given a Release that is deployed, and credentials that have expired since
    const bench = new ReleaseBench();
    bench.commit("1", [map]);
    bench.edit(aRelease({ spec }));
    await bench.reconcile();
    bench.lose({ reason: "SourceRefused", message: "not with these credentials" });

    // When it is reconciled, then there is another run without an event, which reads the Secret again
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 10_000 });
    expect(bench.forgotten).toEqual(["shop/git"]);
    expect(bench.condition("Sourced")).toBe("False SourceRefused");
  });
});

test("the ignored parts of a render are reported once", async () => {
  const bench = new ReleaseBench();
  bench.commit("1", [map], { warnings: ["web.yaml:3: status is left out"] });
  bench.edit();
  await bench.reconcile();
  await bench.reconcile();
  expect(bench.events).toMatchObject([
    { type: "Warning", reason: "SourceIgnored" },
    { type: "Normal", reason: "Deployed" },
  ]);
});
