import { describe, expect, test } from "vitest";
import { down, readStatus, runDirectoryOf } from "../../../cli/local-cluster/named-cluster.ts";

describe("a named cluster", () => {
  const env = { FAIRLEAD_STATE: "/nonexistent/state" };

  test("is in a folder with its name", () => {
    expect(runDirectoryOf({ name: "team-2", env })).toBe("/nonexistent/state/clusters/team-2");
  });

  test.for(["", "..", "a/b", "-a", "a-", "Team", "a".repeat(41)])('cannot be called "%s"', (name) => {
    expect(() => runDirectoryOf({ name, env })).toThrow(`Cannot use the cluster name "${name}"`);
  });

  test("that does not exist has no status, and nothing to stop", async () => {
    expect(await readStatus({ name: "none", env })).toBeUndefined();
    expect(await down({ name: "none", env })).toBe(false);
  });
});
