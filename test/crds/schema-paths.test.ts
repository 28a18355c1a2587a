import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineKind, type PrinterColumn, type Scale } from "../../crds/kind.ts";

const spec = z.object({
  image: z.string(),
  size: z.int().default(1),
  ports: z.array(z.object({ port: z.int() })).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  more: z.looseObject({}).optional(),
  source: z.discriminatedUnion("type", [
    z.object({ type: z.literal("git"), url: z.string() }),
    z.object({ type: z.literal("http"), host: z.string() }),
  ]),
});
const status = z.object({ replicas: z.int().optional(), selector: z.string().optional() });

function define(more: { columns?: readonly PrinterColumn[]; scale?: Scale; hasStatus?: boolean }) {
  return defineKind({
    ...{ group: "example.dev", kind: "WebApp", plural: "webapps", description: "A web app." },
    versions: [{ name: "v1", spec, status }],
    ...more,
  });
}
const column = (jsonPath: string): PrinterColumn => ({ name: "Shown", type: "string", jsonPath });

describe("columns of defineKind()", () => {
  test.for([
    ".spec.image",
    ".spec.ports[0].port",
    ".spec.ports[*].port",
    '.spec["image"]',
    ".spec.labels.app",
    ".spec.labels.example\\.dev/app",
    ".spec.more.anything.there",
    ".spec.source.url",
    ".spec.source.host",
    ".status.replicas",
    '.status.conditions[?(@.type=="Ready")].reason',
    ".status.published.commit",
    ".metadata.labels.app",
  ])("may read %s", (jsonPath) => {
    expect(() => define({ columns: [column(jsonPath)] })).not.toThrow();
  });

  test.for([
    {
      jsonPath: ".spec.picture",
      why: "the schema has no spec.picture; there are image, size, ports, labels, more, source",
    },
    { jsonPath: ".spec.ports[0].name", why: "the schema has no spec.ports[].name; there are port" },
    { jsonPath: ".spec.image.tag", why: "the schema has no spec.image.tag; it has no fields there" },
    { jsonPath: ".spec.image[0]", why: "spec.image is not a list" },
    { jsonPath: ".spec.source.path", why: "the schema has no spec.source.path; there are type, url, host" },
    { jsonPath: ".status.phase", why: "the schema has no status.phase; there are" },
    { jsonPath: ".image", why: "the schema has no image; there are spec, status, metadata" },
    { jsonPath: "spec.image", why: "the schema has no spec.image; there are spec, status, metadata" },
  ])("may not read $jsonPath", ({ jsonPath, why }) => {
    expect(() => define({ columns: [column(jsonPath)] })).toThrow(
      `Cannot define "WebApp.example.dev": column "Shown" reads ${jsonPath}: ${why}`,
    );
  });

  test("may not read a status that the kind does not have", () => {
    expect(() => define({ columns: [column(".status.replicas")], hasStatus: false })).toThrow(
      "the kind has no status",
    );
  });
});

describe("scale of defineKind()", () => {
  const scale: Scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" };

  test("may read numbers of spec and status, and a selector", () => {
    expect(() => define({ scale: { ...scale, labelSelectorPath: ".status.selector" } })).not.toThrow();
  });

  test.for([
    {
      path: { specReplicasPath: ".spec.replicas" },
      why: "scale.specReplicasPath is .spec.replicas: the schema has no",
    },
    { path: { specReplicasPath: ".status.replicas" }, why: "expected a path below .spec." },
    { path: { statusReplicasPath: ".status.selector" }, why: "expected the path of a number" },
    { path: { labelSelectorPath: ".status.replicas" }, why: "expected the path of a string" },
  ])("may not be $path", ({ path, why }) => {
    expect(() => define({ scale: { ...scale, ...path } })).toThrow(why);
  });
});
