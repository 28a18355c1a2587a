import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readOperatorValues } from "../../../charts/values/operator-values.ts";
import { alertRules } from "../../../constructs/alerts.ts";
import { valuesTable } from "./values-table.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/values.md"), "utf8");

describe("docs/values.md", () => {
  test("has a row for each value, with its default, and no other", () => {
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    expect(rows).toEqual(valuesTable());
  });

  test("has a row for each alert, with its severity", () => {
    const rules = alertRules({ job: "j", namespace: "n", publishes: true, electsLeader: true });
    const rows = [...page.matchAll(/^\| (Fairlead\w+) \| (\w+) \|/gm)].map(
      ([, alert, severity]) => `${alert} ${severity}`,
    );
    expect(rows.toSorted()).toEqual(
      rules.map(({ alert, labels }) => `${alert} ${labels.severity}`).toSorted(),
    );
  });

  test("shows valid values", () => {
    const examples = [...page.matchAll(/^```yaml\n(# values\.yaml\n.*?)^```/gms)];
    expect(examples).toHaveLength(1);
    for (const [, text = ""] of examples) {
      expect(readOperatorValues({ image: "fairlead:1", ...parse(text) })).toMatchObject({ replicas: 3 });
    }
  });
});
