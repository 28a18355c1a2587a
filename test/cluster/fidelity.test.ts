import { expect, test } from "vitest";
import { parse } from "yaml";
import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import { apiVersionOf, type ObjectKind } from "../../crds/object.ts";
import { kubectl, kubectlJson, readObject } from "./fixture.ts";
import { aHarness, type SeenResource, untilCondition, untilReady } from "./harness.ts";

/** Texts that something on the way to the API server or to git might misinterpret. */
const texts: Readonly<Record<string, string>> = {
  empty: "",
  spaces: "  two before, two behind  ",
  newlines: "\n\nfirst\n\n  second\n\n",
  crlf: "dos\r\nlines\r\n",
  "lone-cr": "old\rmac",
  tabs: "\tkey:\tvalue\t",
  unicode: "Hola, 世界! 🦊👩‍👩‍👧‍👦 e\u0301 \u202Eright to left\u202C",
  "odd-spaces": "\uFEFFbom\u00A0nbsp\u2028line\u2029paragraph\u200Bzero\u0085next",
  controls: "\u0001\u0007\u001B[31mred\u001B[0m\u007F\u009F",
  "highest-planes": "\u{1F600}\u{10FFFF}\uE000\uFFFD",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shells and templates replace this
  variables: "$(HOME) $$(ESCAPED) ${SHELL} `date` $1 %s \\n",
  quotes: `'single' "double" \\ back "' '"`,
  yes: "yes",
  null: "null",
  tilde: "~",
  number: "1e3",
  octal: "0o17",
  date: "2026-11-21",
  sexagesimal: "12:30:45",
  "yaml-map": "key: value # no comment",
  "yaml-list": "- a\n- b: [c, {d: e}]",
  "yaml-marks": "---\n...\n%TAG ! x\n&anchor *alias !tag |\n",
  "block-ends": "text\n---\nkind: Secret\n",
  template: "{{ .Values.x }} {% raw %} <% %>",
  html: "<b>&amp;</b>",
  "long-line": "word ".repeat(500).trim(),
  "long-text": `${"Ünïcödé line of some length\n".repeat(3_500)}end`,
};

test("every message reaches Job and git unchanged", async () => {
  const { namespace, repository, start } = await aHarness();
  await start();
  const names = Object.keys(texts);
  await Promise.all(
    chunks(names, 4).map(async (some) => {
      for (const name of some) await createResource(Echo, namespace, { name, message: texts[name] });
    }),
  );
  for (const name of names) await untilCondition(Echo, namespace, { type: "Published", name });

  const { items } = await kubectlJson<{ items: Job[] }>(["get", "jobs", "-n", namespace]);
  const applied = Object.fromEntries(items.map((job) => [job.metadata.name, messageOf(job)]));
  expect(applied).toEqual(texts);
  const published = names.map((name) => {
    const file = repository.read(`${namespace}/echos.mmontes.io/${name}/job-${name}.yaml`);
    return [name, messageOf(parse(file) as Job)];
  });
  expect(Object.fromEntries(published)).toEqual(texts);
  // None of it is a reason to run a Job again.
  expect(items.every(({ metadata }) => metadata.annotations?.["fairlead.dev/generation"] === "1")).toBe(true);
});

test("every environment variable reaches Deployment and git unchanged, including unknown fields", async () => {
  const { namespace, repository, start } = await aHarness();
  await start();
  const envs = [
    ...Object.entries(texts).map(([name, value]) => ({ name: name.toUpperCase(), value })),
    { name: "without.value" },
    { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
    { name: "NODE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
    { name: "MAYBE", valueFrom: { secretKeyRef: { name: "none", key: "k", optional: true } } },
  ];
  const ports = [
    { name: "http", port: 80, targetPort: "web", appProtocol: "kubernetes.io/h2c", protocol: "TCP" },
    { name: "dns", port: 53, targetPort: 53, protocol: "UDP" },
  ];
  const resources = {
    requests: { cpu: "0.5", memory: "1e9", "example.dev/odd": 3 },
    limits: { memory: "2Gi", "example.dev/odd": 3 },
  };
  // Nodes do not provide the unusual resource, so nothing becomes ready: only the fields matter.
  const spec = { size: 0, image: "example.dev/web:1", envs, ports, resources };
  await createResource(EasyService, namespace, { name: "web", ...spec });
  await untilReady(EasyService, namespace);
  await untilCondition(EasyService, namespace, { type: "Published" });

  const live = containerOf(await readObject<Deployment>("deployment", "web", namespace));
  const folder = `${namespace}/easyservices.app.kubebuilder.io/web`;
  const file = containerOf(parse(repository.read(`${folder}/deployment-web.yaml`)) as Deployment);
  // The API server omits an empty value.
  const kept = envs.map((env) => ("value" in env && env.value === "" ? { name: env.name } : env));
  expect(live.env).toEqual(kept);
  expect(file.env).toEqual(envs);
  expect(file.resources).toEqual(resources);
  expect(live.resources).toMatchObject({ limits: { memory: "2Gi", "example.dev/odd": "3" } });
  const service = await readObject<SeenResource>("service", "web", namespace);
  expect(service?.spec["ports"]).toMatchObject(ports);
  expect((parse(repository.read(`${folder}/service-web.yaml`)) as SeenResource).spec["ports"]).toEqual(ports);
});

/** As JSON: the API server parses an apply as YAML, which forbids some characters. */
async function createResource(
  kind: ObjectKind,
  namespace: string,
  { name, ...spec }: Readonly<Record<string, unknown>> & { readonly name: string },
): Promise<void> {
  const metadata = { name, namespace };
  await kubectl("create -f -", {
    input: { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec },
  });
}

interface Job {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

type Deployment = Job;

interface Container {
  readonly command?: readonly string[];
  readonly env?: readonly object[];
  readonly resources?: object;
}

function containerOf(workload: Job | undefined): Container {
  return workload?.spec.template.spec.containers[0] ?? {};
}

/** The command is the program and the message; any other word would be visible. */
function messageOf(job: Job): string | undefined {
  const [program, message, ...others] = containerOf(job).command ?? [];
  return program === "echo" && others.length === 0 ? message : undefined;
}

function chunks<T>(list: readonly T[], count: number): T[][] {
  return Array.from({ length: count }, (_, index) => list.filter((__, at) => at % count === index));
}
