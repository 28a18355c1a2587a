import { describe, expect, test } from "vitest";
import { renderLimits } from "../../../operator/sandbox/render-limits.ts";
import { RenderedReader } from "../../../operator/sandbox/rendered-reader.ts";
import { RenderedSender } from "../../../operator/sandbox/rendered-sender.ts";
import type { Message } from "../../../operator/zones/messages.ts";
import { anObject, configMap, theEnd } from "../../fakes/sandbox-zone.ts";

/** A reader's result for objects and their dependencies. */
async function sendAndRead(count: number, edges: readonly (readonly [number, number])[]) {
  const reader = new RenderedReader({ onSlow: () => {}, memoryLimit: 2 ** 26 });
  const names = Array.from({ length: count }, (_, index) => `o${index}`);
  for (const name of names) reader.take(anObject(configMap(name), name));
  const bytes: number[] = [];
  const send = async ({ body, parts = [] }: Message): Promise<void> => {
    bytes.push(...parts.map((part) => part.length));
    reader.take({ body, parts: parts.map((part) => Buffer.from(part)) });
  };
  await new RenderedSender({ send, signal: new AbortController().signal }).sendEdges(edges);
  return { bytes, read: () => reader.end(theEnd()) };
}

describe("dependencies between the objects of a render", () => {
  test("arrive as they were sent, in items of a bounded size", async () => {
    const edges = Array.from({ length: renderLimits.edges }, (_, index) => [1 + (index % 999), 0] as const);
    const { bytes, read } = await sendAndRead(1_000, edges);
    expect(Math.max(...bytes)).toBe(renderLimits.edgeBytes);
    const { rendered } = read();
    if (!("dependencies" in rendered)) throw rendered;
    expect(rendered.dependencies.size).toBe(999);
    expect([...rendered.dependencies.values()].flat()).toHaveLength(renderLimits.edges);
    expect(rendered.dependencies.get(7)?.[0]).toBe(0);
  });

  test("are refused if they form a cycle", async () => {
    const { read } = await sendAndRead(2, [
      [0, 1],
      [1, 0],
    ]);
    expect(read).toThrow("in a cycle: o0 → o1 → o0");
  });

  test("are refused by the zone if the operator would refuse them", async () => {
    const edges = Array.from({ length: renderLimits.edges + 1 }, () => [1, 0] as const);
    await expect(sendAndRead(2, edges)).rejects.toMatchObject({ reason: "RenderLimit" });
  });
});
