import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checksOfOperation } from "./checks-of-operation.ts";
import { checksOfOrder } from "./checks-of-order.ts";
import { checksOfRights } from "./checks-of-rights.ts";

const root = new URL("../../../", import.meta.url);
const checks = [...checksOfOrder, ...checksOfRights, ...checksOfOperation];
const textOf = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** The names of tests in the text of a file. */
function namesIn(file: string): readonly string[] {
  const calls = /\btest(?:\.concurrent)?(?:\.for(?:<[^(]*>)?\([\s\S]*?\)\(|\()\s*(["'`])((?:(?!\1).)+)\1/g;
  return [...textOf(file).matchAll(calls)].map(([, , name = ""]) => name);
}

describe("the checks of Pipelines", () => {
  test("each have a test", () => {
    expect(checks.map(({ number }) => number)).toEqual(Array.from({ length: 49 }, (_, index) => index + 1));
    for (const { number, provenBy } of checks)
      expect(Object.values(provenBy).flat(), `check ${number}`).not.toEqual([]);
  });

  test.for(checks)("name tests that exist: check $number", ({ provenBy }) => {
    for (const [file, names] of Object.entries(provenBy))
      expect(namesIn(file), file).toEqual(expect.arrayContaining([...names]));
  });

  test("list every test that names a check", () => {
    const listed = new Set(
      checks.flatMap(({ number, provenBy }) =>
        Object.entries(provenBy).flatMap(([file, names]) => names.map((name) => `${number} ${file} ${name}`)),
      ),
    );
    const files = globSync("test/**/*.test.ts", { cwd: root });
    const named = files.flatMap((file) =>
      namesIn(file).flatMap((name) => {
        const [, number] = /^check (\d+): /.exec(name) ?? [];
        return number === undefined ? [] : [`${number} ${file} ${name}`];
      }),
    );
    expect(named.length).toBeGreaterThan(49);
    expect(named.filter((one) => !listed.has(one))).toEqual([]);
  });
});
