import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import type { ChartProps } from "../../crds/binding.ts";
import { ConfigMap, Pod } from "../../crds/core-kinds.ts";
import { createSynthesizer } from "../../synth/synthesizer.ts";
import { anAddingKind } from "../fakes/adding-kind.ts";
import { aConfigMap, aGadgetKind } from "../fakes/gadget.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { observe } from "../fakes/observed.ts";
import { aResource } from "../fakes/resources.ts";

/** A chart that reads one ConfigMap and all pods, and counts its runs. */
function aReadingKind() {
  const runs = { count: 0 };
  class Reading extends Chart {
    constructor(scope: Construct, id: string, { observed }: ChartProps<unknown>) {
      super(scope, id);
      runs.count++;
      const found = observed.find(ConfigMap, "source");
      const pods = observed.list(Pod).map(({ metadata }) => metadata.name);
      new ApiObject(
        this,
        "a",
        aConfigMap("a", { data: { found: String(found?.["data"]), pods: pods.join() } }),
      );
    }
  }
  return { runs, kind: aGadgetKind({ chart: Reading }) };
}

const source = (resourceVersion: string, data = "x") =>
  aLiveObject({ kind: ConfigMap, name: "source", resourceVersion, fields: { data } });
const aPod = (name: string) => aLiveObject({ kind: Pod, name });

describe("createSynthesizer()", () => {
  const plain = aGadgetKind();

  test("returns the identical result while its input does not change", () => {
    const synthesizer = createSynthesizer();
    const first = synthesizer(plain, aResource(plain), observe());
    const later = { ...aResource(plain), status: { size: 1 } };
    // This chart reads none of the observed objects.
    expect(synthesizer(plain, later, observe(aPod("a")))).toBe(first);
  });

  test("synthesizes a dropped resource again", () => {
    const synthesizer = createSynthesizer();
    const first = synthesizer(plain, aResource(plain), observe());
    synthesizer.forget(aResource(plain).metadata.uid);
    const again = synthesizer(plain, aResource(plain), observe());
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });

  test("returns additions to new objects, although no own object differs", () => {
    const synthesizer = createSynthesizer();
    const kind = anAddingKind();
    const [none, one] = [observe(), observe(aPod("a"))].map((seen) =>
      synthesizer(kind, aResource(kind), seen),
    );
    expect([none, one].map((set) => set?.additions.length)).toEqual([0, 1]);
    expect(one?.digest).toBe(none?.digest);
    expect(synthesizer(kind, aResource(kind), observe()).additions).toEqual([]);
  });

  test.for([
    { what: "generation", change: { generation: 2, spec: { objects: [aConfigMap("a")] } } },
    {
      what: "only the spec, as after a change of its definition",
      change: { spec: { objects: [aConfigMap("a")] } },
    },
    { what: "labels", change: { labels: { team: "a" } } },
    { what: "annotations", change: { annotations: { note: "a" } } },
  ])("runs the chart again after a change of $what", ({ change }) => {
    const { kind, runs } = aReadingKind();
    const synthesizer = createSynthesizer();
    synthesizer(kind, aResource(kind), observe());
    synthesizer(kind, aResource(kind, change), observe());
    synthesizer(kind, aResource(kind, change), observe());
    expect(runs.count).toBe(2);
  });

  test.for([
    { what: "an object it read changes", now: [source("2", "y"), aPod("a")] },
    { what: "an object it read is deleted", now: [aPod("a")] },
    {
      what: "another object has the name",
      now: [{ ...source("1"), metadata: { ...source("1").metadata, uid: "other" } }, aPod("a")],
    },
    { what: "a list it read grows", now: [source("1"), aPod("a"), aPod("b")] },
  ])("runs the chart again when $what", ({ now }) => {
    const { kind, runs } = aReadingKind();
    const synthesizer = createSynthesizer();
    synthesizer(kind, aResource(kind), observe(source("1"), aPod("a")));
    synthesizer(kind, aResource(kind), observe(source("1"), aPod("a")));
    expect(runs.count).toBe(1);
    synthesizer(kind, aResource(kind), observe(...now));
    expect(runs.count).toBe(2);
  });

  test("returns the identical result when the chart ran again with an equal one", () => {
    const { kind, runs } = aReadingKind();
    const synthesizer = createSynthesizer();
    const first = synthesizer(kind, aResource(kind), observe(source("1")));
    expect(synthesizer(kind, aResource(kind), observe(source("2")))).toBe(first);
    expect(runs.count).toBe(2);
  });

  test("never confuses two resources, nor a resource and its successor with the same name", () => {
    const synthesizer = createSynthesizer();
    const successor = aResource(plain, { spec: { objects: [aConfigMap("a")] } });
    const made = synthesizer(plain, aResource(plain), observe());
    const after = synthesizer(
      plain,
      { ...successor, metadata: { ...successor.metadata, uid: "next" } },
      observe(),
    );
    expect([made.manifests.length, after.manifests.length]).toEqual([0, 1]);
  });

  test("removes the least recently used resource", () => {
    const { kind, runs } = aReadingKind();
    const synthesizer = createSynthesizer({ capacity: 2 });
    for (const name of ["a", "b", "a", "c", "a"]) synthesizer(kind, aResource(kind, { name }), observe());
    expect(runs.count).toBe(3);
    synthesizer(kind, aResource(kind, { name: "b" }), observe());
    expect(runs.count).toBe(4);
  });

  test("reports a failed spec again, every time", () => {
    const synthesizer = createSynthesizer();
    const broken = aResource(plain, { spec: { size: -1 } });
    for (let time = 0; time < 2; time++)
      expect(() => synthesizer(plain, broken, observe())).toThrow("spec.size");
  });
});
