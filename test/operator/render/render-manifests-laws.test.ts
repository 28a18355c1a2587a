import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SourceError } from "../../../operator/errors.ts";
import { renderManifests } from "../../../operator/render/render-manifests.ts";
import { Turns } from "../../../operator/render/turns.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { MemoryFiles } from "../../fakes/memory-files.ts";
import { limitRuns } from "../../long.ts";

const seed = 20_261_121;
const render = (files: Readonly<Record<string, string | Buffer>>) =>
  renderManifests(new MemoryFiles(files), new Turns(new FakeClock()).begin());

/** The message of a failed render; empty if it succeeds. Any other error fails the test. */
async function messageOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  try {
    await render(files);
    return "";
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return error.message;
  }
}

const secret = `apiVersion: v1
kind: Secret
metadata:
  name: web
stringData:
  one: hunter2
  two: "hunter2"
  three: |
    hunter2
  four: ['hunter2', hunter2]
`;

describe("renderManifests()", () => {
  test("returns objects or a SourceError, for any content of the files", async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.json(),
      fc
        .array(
          fc.constantFrom(
            "---\n",
            "...\n",
            "apiVersion: v1\n",
            "kind: List\n",
            "items:\n",
            "- a\n",
            "{}",
            "%YAML 1.1\n",
            "&a ",
            "*a",
            "\t",
            "'",
          ),
          { maxLength: 8 },
        )
        .map((parts) => parts.join("")),
    );
    const name = fc.oneof(
      fc.constantFrom("a.yaml", "b.yml", "c.json", ".fairleadignore", "d/.fairleadignore", "d/e.yaml"),
      fc.string({ minLength: 1, maxLength: 10 }).map((text) => `${text.replaceAll(/[/\0]/g, "x")}.yaml`),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, content, { maxKeys: 3 }), async (files) => {
        const message = await messageOf(files);
        expect(message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(message.length).toBeLessThan(1_000);
      }),
      { numRuns: limitRuns(200), seed },
    );
  });

  test("never contains a Secret's values, for any invalid file", async () => {
    const edit = fc.record({
      at: fc.nat({ max: secret.indexOf("stringData") + 200 }),
      take: fc.nat({ max: 2 }),
      put: fc.constantFrom(
        "",
        " ",
        "\n",
        ":",
        ": ",
        "'",
        '"',
        "[",
        "}",
        "|",
        "\t",
        "&",
        "*",
        "!",
        "- ",
        "#",
        "%",
        "@",
        "\\",
        "\u0007",
      ),
    });
    let failed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const text = edits.reduce(
          (whole, { at, take, put }) => whole.slice(0, at) + put + whole.slice(at + take),
          secret,
        );
        const message = await messageOf({ "a.yaml": text });
        if (message !== "") failed++;
        expect(message).not.toContain("unter");
      }),
      { numRuns: limitRuns(500), seed },
    );
    expect(failed).toBeGreaterThan(limitRuns(150));
  });
});
