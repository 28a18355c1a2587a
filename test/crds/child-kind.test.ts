import { describe, expect, test } from "vitest";
import type { ChildKind } from "../../crds/child-kind.ts";
import { ConfigMap, Job, Pod } from "../../crds/core-kinds.ts";
import type { ObjectKind } from "../../crds/object.ts";
import { aGadgetKind } from "../fakes/gadget.ts";
import { aLiveObject } from "../fakes/objects.ts";

const bind = (...children: readonly (ObjectKind | ChildKind)[]) => aGadgetKind({ children });

describe("the child kinds of a binding", () => {
  test("have no rules if they are plain, and watches and permissions are created from them", () => {
    expect(bind(ConfigMap, Pod)).toMatchObject({ children: [ConfigMap, Pod], childRules: [] });
  });

  test("have no rules if a declaration only contains the defaults", () => {
    const { children, childRules } = bind({ kind: ConfigMap, lifetime: "kept", publish: true }, Pod);
    expect(children).toEqual([ConfigMap, Pod]);
    expect(childRules).toEqual([]);
  });

  test.for([
    {
      declared: { kind: Pod, lifetime: "run" },
      rule: { kind: Pod, lifetime: "run", publish: true, keep: undefined },
    },
    {
      declared: { kind: Pod, publish: false },
      rule: { kind: Pod, lifetime: "kept", publish: false, keep: undefined },
    },
    {
      declared: { kind: Job, lifetime: "once", publish: false },
      rule: { kind: Job, lifetime: "once", publish: false, keep: undefined },
    },
  ] as const)("have a rule with its defaults: $declared.lifetime $declared.publish", ({ declared, rule }) => {
    const { children, childRules } = bind(ConfigMap, declared);
    expect(children).toEqual([ConfigMap, declared.kind]);
    expect(childRules).toEqual([rule]);
  });

  test.for([
    { keep: 0, kept: [] },
    { keep: 1, kept: ["c"] },
    { keep: 2, kept: ["b", "c"] },
    { keep: 3, kept: ["a", "b", "c"] },
    { keep: 9, kept: ["a", "b", "c"] },
  ])("keep the newest $keep of three", ({ keep, kept }) => {
    const left = ["a", "b", "c"].map((name) => aLiveObject({ kind: Pod, name }));
    const [rule] = bind({ kind: Pod, lifetime: "once", keep }).childRules;
    expect(rule?.keep?.(undefined as never, left).map(({ metadata }) => metadata.name)).toEqual(kept);
  });

  test.for([
    {
      what: "a limit for objects that are deleted when the chart drops them",
      children: [{ kind: Pod, keep: 3 }],
      why: 'Cannot bind "Gadget": "keep" of Pod needs the lifetime "once" or "run"',
    },
    {
      what: "a limit below zero",
      children: [{ kind: Pod, lifetime: "run", keep: -1 }],
      why: 'Cannot bind "Gadget": "keep" of Pod is -1, which is not a number of objects',
    },
    {
      what: "a limit that is not an integer",
      children: [{ kind: Pod, lifetime: "run", keep: 0.5 }],
      why: 'Cannot bind "Gadget": "keep" of Pod is 0.5, which is not a number of objects',
    },
    {
      what: "two declarations of one kind",
      children: [{ kind: Pod, lifetime: "run" }, Pod],
      why: 'Cannot bind "Gadget": Pod is a child kind twice',
    },
    {
      what: "two declarations of one kind, the plain one first",
      children: [Pod, { kind: Pod, publish: false }],
      why: 'Cannot bind "Gadget": Pod is a child kind twice',
    },
  ] as const)("are refused with $what", ({ children, why }) => {
    expect(() => bind(...children)).toThrow(new RangeError(why));
  });
});
