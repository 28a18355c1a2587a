import { describe, expect, test } from "vitest";
import { echo } from "../../charts/bindings.ts";
import { Job } from "../../crds/core-kinds.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { observe } from "../fakes/observed.ts";
import { madeBy, ourLabels } from "./made-by.ts";

const labels = {
  "app.kubernetes.io/name": "echo",
  "app.kubernetes.io/instance": "hello",
  "app.kubernetes.io/managed-by": "fairlead",
};
const aTemplate = (message: string, { image = "busybox:1.33.1", metadata = {} } = {}) => ({
  metadata: { generateName: "hello-", namespace: "shop", labels, ...metadata },
  spec: {
    restartPolicy: "Never",
    containers: [{ name: "hello", image, imagePullPolicy: "IfNotPresent", command: ["echo", message] }],
  },
});
const aJob = (template: object, metadata = {}) =>
  aLiveObject({ kind: Job, name: "hello", metadata, fields: { spec: { backoffLimit: 6, template } } });
const templateOf = (message: string, live?: ReturnType<typeof aJob>) => {
  const [job] = madeBy(echo, { name: "hello", spec: { message } }, live ? observe(live) : observe());
  return (job as { spec: { template: object } }).spec.template;
};

describe("EchoChart", () => {
  test("creates one Job with exactly the original's fields", () => {
    expect(madeBy(echo, { name: "hello", spec: { message: "Hola, 世界!" } })).toEqual([
      {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "hello", namespace: "shop", labels },
        spec: { template: aTemplate("Hola, 世界!") },
      },
    ]);
  });

  test.for(["", "-n x", "$(HOME)", "a\r\nb", '"; rm -rf /', "\u0000"])(
    "passes %j on as one argument",
    (message) => {
      expect(templateOf(message)).toMatchObject({ spec: { containers: [{ command: ["echo", message] }] } });
    },
  );

  test("creates a Job and a container with a valid name if the Echo's is invalid", () => {
    const name = `${"very.long.".repeat(12)}name`;
    const [job] = madeBy(echo, { name, spec: { message: "" } }) as [
      { metadata: { name: string }; spec: { template: { spec: { containers: [{ name: string }] } } } },
    ];
    expect(job.metadata.name).toMatch(/^[a-z0-9.-]{1,63}$/);
    expect(job.spec.template.spec.containers[0].name).toMatch(/^[a-z0-9-]{1,63}$/);
    const [dotted] = madeBy(echo, { name: "a.b", spec: { message: "" } });
    expect(dotted).toMatchObject({
      metadata: { name: "a.b" },
      spec: { template: { spec: { containers: [{ name: expect.stringMatching(/^a-b-[0-9a-f]{8}$/) }] } } },
    });
  });
});

describe("EchoChart, with an existing Job", () => {
  const generated = {
    "controller-uid": "u",
    "job-name": "hello",
    "batch.kubernetes.io/job-name": "hello",
    "batch.kubernetes.io/controller-uid": "u",
  };

  test.for([
    {
      whose: "the original's",
      template: aTemplate("hi", { metadata: { labels: generated } }),
      kept: { labels: undefined },
    },
    {
      whose: "its own",
      template: aTemplate("hi", { metadata: { labels: { ...labels, ...generated } } }),
      kept: { labels },
    },
    {
      whose: "an earlier version's",
      template: aTemplate("hi", { image: "busybox:1.0", metadata: { labels: { old: "x" } } }),
      kept: { labels: { old: "x" } },
    },
  ])("keeps the template of $whose, so that nothing runs again", ({ template, kept }) => {
    const { metadata, spec } = aTemplate("hi", template.spec.containers[0]);
    const { labels: _, ...rest } = metadata;
    expect(templateOf("hi", aJob(template))).toEqual({
      metadata: { ...rest, ...(kept.labels && kept) },
      spec,
    });
  });

  test("creates a new template for a new message", () => {
    expect(templateOf("bye", aJob(aTemplate("hi", { image: "busybox:1.0" })))).toEqual(aTemplate("bye"));
  });

  test.for([
    {
      what: "terminating",
      live: aJob(aTemplate("hi", { image: "old" }), { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    { what: "of another shape", live: aJob({ spec: { containers: [] } }) },
  ])("ignores one that is $what", ({ live }) => {
    expect(templateOf("hi", live)).toEqual(aTemplate("hi"));
  });

  test("labels are the kind's", () => {
    expect(ourLabels(echo, "hello")).toEqual(labels);
  });
});
