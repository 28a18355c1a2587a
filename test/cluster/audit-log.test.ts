import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readAuditLog } from "./audit-log.ts";

/** A log of one request each 10 ms, of two users in three namespaces, whose last line is incomplete. */
function aLog(requests: number): { readonly path: string; readonly timeOf: (request: number) => Date } {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const timeOf = (request: number): Date => new Date(Date.UTC(2026, 0, 1) + 10 * request);
  const lines = Array.from({ length: requests + 1 }, (_, request) =>
    JSON.stringify({
      kind: "Event",
      verb: "get",
      requestURI: `/${request}`,
      user: { username: `user-${request % 2}` },
      objectRef: { namespace: `shop-${request % 3}`, name: "ä".repeat(request % 200) },
      requestReceivedTimestamp: timeOf(request).toISOString(),
      stageTimestamp: timeOf(request + (request % 7)).toISOString(),
    }),
  );
  const path = join(folder, "audit.log");
  writeFileSync(path, lines.join("\n").slice(0, -10));
  return { path, timeOf };
}

const requests = 9_999;
test.for([
  { what: "all requests", query: {}, step: 1, from: 0 },
  { what: "those of a user", query: { user: "user-1" }, step: 2, from: 1 },
  { what: "those in a namespace", query: { namespace: "shop-2" }, step: 3, from: 2 },
  {
    what: "those of a user in a namespace",
    query: { user: "user-0", namespace: "shop-0" },
    step: 6,
    from: 0,
  },
])("a log is searched for $what, since any time", async ({ query, step, from }) => {
  const { path, timeOf } = aLog(requests);
  const numbers = Array.from({ length: Math.ceil((requests - from) / step) }, (_, at) => from + at * step);
  for (const first of [0, 1, 4_321, 9_990, 20_000]) {
    const found = await readAuditLog(path, { ...query, since: timeOf(first) });
    expect(found.map(({ requestURI }) => Number(requestURI.slice(1)))).toEqual(
      numbers.filter((number) => number >= first),
    );
  }
  expect(await readAuditLog(path, query)).toHaveLength(numbers.length);
});
