import { describe, expect, test } from "vitest";
import { RunMemory } from "../../../operator/engine/run-memory.ts";

describe("RunMemory", () => {
  test("returns the memory of a resource, and not that of an earlier one of the same name", () => {
    const memory = new RunMemory<{ readonly uid: string; readonly runs: number }>();
    memory.begin("shop/web", { uid: "a", runs: 0 });
    expect(memory.keep("shop/web", { uid: "a", runs: 1 })).toBe(true);
    expect(memory.of("shop/web", "a")).toEqual({ uid: "a", runs: 1 });
    expect(memory.of("shop/web", "b")).toBeUndefined();
    expect(memory.find("shop/web")).toEqual({ uid: "a", runs: 1 });
  });

  test("keeps nothing of a resource that was deleted or recreated during the run", () => {
    const memory = new RunMemory<{ readonly uid: string }>();
    memory.begin("shop/web", { uid: "a" });
    memory.forget("shop/web");
    expect(memory.keep("shop/web", { uid: "a" })).toBe(false);
    expect(memory.find("shop/web")).toBeUndefined();
    memory.begin("shop/web", { uid: "b" });
    expect(memory.keep("shop/web", { uid: "a" })).toBe(false);
    expect(memory.find("shop/web")).toEqual({ uid: "b" });
  });
});
