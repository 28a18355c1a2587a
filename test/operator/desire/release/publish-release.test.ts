import { describe, expect, test } from "vitest";
import type { Limits } from "../../../../operator/desire/release/limits.ts";
import type { PublishTarget } from "../../../../operator/desire/release/publish-target.ts";
import { placeIdOf } from "../../../../operator/engine/place-id.ts";
import type { PublishOffer } from "../../../../operator/ports.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const repository = { url: "https://git.example.dev/deploy.git", branch: "main", root: "clusters/one" };
const allowed: Limits = [{ from: "a policy", rule: { publish: [{ branch: "env" }] } }];
const record = { digest: "d", tree: "t", commit: "c" };

test("a Release's status names its published location, and is not used for another location", async () => {
  const offers: { readonly at: PublishTarget; readonly last: PublishOffer["last"] }[] = [];
  const bench = new ReleaseBench({
    publishers: {
      repository,
      at: (at) => ({
        publish: ({ last }) => {
          offers.push({ at, last });
          return { state: "published", record };
        },
        retire: () => undefined,
      }),
      retire: () => undefined,
    },
  });
  bench.limits = allowed;
  bench.commit("1", [aSourceManifest("v1", "ConfigMap", "a")]);

  // Given a Release that is published at the operator's own place
  bench.edit();
  await bench.reconcile();
  const own = { ...record, place: placeIdOf(repository) };
  expect(bench.release().status?.published).toEqual(own);
  bench.takeRequests();
  await bench.reconcile();
  expect(bench.takeRequests()).toEqual([]);

  // When it is to be published on another branch
  bench.edit(aRelease({ generation: 2, spec: { publish: { branch: "env" } } }));
  await bench.reconcile();

  // Then the record of the first place does not count there
  const { root } = repository;
  const there = { branch: "env", root };
  expect(offers).toEqual([
    { at: { branch: "main", root }, last: undefined },
    { at: { branch: "main", root }, last: own },
    { at: there, last: undefined },
  ]);
  expect(bench.release().status?.published).toEqual({
    ...record,
    place: placeIdOf({ ...repository, ...there }),
  });
});

test("the commit of a Release has its trailers, then those of the resources that set its fields", async () => {
  const offered: PublishOffer["trailers"][] = [];
  const bench = new ReleaseBench({
    publishers: {
      repository,
      at: () => ({
        publish: ({ trailers }) => {
          offered.push(trailers);
          return { state: "published", record };
        },
        retire: () => undefined,
      }),
      retire: () => undefined,
      trailersOf: ({ metadata }) => [`Set-Of: ${metadata.name}`],
    },
  });
  bench.commit("1", [aSourceManifest("v1", "ConfigMap", "a")]);
  bench.edit();
  await bench.reconcile();
  expect(offered).toEqual([[expect.stringMatching(/^Fairlead-Source: /), "Set-Of: web"]]);
});

describe("the location that a Release may publish to", () => {
  const aBench = ({ limits }: { readonly limits: Limits }) => {
    const did: string[] = [];
    const nameOf = ({ branch, root }: PublishTarget) => `${branch}:${root}`;
    const bench = new ReleaseBench({
      publishers: {
        repository,
        at: (target) => ({
          publish: () => {
            did.push(`publish ${nameOf(target)}`);
            return { state: "published", record };
          },
          retire: () => undefined,
        }),
        retire: (_, target, options) =>
          void did.push(`${options?.keepFiles === true ? "leave" : "remove"} ${nameOf(target)}`),
      },
    });
    bench.limits = limits;
    bench.commit("1", [aSourceManifest("v1", "ConfigMap", "a")]);
    return { bench, did };
  };

  test.for([
    { what: "another branch", publish: { branch: "env" } },
    { what: "another tenant's folder", publish: { path: "clusters/one/other" } },
    { what: "the folder of workflows", publish: { path: ".github/workflows" } },
  ])("is not $what by default", async ({ publish }) => {
    const { bench, did } = aBench({ limits: [] });
    bench.edit(aRelease({ spec: { publish } }));
    await bench.reconcile();
    expect(did).toEqual([]);
    expect(bench.condition("Published")).toBe("False PublishRefused");
    expect(bench.condition("Applied")).toBe("True Applied");
  });

  test("is not changed when it is no longer allowed, also when the Release is deleted then", async () => {
    const { bench, did } = aBench({ limits: allowed });
    bench.edit(aRelease({ spec: { publish: { branch: "env" } } }));
    await bench.reconcile();
    bench.limits = [];
    await bench.reconcile();
    expect(did).toEqual(["publish env:clusters/one", "leave env:clusters/one"]);
    expect(bench.condition("Published")).toBe("False PublishRefused");
    const leaving = aRelease({ generation: 2, spec: { publish: { branch: "env" } } });
    bench.edit({ ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await bench.reconcile();
    expect(did).not.toContain("remove env:clusters/one");
  });
});
