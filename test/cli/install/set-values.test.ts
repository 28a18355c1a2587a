import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { gatherValues, setOne } from "../../../cli/install/set-values.ts";

describe("setOne()", () => {
  test.for([
    ["replicas=3", { replicas: 3 }],
    ["ha=false", { ha: false }],
    ["image=example.dev/fairlead:1", { image: "example.dev/fairlead:1" }],
    ["repository.url=https://git.test/r?a=b", { repository: { url: "https://git.test/r?a=b" } }],
    ["watchedNamespaces=[a, b]", { watchedNamespaces: ["a", "b"] }],
    ["labels.example\\.dev/team=x", { labels: { "example.dev/team": "x" } }],
    ["logLevel=", { logLevel: null }],
    ["a.b.c=1", { a: { b: { c: 1 } } }],
  ] as const)("reads %s", ([setting, values]) => {
    expect(setOne({}, setting)).toEqual(values);
  });

  test("keeps other values, and does not change its input", () => {
    const before = { repository: { url: "a", branch: "main" }, ha: true };
    expect(setOne(before, "repository.url=b")).toEqual({
      repository: { url: "b", branch: "main" },
      ha: true,
    });
    expect(before.repository.url).toBe("a");
    expect(setOne({ repository: "text" }, "repository.url=b")).toEqual({ repository: { url: "b" } });
  });

  test("changes only its own values", () => {
    setOne({}, "__proto__.polluted=yes");
    setOne({}, "constructor.prototype.polluted=yes");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test.for([["replicas"], ["=3"], ["a..b=1"], ["a=[1"]])("refuses %s", ([setting = ""]) => {
    expect(() => setOne({}, setting)).toThrow(`Cannot use --set "${setting}"`);
  });
});

describe("gatherValues()", () => {
  const aFile = async (text: string): Promise<string> => {
    const path = join(tmpdir(), `fairlead-values-${crypto.randomUUID()}.yaml`);
    onTestFinished(() => rm(path));
    await writeFile(path, text);
    return path;
  };

  test("single settings override the file", async () => {
    const values = await aFile("replicas: 3\nrepository: { url: /r }\n");
    expect(await gatherValues({})).toEqual({});
    expect(await gatherValues({ values, set: ["replicas=5", "replicas=4", "image=x:1"] })).toEqual({
      image: "x:1",
      replicas: 4,
      repository: { url: "/r" },
    });
    expect(await gatherValues({ values: await aFile("# nothing\n") })).toEqual({});
  });

  test.for([
    ["a: [\n", /^Cannot read ".*yaml": .* at line 2/],
    ["- a\n", /^Cannot read ".*yaml": expected a map of values/],
  ] as const)("reports the problem of a file of %j", async ([text, complaint]) => {
    const values = await aFile(text);
    await expect(gatherValues({ values })).rejects.toThrow(complaint);
  });
});
