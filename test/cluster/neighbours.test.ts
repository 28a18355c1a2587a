import { expect, test } from "vitest";
import type { AuditEvent } from "./audit-log.ts";
import { auditEvents, eventually } from "./fixture.ts";
import { aStampHarness, type StampHarness } from "./stamps.ts";

const copies = 400;

/** The operator's applies of ConfigMaps with this name prefix, in the order in which the API server received them. */
async function appliesOf(harness: StampHarness, prefix: string, since: Date): Promise<AuditEvent[]> {
  const requests = await harness.user.requests(since);
  return requests
    .filter(
      ({ verb, objectRef }) =>
        verb === "patch" && objectRef?.resource === "configmaps" && objectRef.name?.startsWith(prefix),
    )
    .toSorted((a, b) => timeOf(a) - timeOf(b));
}

/** In microseconds. */
function timeOf({ requestReceivedTimestamp }: AuditEvent): number {
  return Date.parse(requestReceivedTimestamp) * 1_000 + Number(requestReceivedTimestamp.slice(23, 26));
}

test("a resource with hundreds of objects does not block others, and one that is edited all the time is rate-limited", async () => {
  const harness = await aStampHarness();
  await harness.apply(["quiet", "large", "busy"], { text: "one", copies: 3 });
  await harness.start();
  await harness.untilSettled(3);

  // When a large one is edited, and right after it a small one
  const whatCameIn = await eventually(
    async () => {
      const since = new Date();
      const text = crypto.randomUUID();
      await harness.apply(["large"], { text, copies });
      await harness.apply(["quiet"], { text, copies: 3 });
      await harness.untilSettled(3);
      const large = await appliesOf(harness, "large-", since);
      const quiet = await appliesOf(harness, "quiet-", since);
      const edits = await auditEvents({ user: "admin", namespace: harness.namespace, since });
      const edit = edits.findLast(({ objectRef }) => objectRef?.name === "quiet");
      const [last, own] = [large.at(-1), quiet.at(-1)];
      if (edit === undefined || last === undefined || own === undefined) return undefined;
      // The edit must occur while the large one is being applied: on a busy machine it may need another attempt.
      return timeOf(edit) < timeOf(large[copies / 2] ?? last) && { large, last, own };
    },
    { what: "an edit in the middle of a large one" },
  );

  // Then the small one did not wait for all objects of the large one
  const { large, last, own } = whatCameIn;
  expect(large.length).toBeGreaterThanOrEqual(copies);
  expect(timeOf(own)).toBeLessThan(timeOf(last));

  // When one is edited all the time
  const since = new Date();
  for (let edit = 1; edit <= 250; edit++) await harness.apply(["busy"], { text: `edit-${edit}`, copies: 1 });
  await harness.untilSettled(3);
  await eventually(
    async () =>
      (await harness.children()).some(
        ({ metadata, data }) => metadata.name === "busy-0" && (data as { text: string }).text === "edit-250",
      ),
    { what: "the last edit is followed" },
  );

  // Then it was applied at intervals, not for every edit
  const applies = await appliesOf(harness, "busy-0", since);
  const [first, end] = [applies[0], applies.at(-1)];
  if (first === undefined || end === undefined) throw new Error("it was never applied");
  const seconds = (timeOf(end) - timeOf(first)) / 1e6;
  expect(applies.length).toBeLessThanOrEqual(20 + 5 * seconds + 3);
  expect(applies.length).toBeLessThan(250);
});
