import { describe, expect, test } from "vitest";
import { Dependents } from "../../../../operator/desire/release/dependents.ts";
import { aRelease } from "../../../fakes/releases.ts";

const learn = (dependents: Dependents, name: string, ...on: readonly string[]): boolean =>
  dependents.learn(aRelease({ name, spec: { dependsOn: on.map((other) => ({ name: other })) } }));

describe("Dependents", () => {
  test("finds the direct and indirect dependents of a Release, also in a cycle", () => {
    const dependents = new Dependents();
    learn(dependents, "app", "base");
    learn(dependents, "web", "app");
    learn(dependents, "base", "web");
    expect([...dependents.of("shop/base")]).toEqual(["shop/app"]);
    expect(dependents.behind("shop/base")).toEqual(new Set(["shop/app", "shop/web", "shop/base"]));
  });

  test("reports whether the dependencies of a Release have changed", () => {
    const dependents = new Dependents();
    expect(learn(dependents, "app", "base")).toBe(true);
    expect(learn(dependents, "app", "base")).toBe(false);
    expect(learn(dependents, "app", "other")).toBe(true);
    expect([...dependents.of("shop/base")]).toEqual([]);
    expect([...dependents.of("shop/other")]).toEqual(["shop/app"]);
  });

  test("drops a deleted Release, but not its dependents", () => {
    const dependents = new Dependents();
    learn(dependents, "app", "base");
    dependents.forget("shop/base");
    expect([...dependents.of("shop/base")]).toEqual(["shop/app"]);
    dependents.forget("shop/app");
    expect([...dependents.of("shop/base")]).toEqual([]);
  });
});
