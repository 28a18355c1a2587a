import { afterAll, describe, expect, test } from "vitest";
import type { Rendered } from "../../../../operator/render/ports.ts";
import { realPrograms } from "../../../fakes/programs.ts";

const programs = realPrograms();
afterAll(() => programs.close());

const shop = `
import { type App, Chart } from "cdk8s";
import { ConfigMap, Deployment } from "cdk8s-plus-27";

interface Inputs {
  readonly replicas: number;
}

class Shop extends Chart {
  constructor(app: App, { replicas }: Inputs) {
    super(app, "shop", { disableResourceNameHashes: true });
    const settings = new ConfigMap(this, "settings", { data: { time: new Date().toISOString() } });
    const web = new Deployment(this, "web", { replicas, containers: [{ image: "web:1", portNumber: 80 }] });
    web.exposeViaService().node.addDependency(settings);
  }
}

export default (app: App, inputs: Inputs) => new Shop(app, inputs);
`;

/** A short program. `body` can use app and inputs. */
const program = (body: string): string =>
  `import { ApiObject, App, Chart } from "cdk8s";\nexport default (app: App, inputs: any) => {\n${body}\n};\n`;

/** A program that creates a ConfigMap of a value. */
const showing = (value: string): string =>
  program(
    `new ApiObject(new Chart(app, "c"), "m", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shown" }, data: { json: JSON.stringify(${value}) ?? "undefined" } });`,
  );

const shown = ({ manifests }: Rendered): unknown => {
  const { json = "" } = (manifests[0]?.["data"] ?? {}) as { json?: string };
  return json === "undefined" ? undefined : JSON.parse(json);
};

describe("a program", () => {
  test("creates objects from its inputs, in the order of its constructs, with its declared dependencies", async () => {
    const rendered = await programs.render({ files: { "main.ts": shop }, inputs: { replicas: 3 } });
    expect(rendered.manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      "ConfigMap/shop-settings",
      "Deployment/shop-web",
      "Service/shop-web-service",
    ]);
    expect(rendered.origins).toEqual([
      "shop/settings/Resource",
      "shop/web/Resource",
      "shop/web/Service/Resource",
    ]);
    expect(rendered.dependencies).toEqual(new Map([[2, [0]]]));
    expect(rendered.manifests[1]).toMatchObject({ spec: { replicas: 3 } });
    expect(rendered.readPaths).toEqual(["main.ts"]);
    expect(rendered.digest).toMatch(/^[0-9a-f]{32}$/);
    expect(rendered.programDigest).toMatch(/^[0-9a-f]{32}$/);
    expect(rendered.inputsDigest).toMatch(/^[0-9a-f]{32}$/);
  });

  test("produces the same bytes again, also in a separate process", async () => {
    const run = { files: { "main.ts": shop }, inputs: { replicas: 3 } };
    const again = await programs.render({ ...run, namespace: "other" });
    expect(again).toEqual(await programs.render(run));
  });

  test("may be a main file as in cdk8s introductions", async () => {
    const main = `
      import { App, Chart, ApiObject } from "cdk8s";
      import { Construct } from "constructs";
      class Hello extends Chart {
        constructor(scope: Construct, id: string) {
          super(scope, id);
          new ApiObject(this, "a", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "hello" } });
        }
      }
      const app = new App();
      new Hello(app, "hello");
      app.synth();`;
    const { manifests } = await programs.render({ files: { "main.ts": main } });
    expect(manifests.map(({ metadata }) => metadata.name)).toEqual(["hello"]);
  });

  test("imports its own files, YAML, JSON and text, and reports which", async () => {
    const files = {
      "shop/main.ts": showing("{ one, many, json, text, conf, helper }").replace(
        "import",
        `import one from "./one.yaml"; import many from "../many.yml"; import json from "./a.json";
         import text from "./a.txt"; import conf from "./a.conf" with { type: "text" }; import { helper } from "./helper.js";
         import`,
      ),
      "shop/one.yaml": "a: &x [1, yes]\nb: *x\n",
      "many.yml": "a: 1\n---\n---\nb: 2\n",
      "shop/a.json": '{"a":1}',
      "shop/a.txt": "text",
      "shop/a.conf": "conf",
      "shop/helper.ts": "export const helper: string = 'help';",
      "unread.ts": "",
    };
    const rendered = await programs.render({ files, entry: "shop/main.ts" });
    expect(shown(rendered)).toEqual({
      one: { a: [1, true], b: [1, true] },
      many: [{ a: 1 }, { b: 2 }],
      json: { a: 1 },
      text: "text",
      conf: "conf",
      helper: "help",
    });
    expect(rendered.readPaths).toEqual(
      Object.keys(files)
        .filter((path) => path !== "unread.ts")
        .toSorted(),
    );
  });

  test("may await its own promises", async () => {
    const main = showing("value").replace(
      "(app: App, inputs: any) => {",
      "async (app: App, inputs: any) => { const value = await Promise.resolve(7);",
    );
    expect(shown(await programs.render({ files: { "main.ts": main } }))).toBe(7);
  });

  test("has a clock and random numbers that are always the same for the same inputs", async () => {
    const main = showing(
      "[Date.now(), new Date(), Date(), new Intl.DateTimeFormat().format(), Math.random(), crypto.randomUUID(), performance.now(), Intl.DateTimeFormat().resolvedOptions().timeZone]",
    );
    const first = shown(await programs.render({ files: { "main.ts": main } })) as unknown[];
    const other = shown(await programs.render({ files: { "main.ts": main }, inputs: 1 })) as unknown[];
    const elsewhere = shown(await programs.render({ files: { "main.ts": main }, namespace: "other" }));
    expect(elsewhere).toEqual(first);
    expect(first[0]).toBe(Date.UTC(2000, 0, 1));
    expect(first.slice(1, 4)).toEqual([
      "2000-01-01T00:00:00.000Z",
      expect.stringContaining("2000"),
      "1/1/2000",
    ]);
    expect(first[5]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(first.at(-1)).toBe("UTC");
    expect(other[4]).not.toBe(first[4]);
    expect(other[5]).not.toBe(first[5]);
  });

  test("has the few text functions that are not part of ECMAScript", async () => {
    const main = showing(
      "[btoa('hé'), atob('aOk='), [...new TextEncoder().encode('é')], new TextDecoder().decode(Uint8Array.of(195, 169))]",
    );
    expect(shown(await programs.render({ files: { "main.ts": main } }))).toEqual([
      "aOk=",
      "hé",
      [195, 169],
      "é",
    ]);
  });

  test("validates its inputs with a schema, and reports the invalid one", async () => {
    const main = `import * as z from "zod";
      export const inputs = z.object({ web: z.object({ replicas: z.int().default(2) }) });
      ${showing("inputs")}`;
    expect(shown(await programs.render({ files: { "main.ts": main }, inputs: { web: {} } }))).toEqual({
      web: { replicas: 2 },
    });
    const wrong = programs.render({ files: { "main.ts": main }, inputs: { web: { replicas: "x" } } });
    await expect(wrong).rejects.toMatchObject({
      reason: "RenderFailed",
      message: expect.stringMatching(/inputs\.web\.replicas: .*expected/),
    });
  });

  test("describes a Pipeline, with the types of programs outside of its folder", async () => {
    const main = `import { type App, Chart } from "cdk8s";
      import { Pipeline } from "fairlead/delivery";
      import type * as web from "../web/main.ts";
      export default (app: App) => {
        const source = { url: "https://git.example.dev/shop.git" };
        const shop = new Pipeline(new Chart(app, "c"), "shop", { name: "shop", namespace: "delivery", source });
        shop.addStage("dev").addRelease<typeof web>("web", { path: "web", inputs: { replicas: 1 } });
      };`;
    const { manifests } = await programs.render({ files: { "main.ts": main } });
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual([
      "Namespace",
      "Pipeline",
      "Release",
      "RoleBinding",
      "ServiceAccount",
    ]);
  });

  test("prints to the log of the operator, at its lowest level", async () => {
    await programs.render({ files: { "main.ts": `console.log("hello", { a: 1 });${showing("1")}` } });
    expect(programs.log.entries).toContainEqual({
      level: "debug",
      message: "A program printed",
      fields: { release: "shop/web", text: 'hello {"a":1}\n' },
    });
  });
});
