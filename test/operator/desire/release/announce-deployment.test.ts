import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ReleaseHistoryEntry } from "../../../../crds/release.ts";
import {
  announceDeployment,
  findDeployment,
} from "../../../../operator/desire/release/announce-deployment.ts";
import type { Announcement } from "../../../../operator/engine/transitions.ts";
import { aLiveObject } from "../../../fakes/objects.ts";

const entry = (digit: string, more: Partial<ReleaseHistoryEntry> = {}): ReleaseHistoryEntry => ({
  ...{ revision: digit.repeat(40), digest: `d${digit}`, author: "Ann", subject: `Commit ${digit}` },
  ...{ committedAt: "2026-01-01T00:00:00Z", deployedAt: `2026-01-01T00:00:0${digit}Z`, outcome: "Ready" },
  ...more,
});
const one = entry("1");

test.for([
  { what: "the first deployment", before: undefined, after: [one], found: one },
  { what: "another commit", before: [one], after: [entry("2"), one], found: entry("2") },
  {
    what: "the same commit with different manifests",
    before: [one],
    after: [entry("1", { digest: "d9" }), one],
    found: entry("1", { digest: "d9" }),
  },
  { what: "no change", before: [one], after: [one], found: undefined },
  {
    what: "one that became ready",
    before: [entry("1", { outcome: "Progressing" })],
    after: [one],
    found: undefined,
  },
  { what: "no history", before: undefined, after: undefined, found: undefined },
])("findDeployment() for $what", ({ before, after, found }) => {
  expect(findDeployment(before, after)).toEqual(found);
});

test("docs/release-commands.md shows a deployment in the form of the event", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/release-commands.md"), "utf8");
  const shown = page.split("\n").find((line) => line.includes("Normal  Deployed  Release web"));
  const recorded: Announcement[] = [];
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  const shipped = entry("1", { revision: "6f1c2a9d03b0".padEnd(40, "0"), subject: "Ship 1.4.2" });
  announceDeployment({ before: undefined, after: { history: [shipped] } }, aLiveObject({ name: "web" }), {
    events: { record: (_, event) => void recorded.push(event) },
    log,
  });
  expect(shown?.endsWith(`  ${recorded[0]?.note}`)).toBe(true);
});
