import { describe, expect, test } from "vitest";
import { ownsExactly } from "../../../operator/engine/owned-fields.ts";
import type { Addition } from "../../../synth/manifest.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";

const fieldManager = "fairlead/gadgets.example.dev/shop/web";

function owns(owned: unknown, content: object): boolean {
  const live = aLiveObject(owned === undefined ? {} : { fields: { addedFields: { [fieldManager]: owned } } });
  const { apiVersion, kind, metadata } = live;
  const manifest = { apiVersion, kind, metadata: { name: metadata.name }, ...content };
  const addition: Addition = { manifest, kind: widgets, selector: undefined, fields: [], fieldManager };
  return ownsExactly(live, addition);
}

describe("ownsExactly()", () => {
  test.for([
    { what: "no fields of an empty manifest", owned: undefined, set: {} },
    { what: "a field", owned: { "f:spec": { "f:a": {} } }, set: { spec: { a: 1 } } },
    {
      what: "two fields",
      owned: { "f:spec": { "f:a": {}, "f:b": {} } },
      set: { spec: { b: false, a: 0 } },
    },
    {
      what: "a struct, field by field",
      owned: { "f:spec": { "f:a": { ".": {}, "f:b": {}, "f:c": {} } } },
      set: { spec: { a: { b: 1, c: [] } } },
    },
    { what: "an atomic struct", owned: { "f:spec": { "f:a": {} } }, set: { spec: { a: { b: { c: 1 } } } } },
    { what: "an empty struct", owned: { "f:spec": { "f:a": {} } }, set: { spec: { a: {} } } },
    { what: "an atomic list", owned: { "f:spec": { "f:a": {} } }, set: { spec: { a: [1, 2] } } },
    {
      what: "items by their keys, of which the server fills in one",
      owned: {
        "f:spec": { "f:a": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:name": {} } } },
      },
      set: { spec: { a: [{ port: 80, name: "web" }] } },
    },
    {
      what: "members of a set",
      owned: { "f:spec": { "f:a": { 'v:"x"': {} } } },
      set: { spec: { a: ["x"] } },
    },
  ])("is true of $what", ({ owned, set }) => {
    expect(owns(owned, set)).toBe(true);
  });

  test.for([
    { what: "a field that is not owned", owned: undefined, set: { spec: { a: 1 } } },
    {
      what: "a second field that is not owned",
      owned: { "f:spec": { "f:a": {} } },
      set: { spec: { a: 1, b: 2 } },
    },
    {
      what: "a field that is no longer set",
      owned: { "f:spec": { "f:a": {}, "f:b": {} } },
      set: { spec: { a: 1 } },
    },
    { what: "the last field", owned: { "f:spec": { "f:a": {} } }, set: {} },
    {
      what: "a nested field that is no longer set",
      owned: { "f:spec": { "f:a": { "f:b": {}, "f:c": {} } } },
      set: { spec: { a: { b: 1 } } },
    },
    {
      what: "a nested field that is not owned",
      owned: { "f:spec": { "f:a": { "f:b": {} } } },
      set: { spec: { a: { b: 1, c: 1 } } },
    },
    {
      what: "a removed item",
      owned: { "f:spec": { "f:a": { 'k:{"port":80}': {}, 'k:{"port":81}': {} } } },
      set: { spec: { a: [{ port: 80 }] } },
    },
    {
      what: "a removed member",
      owned: { "f:spec": { "f:a": { 'v:"x"': {}, 'v:"y"': {} } } },
      set: { spec: { a: ["x"] } },
    },
    {
      what: "a value that is not a list",
      owned: { "f:spec": { "f:a": { 'v:"x"': {} } } },
      set: { spec: { a: 1 } },
    },
    {
      what: "an unreadable entry",
      owned: { "f:spec": { "f:a": { "k:{": {} } } },
      set: { spec: { a: [1] } },
    },
  ])("is false of $what", ({ owned, set }) => {
    expect(owns(owned, set)).toBe(false);
  });
});
