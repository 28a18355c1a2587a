import { ApiObject, App, Chart } from "cdk8s";
import { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import { needsOf, renameNeeds } from "../../synth/needs.ts";

function aChart(build: (chart: Chart, make: (name: string, scope?: Construct) => ApiObject) => void): Chart {
  const chart = new Chart(new App(), "chart");
  const make = (name: string, scope: Construct = chart): ApiObject =>
    new ApiObject(scope, name, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  build(chart, make);
  return chart;
}

const id = (name: string): string => `/ConfigMap//${name}`;

describe("needsOf()", () => {
  test("is empty for a chart that declares no dependency", () => {
    expect(needsOf(aChart((_, make) => void [make("a"), make("b")])).size).toBe(0);
  });

  test("has one edge for a dependency between two objects", () => {
    const chart = aChart((_, make) => make("b").addDependency(make("a")));
    expect([...needsOf(chart)]).toEqual([[id("b"), [id("a")]]]);
  });

  test("has an edge between all objects below two constructs", () => {
    const chart = aChart((scope, make) => {
      const [first, second] = [new Construct(scope, "first"), new Construct(scope, "second")];
      for (const name of ["a", "b"]) make(name, first);
      for (const name of ["c", "d"]) make(name, second);
      second.node.addDependency(first);
    });
    expect([...needsOf(chart)]).toEqual([
      [id("c"), [id("a"), id("b")]],
      [id("d"), [id("a"), id("b")]],
    ]);
  });

  test("has no edge from an object to itself, and each edge once", () => {
    const chart = aChart((scope, make) => {
      const part = new Construct(scope, "part");
      const [a, b] = [make("a", part), make("b", part)];
      b.addDependency(part);
      b.addDependency(a);
    });
    expect([...needsOf(chart)]).toEqual([[id("b"), [id("a")]]]);
  });
});

describe("renameNeeds()", () => {
  test("omits objects without another name", () => {
    const needs = new Map([
      ["a", ["b", "c"]],
      ["b", ["c"]],
    ]);
    const names: Record<string, string> = { a: "A", c: "C" };
    expect([...renameNeeds(needs, (one) => names[one])]).toEqual([["A", ["C"]]]);
  });
});
