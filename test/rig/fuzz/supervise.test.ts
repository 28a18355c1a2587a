import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Finding } from "../../../rig/fuzz/search.ts";
import { supervise } from "../../../rig/fuzz/supervise.ts";

const search = { inputs: 1_003, seed: 1, limitMs: 60_000, names: ["URL of a source", "owner file"] };

describe("supervise()", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fairlead-supervise-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs a search whose process gives the input `\u0000é` to the reader `a`, which does this. */
  async function superviseReader(does: string, hangMs = 60_000): Promise<readonly Finding[]> {
    const path = join(folder, "program.ts");
    const recorder = new URL("../../../rig/fuzz/last-input.ts", import.meta.url);
    await writeFile(
      path,
      `import { InputRecorder } from ${JSON.stringify(recorder.href)};
      const recorder = new InputRecorder(JSON.parse(process.argv[2]).record);
      recorder.record("b", Buffer.alloc(10_000));
      recorder.record("a", Buffer.from("\\u0000é"));
      ${does}`,
    );
    const findings: Finding[] = [];
    const program = pathToFileURL(path);
    const searched = await supervise({
      program,
      search,
      hangMs,
      onFinding: (one) => findings.push(one),
    });
    expect(searched).toBeUndefined();
    return findings;
  }

  test("returns the result of a search", async () => {
    const findings: Finding[] = [];
    const searched = await supervise({ search, onFinding: (one) => findings.push(one) });
    expect(searched?.byReader).toEqual({ "URL of a source": 1_002, "owner file": 501 });
    expect(findings.filter(({ what }) => what === "crash" || what === "hang")).toEqual([]);
  });

  test("reports the reader that does not end, with its input, and kills the process", async () => {
    expect(await superviseReader("for (;;);", 500)).toEqual([
      { reader: "a", what: "hang", detail: String.raw`it does not end within 0.5 s: 3 bytes, "\u0000Ã©"` },
    ]);
  });

  test("reports the reader that crashes the process, with its input", async () => {
    expect(await superviseReader('process.kill(process.pid, "SIGSEGV");')).toEqual([
      { reader: "a", what: "end of the process", detail: String.raw`SIGSEGV: 3 bytes, "\u0000Ã©"` },
    ]);
  });

  test("reports a process that ends without a result", async () => {
    expect(await superviseReader("process.exit(3);")).toEqual([
      { reader: "a", what: "end of the process", detail: String.raw`exit code 3: 3 bytes, "\u0000Ã©"` },
    ]);
  });
});
