import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  containerName,
  cronJobName,
  dnsLabel,
  dnsSubdomain,
  jobName,
  labelValue,
  serviceName,
} from "../../crds/names.ts";

const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const rules = [
  { rule: "dnsLabel", make: dnsLabel, valid: label, max: 63 },
  { rule: "containerName", make: containerName, valid: label, max: 63 },
  { rule: "dnsSubdomain", make: dnsSubdomain, valid: subdomain, max: 253 },
  { rule: "jobName", make: jobName, valid: subdomain, max: 63 },
  { rule: "cronJobName", make: cronJobName, valid: subdomain, max: 52 },
  { rule: "serviceName", make: serviceName, valid: /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/, max: 63 },
  { rule: "labelValue", make: labelValue, valid: /^(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?$/, max: 63 },
];

/** Names of resources as users choose them, valid and invalid, and arbitrary texts. */
const names = fc.oneof(
  fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,80}$/),
  fc.stringMatching(/^[a-z]{45,70}(\.[a-z]{1,70}){0,3}$/),
  fc.stringMatching(/^[0-9-]{1,5}[a-z]{0,3}$/),
  fc.string({ unit: "binary", maxLength: 90 }),
);

describe.for(rules)("$rule()", ({ make, valid, max }) => {
  const isValid = (name: string) => name.length <= max && valid.test(name);

  test("is always valid and deterministic", () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(make(name)).toSatisfy(isValid);
        expect(make(name)).toBe(make(name));
      }),
    );
  });

  test("does not change a valid name", () => {
    fc.assert(
      fc.property(names, (name) => {
        fc.pre(isValid(name));
        expect(make(name)).toBe(name);
      }),
    );
  });

  test("returns different names for different names", () => {
    fc.assert(
      fc.property(fc.uniqueArray(names, { minLength: 2, maxLength: 40 }), (several) => {
        expect(new Set(several.map(make)).size).toBe(several.length);
      }),
    );
    expect(make("1.web")).not.toBe(make("x1.web"));
    const long = Array.from({ length: 5000 }, (_, index) => `${"a".repeat(250)}.${index}`);
    expect(new Set(long.map(make)).size).toBe(long.length);
  });
});

test.for([
  // These names are in users' clusters and repositories: a change would replace their objects.
  { does: "keeps a dotted Job", name: jobName("hello.world"), is: "hello.world" },
  { does: "shortens a dotted container", name: containerName("hello.world"), is: "hello-world-ded9c345" },
  { does: "ends the readable part with a letter or digit", name: dnsLabel("web."), is: "web-28f02c82" },
  {
    does: "adds a letter at the beginning of a Service's name",
    name: serviceName("1-web"),
    is: "x1-web-370140ba",
  },
  { does: "cuts a CronJob", name: cronJobName("x".repeat(53)), is: `${"x".repeat(43)}-fa2d0289` },
])("$does", ({ name, is }) => {
  expect(name).toBe(is);
});
