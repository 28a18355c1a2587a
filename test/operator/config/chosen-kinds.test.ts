import { describe, expect, test } from "vitest";
import { kinds } from "../../../charts/bindings.ts";
import { chosenKinds } from "../../../operator/config/chosen-kinds.ts";
import { readOperatorConfig } from "../../../operator/config.ts";

const chosenBy = (text?: string): readonly string[] =>
  chosenKinds(kinds, readOperatorConfig(text === undefined ? {} : { kinds: text }, {})).map(
    ({ definition }) => definition.kind,
  );
const all = kinds.map(({ definition }) => definition.kind);

describe("chosenKinds()", () => {
  test.for([
    [undefined, all],
    ["all", all],
    ["none", []],
    ["Echo", ["Echo"]],
    ["memcacheds.cache.example.com,echo", ["Echo", "Memcached"]],
  ] as const)("--kinds=%s reconciles %j", ([text, wanted]) => {
    expect(chosenBy(text)).toEqual(wanted);
  });

  test("refuses unknown kinds, and a text that is not a list of names", () => {
    expect(() => chosenBy("Echo,Web,App")).toThrow(
      /^--kinds: expected Echo, .*, Podbuggertool, all or none, got "Web, App"$/,
    );
    expect(() => chosenBy("Echo,,")).toThrow(
      "--kinds: expected names of kinds, separated by commas, all or none",
    );
  });
});
