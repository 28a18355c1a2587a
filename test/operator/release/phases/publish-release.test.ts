import { expect, test } from "vitest";
import { placeIdOf } from "../../../../operator/core/place-id.ts";
import type { PublishOffer } from "../../../../operator/ports.ts";
import type { PublishTarget } from "../../../../operator/release/phases/publish-target.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const repository = { url: "https://git.example.dev/deploy.git", branch: "main", root: "clusters/one" };
const record = { digest: "d", tree: "t", commit: "c" };

test("a Release's status names the place that it is published to, and is not trusted at another one", async () => {
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

  // Then what was true of the first place is no answer there
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
