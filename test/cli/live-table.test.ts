import { describe, expect, test } from "vitest";
import {
  composeFrame,
  formatReleases,
  formatTable,
  releaseRowOf,
  rowOf,
  rowsOnScreen,
} from "../../cli/live-table.ts";
import type { CustomResource, LiveObject, ObjectKind } from "../../crds/object.ts";

const echoKind: ObjectKind = {
  group: "mmontes.io",
  version: "v1alpha1",
  kind: "Echo",
  plural: "echos",
  namespaced: true,
};

function anEcho(status: object | undefined, metadata: object = {}): CustomResource {
  return {
    apiVersion: "mmontes.io/v1alpha1",
    kind: "Echo",
    metadata: { name: "hello", namespace: "shop", uid: "1", resourceVersion: "1", ...metadata },
    spec: {},
    ours: false,
    ...(status === undefined ? {} : { status }),
  };
}

const job: LiveObject = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "hello", namespace: "shop", uid: "2", resourceVersion: "1" },
  ours: true,
};

describe("rowOf()", () => {
  test("shows the condition Ready, the children and the beginning of the last commit", () => {
    const status = {
      conditions: [
        { type: "Ready", status: "True", reason: "Reconciled", message: "", lastTransitionTime: "" },
      ],
      published: { digest: "d", tree: "t", commit: "0123456789abcdef" },
    };
    expect(rowOf(echoKind, anEcho(status), [job])).toEqual({
      resource: "Echo shop/hello",
      ready: "True",
      reason: "Reconciled",
      children: "Job/hello",
      commit: "0123456789",
    });
  });

  test("shows Unknown before there is a status", () => {
    expect(rowOf(echoKind, anEcho(undefined), [])).toMatchObject({
      ready: "Unknown",
      children: "none",
      commit: "none",
    });
  });

  test("shows Deleting for a resource that is being deleted", () => {
    const leaving = anEcho(undefined, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(rowOf(echoKind, leaving, [])).toMatchObject({ ready: "False", reason: "Deleting" });
  });
});

describe("formatTable()", () => {
  const row = {
    resource: "Echo a",
    ready: "True",
    reason: "Reconciled",
    children: "Job/a Job/b",
    commit: "abc",
  };

  test("aligns columns and sorts by resource", () => {
    expect(formatTable([{ ...row, resource: "Echo b" }, row], 120)).toEqual([
      "RESOURCE  READY  REASON      CHILDREN     LAST COMMIT",
      "Echo a    True   Reconciled  Job/a Job/b  abc",
      "Echo b    True   Reconciled  Job/a Job/b  abc",
    ]);
  });

  test("shortens the children first when the terminal is narrow", () => {
    const [, line] = formatTable([row], 50);
    expect(line).toBe("Echo a    True   Reconciled  Job/a J…  abc");
  });

  test.for([20, 30, 40, 50, 60, 80])("stays within %i columns", (width) => {
    const long = { ...row, resource: "ScheduledEcho default/hello-world-scheduled" };
    for (const line of formatTable([row, long], width)) expect(line.length).toBeLessThanOrEqual(width);
  });
});

describe("composeFrame()", () => {
  const rows = ["a", "b", "c", "d"].map((name) => ({
    resource: `Echo ${name}`,
    ready: "True",
    reason: "Reconciled",
    children: "none",
    commit: "abc",
  }));
  const footer = ["Try:", `kubectl ${"x".repeat(92)}`];

  test("shows the lines to copy below the table, not cut", () => {
    const frame = composeFrame({ rows, footer, columns: 60, lines: undefined });
    expect(frame).toHaveLength(8);
    expect(frame.slice(-3)).toEqual(["", ...footer]);
  });

  test("counts the rows that do not fit on a screen, so that it never scrolls", () => {
    const frame = composeFrame({ rows, footer, columns: 60, lines: 9 });
    expect(frame.map((line) => line.slice(0, 12).trimEnd())).toEqual([
      "RESOURCE  RE",
      "Echo a    Tr",
      "Echo b    Tr",
      "… and 2 more",
      "",
      "Try:",
      "kubectl xxxx",
    ]);
    expect(rowsOnScreen(frame, 60)).toBeLessThan(9);
  });
});

describe("rowsOnScreen()", () => {
  test.for([
    { lines: [], rows: 0 },
    { lines: [""], rows: 1 },
    { lines: ["x".repeat(60)], rows: 1 },
    { lines: ["x".repeat(61), "", "y"], rows: 4 },
  ])("is $rows for $lines", ({ lines, rows }) => {
    expect(rowsOnScreen(lines, 60)).toBe(rows);
  });
});

describe("releaseRowOf()", () => {
  const aRelease = (status: object | undefined, metadata: object = {}): CustomResource => ({
    ...anEcho(status, metadata),
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
  });

  test("shows the condition Ready, and the beginning of the revision", () => {
    const message = "All is well at 0123456789\nand more";
    const status = {
      conditions: [{ type: "Ready", status: "True", reason: "Reconciled", message, lastTransitionTime: "" }],
      revision: "0123456789abcdef0123456789abcdef01234567",
    };
    expect(releaseRowOf(aRelease(status))).toEqual({
      release: "shop/hello",
      ready: "True",
      revision: "0123456789",
      message: "All is well at 0123456789",
    });
  });

  test("shows that there is no status, and that it is being deleted", () => {
    expect(releaseRowOf(aRelease(undefined))).toMatchObject({ ready: "Unknown", revision: "none" });
    const leaving = aRelease(undefined, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(releaseRowOf(leaving)).toMatchObject({ ready: "False", message: "Deleting" });
  });
});

test("Releases are above the other resources, in their order, and their messages are shortened first", () => {
  const releases = ["web", "api"].map((name) => ({
    ...{ release: `shop/${name}`, ready: "True", revision: "0123456789" },
    message: "a message that is too long for it",
  }));
  expect(formatReleases(releases, 50)).toEqual([
    "RELEASE   READY  REVISION    MESSAGE",
    "shop/api  True   0123456789  a message that is to…",
    "shop/web  True   0123456789  a message that is to…",
  ]);
  const frame = composeFrame({ releases, rows: [], footer: ["try"], columns: 50, lines: 20 });
  expect(frame.map((line) => line.split(" ")[0])).toEqual([
    ...["RELEASE", "shop/api", "shop/web", ""],
    ...["RESOURCE", "", "try"],
  ]);
});

describe("composeFrame() with events", () => {
  const rows = Array.from({ length: 6 }, (_, index) => ({
    ...{ resource: `Echo shop/e${index}`, ready: "True", reason: "Reconciled" },
    ...{ children: "none", commit: "none" },
  }));
  const events = ["Deployed", "Restored", "Pruned"].map((event, index) => ({
    ...{ time: `12:00:0${index}`, event, object: "Release shop/web" },
    message: `${event} a long story`,
  }));
  const shown = (lines: number | undefined) =>
    composeFrame({ rows, events, footer: ["try"], columns: 60, lines }).map((line) =>
      line.slice(0, 20).trimEnd(),
    );

  test("shows them between the tables and the lines to try, the newest last", () => {
    expect(shown(undefined).slice(6)).toEqual(
      [
        ...["Echo shop/e5", "", "TIME      LAST EVENT", "12:00:00  Deployed", "12:00:01  Restored"],
        ...["12:00:02  Pruned", "", "try"].map((line) => line.slice(0, 20)),
      ].map((line) => expect.stringMatching(new RegExp(`^${line}`))),
    );
  });

  test("shows the newest if there is not enough space, and never more lines than there are", () => {
    expect(
      shown(13)
        .filter((line) => line.startsWith("12:"))
        .map((line) => line.slice(0, 8)),
    ).toEqual(["12:00:01", "12:00:02"]);
    for (let lines = 6; lines < 20; lines++) expect(shown(lines).length).toBeLessThan(lines);
    expect(shown(5).filter((line) => line.startsWith("12:"))).toEqual([]);
  });
});
