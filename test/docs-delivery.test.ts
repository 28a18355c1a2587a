import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { deliveryKinds } from "../charts/bindings-delivery.ts";
import { Approval } from "../crds/approval.ts";
import { Freeze } from "../crds/freeze.ts";
import { gateNames } from "../crds/pipeline-status.ts";

const pageOf = (kind: string): string =>
  readFileSync(new URL(`../docs/kinds/${kind.toLowerCase()}.md`, import.meta.url), "utf8").replaceAll(
    /^```[\s\S]*?^```$/gm,
    "",
  );

describe.for([...deliveryKinds.map(({ definition }) => definition), Approval, Freeze])(
  "the page of $kind",
  ({ kind, group, version, plural, shortNames, spec, status }) => {
    const section = (title: string): readonly string[] => {
      const [, text = ""] = pageOf(kind).split(`\n## ${title}\n`);
      return [...(text.split(/^## /m)[0] ?? "").matchAll(/^### `(.*)`$/gm)].map(([, field = ""]) => field);
    };

    test("has a heading per field of spec and status, and no other", () => {
      expect(section("Spec").toSorted()).toEqual(Object.keys(spec.shape).toSorted());
      expect(section("Status").toSorted()).toEqual(Object.keys(status.shape).toSorted());
    });

    test("names group, version, plural and short names", () => {
      const intro = pageOf(kind).split("\n## ")[0];
      for (const name of [`${group}/${version}`, plural, ...shortNames])
        expect(intro).toContain(`\`${name}\``);
    });
  },
);

test("the page of Pipeline has every gate", () => {
  const [, table = ""] = pageOf("Pipeline").split("| gate |");
  const rows = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| (.*?) \|/gm)].map(([, cell = ""]) => cell);
  const named = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
  expect(named.toSorted()).toEqual([...gateNames].toSorted());
});
