import { describe, expect, test } from "vitest";
import { renderLimits } from "../../../operator/sandbox/render-limits.ts";
import { encodeDetails, RenderedSender } from "../../../operator/sandbox/rendered-sender.ts";
import type { Message } from "../../../operator/zones/messages.ts";

function aSender() {
  const sent: Message[] = [];
  const send = async (message: Message): Promise<void> => void sent.push(message);
  return { sent, sender: new RenderedSender({ send, signal: new AbortController().signal }) };
}

const anObject = (fields: object, origin = "a.yaml:1") => ({
  text: JSON.stringify({ apiVersion: "v1", kind: "A", metadata: { name: "a" }, ...fields }),
  origin,
});

describe("RenderedSender", () => {
  test.for([
    { what: "a kind that is too long", fields: { kind: "A".repeat(64) } },
    { what: "an invalid group", fields: { apiVersion: ".x/v1" } },
    { what: "a control character in a name", fields: { metadata: { name: "a\u0001" } } },
    { what: "a key __proto__", fields: { data: JSON.parse('{"__proto__": 1}') } },
  ])("refuses $what, as the operator does", async ({ fields }) => {
    const { sender, sent } = aSender();
    expect(() => sender.send(anObject(fields))).toThrow(
      expect.objectContaining({ reason: "RenderFailed", message: expect.stringMatching(/^a\.yaml:1: /) }),
    );
    expect(sent).toEqual([]);
  });

  test("counts bytes, not characters, as the operator does", async () => {
    const { sender, sent } = aSender();
    const text = "€".repeat(500_000);
    const sendAll = async (): Promise<void> => {
      for (let index = 0; index < 100; index++)
        await sender.send(anObject({ metadata: { name: `a${index}` }, text }));
    };
    await expect(sendAll()).rejects.toMatchObject({ reason: "RenderLimit" });
    expect(sent.length).toBe(Math.floor(renderLimits.bytes / Buffer.byteLength(anObject({ text }).text)));
  });

  test("refuses more objects than the operator accepts", async () => {
    const { sender } = aSender();
    for (let index = 0; index < renderLimits.objects; index++) await sender.send(anObject({}));
    expect(() => sender.send(anObject({}))).toThrow(expect.objectContaining({ reason: "RenderLimit" }));
  });
});

test("encodeDetails() refuses paths that the operator refuses", () => {
  const details = { warnings: [] };
  expect(() => encodeDetails({ ...details, readPaths: ["a\u0001.ts"] })).toThrow(
    expect.objectContaining({ reason: "RenderFailed" }),
  );
  expect(JSON.parse(encodeDetails({ ...details, warnings: ["w".repeat(3_000)] }).toString())).toMatchObject({
    warnings: ["w".repeat(2_000)],
  });
});
