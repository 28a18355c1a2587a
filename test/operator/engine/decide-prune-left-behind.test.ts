import { expect, test } from "vitest";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { findLeftBehind } from "../../../operator/engine/decide-prune.ts";
import { idOf } from "../../../synth/manifest.ts";
import { aManifest, anOwner, asLive, set } from "../../fakes/owned-objects.ts";

const manifest = aManifest();
const object = { id: idOf(manifest), kind: ConfigMap, live: asLive(manifest) };
const input = {
  resource: anOwner({ uid: "a later one" }),
  set,
  owned: [object],
  desired: { objects: [] },
  deployed: undefined,
  approved: undefined,
  approvals: [],
};

test("finds an object that an earlier resource of the name left behind", () => {
  expect(findLeftBehind(input)).toEqual([object]);
});

test("finds nothing if prune is off", () => {
  expect(findLeftBehind({ ...input, isOn: false })).toEqual([]);
});
