import { afterAll, describe, expect, test } from "vitest";
import { realPrograms } from "../../../fakes/programs.ts";

const programs = realPrograms();
afterAll(() => programs.close());

/** A short program. `body` can use app and inputs. */
const program = (body: string): string =>
  `import { ApiObject, App, Chart } from "cdk8s";\nexport default (app: App, inputs: any) => {\n${body}\n};\n`;

/** A program that creates a ConfigMap of a value. */
const showing = (value: string): string =>
  program(
    `new ApiObject(new Chart(app, "c"), "m", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shown" }, data: { json: JSON.stringify(${value}) ?? "undefined" } });`,
  );

describe("an error of a program", () => {
  const failing: readonly {
    what: string;
    main: string;
    says: string | RegExp;
    files?: Record<string, string>;
    inputs?: unknown;
  }[] = [
    {
      what: "wrong syntax",
      main: "export default (app) => {\n  let = ;\n};",
      says: "main.ts:2:9: Unexpected",
    },
    {
      what: "an import that does not exist",
      main: 'import "./none.ts";',
      says: 'main.ts:1:8: Cannot import "./none.ts": there is no none.ts',
    },
    {
      what: "an exception",
      main: program("const nothing: any = undefined;\n  nothing.spec;"),
      says: /main\.ts:4:11: TypeError: Cannot read properties of undefined/,
    },
    {
      what: "an exception in another file",
      main: 'import { fail } from "./lib/fail.ts";\nexport default () => fail();',
      files: {
        "lib/fail.ts": "interface X {}\nexport function fail(): X {\n  throw new RangeError('no');\n}",
      },
      says: "lib/fail.ts:3:9: RangeError: no (called from main.ts:2:22)",
    },
    {
      what: "an error of the libraries",
      main: program('new Chart(app, "a");\n  new Chart(app, "a");'),
      says: /main\.ts:4:3: Error: There is already a Construct with name 'a'/,
    },
    {
      what: "a construct that is not valid",
      main: program('new Chart(app, "a").node.addValidation({ validate: () => ["too small"] });'),
      says: "Error: a: too small",
    },
    { what: "no default export", main: "export const a = 1;", says: "main.ts has no default export" },
    {
      what: "a default export that is not a function",
      main: "export default 7;",
      says: "its default export is not a function but a number",
    },
    {
      what: "inputs that the program does not accept",
      main: 'import { App } from "cdk8s"; new App().synth();',
      inputs: {},
      says: "no default export that could take them",
    },
    {
      what: "process.env",
      main: program("process.env.HOME;"),
      says: "main.ts:3:1: ReferenceError: process is not defined: a program has no environment: pass values as inputs",
    },
    {
      what: "an unhandled rejection",
      main: program("Promise.reject(new Error('lost'));"),
      says: "main.ts:3:16: Error: lost",
    },
    {
      what: "an exception that is not an Error",
      main: program('throw { a: "b" };'),
      says: 'Error: {"a":"b"}',
    },
    {
      what: "broken YAML",
      main: 'import x from "./x.yaml";\nexport default () => x;',
      files: { "x.yaml": "a: [" },
      says: "x.yaml: ",
    },
    {
      what: "a Helm chart",
      main: program('new Helm(new Chart(app, "c"), "h", { chart: "x" });').replace(
        "ApiObject,",
        "ApiObject, Helm,",
      ),
      says: /import the YAML file instead/,
    },
  ];
  test.for(failing)("names file and line: $what", async ({ main, says, files = {}, inputs }) => {
    const run = programs.render({ files: { "main.ts": main, ...files }, inputs });
    await expect(run).rejects.toMatchObject({
      reason: "RenderFailed",
      message: typeof says === "string" ? expect.stringContaining(says) : expect.stringMatching(says),
    });
  });

  test("rejects a missing entry, and one behind a symlink", async () => {
    const files = { "main.ts": showing("1") };
    await expect(programs.render({ files, entry: "app.ts" })).rejects.toThrow(
      "entry app.ts: the file does not exist in the folder",
    );
    const refused = [{ path: "linked", what: "symlink" }] as const;
    await expect(programs.render({ files, entry: "linked/a.ts", refused })).rejects.toThrow(
      "linked is a symlink",
    );
  });
});
