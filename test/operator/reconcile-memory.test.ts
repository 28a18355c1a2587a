import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../crds/object.ts";
import { RunMemory } from "../../operator/engine/run-memory.ts";
import { createReconcile, type Ended, type Judged, type ReconcileSteps } from "../../operator/reconcile.ts";
import { FakeClock } from "../fakes/fake-clock.ts";
import { aGadgetKind } from "../fakes/gadget.ts";
import { RecordingLogger } from "../fakes/recording-logger.ts";
import { aResource } from "../fakes/resources.ts";

interface Steps {
  readonly uid: string;
  readonly steps: readonly string[];
}

type Loaded = { readonly resource: LiveObject; readonly memory: Steps };
type TestedSteps = ReconcileSteps<Loaded, Ended<Steps>, Steps>;

const resource = aResource(aGadgetKind());
const { uid } = resource.metadata;
const having = (memory: Steps | undefined, step: string): Steps => ({
  uid,
  steps: [...(memory?.steps ?? []), step],
});

/** A loop whose steps record that they ran. */
function aLoop(overrides: Partial<TestedSteps> = {}) {
  const memory = new RunMemory<Steps>();
  const told: string[] = [];
  const steps: TestedSteps = {
    load: (_, remembered) => ({ resource, memory: having(remembered(uid), "load") }),
    isLeaving: () => false,
    finalize: async () => undefined,
    converge: async (loaded) => ({
      outcome: { state: "applied" },
      memory: having(loaded.memory, "converge"),
    }),
    judge: (loaded): Judged<Steps> => {
      const judged = having(loaded.memory, "judge");
      return {
        report: {} as Judged["report"],
        publish: undefined,
        memory: judged,
        memoryOnceWritten: having(judged, "written"),
      };
    },
    report: async (_, onWritten) => {
      onWritten();
      return {};
    },
    onRemembered: (_, before, now) => void told.push(`${before?.steps.at(-1)} → ${now.steps.at(-1)}`),
    announce: () => undefined,
    onNamespaceTerminating: () => undefined,
    ...overrides,
  };
  const reconcile = createReconcile(() => steps, { clock: new FakeClock(), memory });
  const run = (signal = new AbortController().signal) =>
    reconcile("shop/web", { signal, log: new RecordingLogger() });
  return { memory, told, run, kept: () => memory.find("shop/web")?.steps };
}

describe("the memory of a resource's runs", () => {
  test("is what its steps return, and is passed to the next step and to the next run", async () => {
    const { run, kept, told } = aLoop();
    await run();
    expect(kept()).toEqual(["load", "converge", "judge", "written"]);
    expect(told).toEqual(["load → converge", "converge → judge", "judge → written"]);
    await run();
    expect(kept()).toHaveLength(8);
  });

  test("is kept when the run is aborted, and when its status cannot be written", async () => {
    const ending = new AbortController();
    const aborted = aLoop({
      converge: async (loaded) => {
        ending.abort(new Error("ended"));
        return { outcome: { state: "applied" }, memory: having(loaded.memory, "converge") };
      },
    });
    await expect(aborted.run(ending.signal)).rejects.toThrow("ended");
    expect(aborted.kept()).toEqual(["load", "converge"]);
    const failing = aLoop({ report: async () => Promise.reject(new Error("no answer")) });
    await expect(failing.run()).rejects.toThrow("no answer");
    expect(failing.kept()).toEqual(["load", "converge", "judge"]);
  });

  test("is dropped with a resource that is deleted during its run", async () => {
    const loop = aLoop({
      converge: async (loaded) => {
        loop.memory.forget("shop/web");
        return { outcome: { state: "applied" }, memory: having(loaded.memory, "converge") };
      },
    });
    await loop.run();
    expect(loop.kept()).toBeUndefined();
    expect(loop.told).toEqual([]);
  });

  test("is unchanged if a step returns nothing", async () => {
    const { run, kept, told } = aLoop({
      converge: async () => ({ outcome: { state: "applied" } }),
      judge: () => ({ report: {} as Judged["report"], publish: undefined }),
    });
    await run();
    expect(kept()).toEqual(["load"]);
    expect(told).toEqual([]);
  });
});
