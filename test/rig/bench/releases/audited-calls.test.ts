import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  AuditedCalls,
  countCalls,
  describeCalls,
  sumOf,
} from "../../../../rig/bench/releases/audited-calls.ts";

const line = (verb: string, resource: string, { user = "operator", subresource = "" } = {}): string =>
  JSON.stringify({
    verb,
    user: { username: user },
    objectRef: { resource, ...(subresource !== "" && { subresource }) },
  });

test("countCalls() counts the operator's calls by type, without watches and Leases", () => {
  const calls = countCalls([
    line("patch", "deployments"),
    line("patch", "deployments"),
    line("patch", "releases", { subresource: "status" }),
    line("watch", "deployments"),
    line("update", "leases"),
    line("patch", "deployments", { user: "driver" }),
    "",
  ]);
  expect(Object.fromEntries(calls)).toEqual({ "patch deployments": 2, "patch releases/status": 1 });
  expect(sumOf(calls)).toBe(3);
  expect(sumOf(calls, /^patch deployments$/)).toBe(2);
  expect(describeCalls(calls, 2)).toBe("1 patch deployments, 0.5 patch releases/status");
  expect(describeCalls(new Map())).toBe("none");
});

test("AuditedCalls returns the calls since the last read, and keeps an incomplete line for the next", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "audit.log");
  await writeFile(path, `${line("get", "secrets")}\n`);
  const audit = await AuditedCalls.begin(path);
  const [half, rest] = [line("patch", "services").slice(0, 20), line("patch", "services").slice(20)];
  await appendFile(path, `${line("patch", "ingresses")}\n${half}`);
  expect(Object.fromEntries(await audit.take())).toEqual({ "patch ingresses": 1 });
  await appendFile(path, `${rest}\n`);
  expect(Object.fromEntries(await audit.take())).toEqual({ "patch services": 1 });
  expect((await audit.take()).size).toBe(0);
});
