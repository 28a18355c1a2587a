import { describe, expect, test } from "vitest";
import { DefinitionChanges } from "../../../../operator/cluster/found-kinds/definition-changes.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { aDefinition } from "../../../fakes/kind-catalog.ts";

const kind = "example.dev/Widget";
const definition = (generation: number) => {
  const crd = aDefinition();
  return { ...crd, metadata: { ...crd.metadata, generation } };
};

describe("DefinitionChanges", () => {
  test("a changed definition counts as new for ten seconds", async () => {
    const clock = new FakeClock();
    const changes = new DefinitionChanges(clock);
    expect(changes.note(definition(1), { initial: false })).toBe(kind);
    expect(changes.areRecent(kind)).toBe(true);
    expect(changes.areRecent("example.dev/Gadget")).toBe(false);
    await clock.advance(10_001);
    expect(changes.areRecent(kind)).toBe(false);
    // Only its status was written.
    expect(changes.note(definition(1), { initial: false })).toBeUndefined();
    expect(changes.areRecent(kind)).toBe(false);
    expect(changes.note(definition(2), { initial: false })).toBe(kind);
    expect(changes.areRecent(kind)).toBe(true);
    changes.forget(definition(2));
    expect(changes.areRecent(kind)).toBe(false);
  });

  test("a definition that existed before does not count as new", () => {
    const changes = new DefinitionChanges(new FakeClock());
    expect(changes.note(definition(1), { initial: true })).toBeUndefined();
    expect(changes.areRecent(kind)).toBe(false);
  });
});
