import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { toTerminalText } from "../../cli/terminal-text.ts";

const root = resolve(import.meta.dirname, "../..");
/**
 * Texts that set the title, clear the screen, or hide text; each with the 7-bit and the 8-bit form of its control
 * character.
 */
const attack = "\u001b]0;title\u0007\u001b[2J\u009b8m\u0008\u007f\u202e";
/** All characters that change the order of text on a terminal. */
const bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";

describe("toTerminalText()", () => {
  test("escapes characters that a terminal interprets", () => {
    expect(toTerminalText(attack)).toBe("\\u001b]0;title\\u0007\\u001b[2J\\u009b8m\\u0008\\u007f\\u202e");
    expect(toTerminalText("a\rb\u2028c")).toBe("a\\u000db\\u2028c");
  });

  test("does not change other text", () => {
    const text = 'two\nlines\twith Ä, 👩‍👧, עברית and "quotes"';
    expect(toTerminalText(text)).toBe(text);
  });

  test("keeps the value of JSON", () => {
    const value = { [attack]: [attack, 1] };
    const json = toTerminalText(JSON.stringify(value, undefined, 2));
    expect(json).not.toMatch(/[\u007f-\u009f\u202e]/);
    expect(JSON.parse(json)).toEqual(value);
  });
});

test("fairlead render escapes untrusted control characters", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-render-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const object = {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: { name: "web" },
    spec: { source: { url: "https://h/x.git" }, render: { manifests: {} } },
  };
  const metadata = { name: "a", namespace: "default", annotations: { [`x${bidi}`]: "y" } };
  const data = { text: attack, line: `user${bidi}admin`, lines: `if (user) {${bidi} // end\n  return;\n}\n` };
  const kept = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  const unknown = { apiVersion: "v1", kind: attack, metadata: { name: "a" } };
  mkdirSync(join(folder, "source"));
  writeFileSync(join(folder, "source/all.json"), toTerminalText(JSON.stringify(kept)));
  writeFileSync(join(folder, "release.yml"), JSON.stringify(object));
  writeFileSync(join(folder, "unknown.yml"), toTerminalText(JSON.stringify(unknown)));
  const run = (...words: readonly string[]): Promise<readonly [stdout: string, stderr: string]> => {
    const { promise, resolve: done } = Promise.withResolvers<readonly [string, string]>();
    const all = [join(root, "cli/fairlead.js"), "render", ...words];
    execFile(
      process.execPath,
      all,
      { cwd: folder, env: { ...process.env, CI: "" }, timeout: 15_000 },
      (_, ...said) => done(said),
    );
    return promise;
  };
  const [stdout] = await run("release.yml", "--source", "source");
  const [, stderr] = await run("unknown.yml");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
  for (const said of [stdout, stderr]) expect(said).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  for (const said of [stdout, stderr]) expect(toTerminalText(said)).toBe(said);
  expect(parse(stdout)).toMatchObject(kept);
  expect(stdout).toContain("\\u001b[2J");
  expect(stderr).toContain("\\u001b[2J");
});

test("every command uses toTerminalText() for output to the terminal", () => {
  const direct = globSync("cli/**/*.ts", { cwd: root }).filter((path) =>
    /console\.|process\.std(?:out|err)\.write/.test(readFileSync(join(root, path), "utf8")),
  );
  expect(direct).toEqual(["cli/terminal-text.ts"]);
});
