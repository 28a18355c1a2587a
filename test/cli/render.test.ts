import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { renderText } from "../../cli/render-text.ts";
import { toYaml } from "../../synth/yaml-text.ts";
import { aPinningKind } from "../fakes/pinning-kind.ts";

const root = resolve(import.meta.dirname, "../..");
const options = { kinds, file: "a.yaml", namespace: "default" };
const render = (text: string) => renderText(text, options);
const errorsOf = (text: string) => render(text).flatMap(({ errors }) => errors);
const anEcho = (spec: string, metadata = "{name: a}") =>
  `apiVersion: mmontes.io/v1alpha1\nkind: Echo\nmetadata: ${metadata}\nspec: ${spec}\n`;

describe("renderText()", () => {
  test.for(["echo", "scheduled-echo", "memcached", "easy-service", "pod-set", "runtime"])(
    "renders the sample %s",
    async (sample) => {
      const file = join(root, "samples", `${sample}.yaml`);
      const [rendered, ...others] = renderText(await readFile(file, "utf8"), {
        ...options,
        file: basename(file),
      });
      expect(others).toEqual([]);
      expect(rendered).toMatchObject({ errors: [], warnings: [] });
      const golden = join(root, "test/charts/golden", `${sample}.yaml`);
      await expect(rendered?.manifests.map((manifest) => toYaml(manifest)).join("---\n")).toMatchFileSnapshot(
        golden,
      );
    },
  );

  test("reports that additions to objects of the cluster are not shown", async () => {
    const file = join(root, "samples/podbuggertool.yaml");
    expect(renderText(await readFile(file, "utf8"), { ...options, file: "podbuggertool.yaml" })).toEqual([
      {
        manifests: [],
        warnings: [
          "podbuggertool.yaml, document 1: a Podbuggertool adds to Pod objects that are in the cluster; this is not shown",
        ],
        errors: [],
      },
    ]);
  });

  test("reports that for fields, too", () => {
    const text = "apiVersion: example.dev/v1\nkind: Gadget\nmetadata: {name: a}\nspec: {}\n";
    const [rendered] = renderText(text, { ...options, file: "a.yaml", kinds: [aPinningKind()] });
    expect(rendered?.warnings).toEqual([
      "a.yaml, document 1: a Gadget adds to Release objects that are in the cluster; this is not shown",
    ]);
  });

  test("renders every document, and nothing for empty ones", () => {
    const text = `---\n${anEcho("{message: a}")}---\n# nothing\n---\n${anEcho("{message: b}", "{name: b, namespace: shop}")}---\n`;
    expect(
      render(text).flatMap(({ manifests }) =>
        manifests.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      ),
    ).toEqual(["default/a", "shop/b"]);
  });

  test.for([
    {
      what: "no object",
      text: "- a\n",
      error: "a.yaml, document 1: expected an object with apiVersion and kind",
    },
    {
      what: "an unknown kind",
      text: "apiVersion: v1\nkind: Foo\n",
      error: /document 1: kind: "Foo" \(v1\) is not known; known are Echo \(mmontes.io\/v1alpha1\), /,
    },
    {
      what: "another version",
      text: "apiVersion: mmontes.io/v2\nkind: Echo\n",
      error: /apiVersion: Echo is "mmontes.io\/v1alpha1", found "mmontes.io\/v2"/,
    },
    {
      what: "no name",
      text: anEcho("{message: a}", "{}"),
      error: /document 1: metadata.name: expected a name/,
    },
    {
      what: "a wrong field",
      text: `${anEcho("{message: a}")}---\n${anEcho("{message: 3}")}`,
      error: /document 2: .*"Echo default\/a": spec.message: .*string/,
    },
    {
      what: "a value that kubectl parses as a boolean",
      text: anEcho("{message: yes}"),
      error: /spec.message: .*received boolean/,
    },
    { what: "an unknown alias", text: anEcho("{message: *none}"), error: /document 1: .*alias/ },
    { what: "broken YAML", text: anEcho("{message: [}"), error: /a.yaml, document 1: .* at line 4/s },
  ])("names file, document and field of $what", ({ text, error }) => {
    expect(errorsOf(text)).toEqual([expect.stringMatching(error)]);
    expect(render(text).at(-1)?.manifests).toEqual([]);
  });

  test("reads dates and times as text, as kubectl does", () => {
    for (const message of ["2026-01-01", "12:30:45"]) {
      expect(render(anEcho(`{message: ${message}}`))[0]?.manifests[0]).toMatchObject({
        spec: { template: { spec: { containers: [{ command: ["echo", message] }] } } },
      });
    }
  });

  test("prints the kind's warnings", () => {
    const text = `apiVersion: app.kubebuilder.io/v1\nkind: EasyService\nmetadata: {name: a}\nspec: {size: 1, image: x, envs: [{name: A}, {name: A}]}\n`;
    expect(render(text)[0]?.warnings).toEqual([
      expect.stringMatching(/^a.yaml, document 1: spec.envs sets "A" 2 times/),
    ]);
  });
});

describe("fairlead render", () => {
  const program = `import { renderCommand } from "./cli/commands/render.ts"; import { kinds } from "./charts/bindings.ts";
    await renderCommand({ kinds }).parseAsync(process.argv.slice(1), { from: "user" });`;
  const run = (files: readonly string[], input = "") =>
    new Promise<{ code: number; out: string; err: string }>((done) => {
      const args = ["--input-type=module-typescript", "--eval", program, "--", ...files];
      const child = execFile(
        process.execPath,
        args,
        { cwd: root, env: { ...process.env, CI: "" } },
        (error, out, err) => {
          done({ code: error === null ? 0 : Number(error.code), out, err });
        },
      );
      child.stdin?.end(input);
    });

  test("prints valid documents, reports the others, and fails", async () => {
    const { code, out, err } = await run(["samples/echo.yaml", "none.yaml", "-"], anEcho("{}"));
    expect(code).toBe(1);
    expect(out).toBe(await readFile(join(root, "test/charts/golden/echo.yaml"), "utf8"));
    expect(err).toMatch(/^Cannot read "none.yaml": .*\nstandard input, document 1: .*spec.message: .*\n$/);
  });

  test("exits 0 on success", async () => {
    expect(await run(["-", "-n", "shop"], anEcho("{message: a}"))).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining("namespace: shop"),
    });
  });
});
