import { describe, expect, test } from "vitest";
import { readOwnerFile, writeOwnerFile } from "../../../../operator/git/publish/owner-file.ts";

const owner = { cluster: "kube-system-uid", lease: "fairlead/fairlead" };

describe("readOwnerFile()", () => {
  test("reads the written file", () => {
    expect(readOwnerFile(writeOwnerFile(owner))).toEqual({ owner, approveSweep: undefined });
  });

  test.for([
    { text: "approveSweep: sweep-12ab", approveSweep: "sweep-12ab" },
    { text: "approveSweep: 12", approveSweep: "12" },
    { text: "approveSweep:", approveSweep: undefined },
    { text: "approveSweep: { toString: 1 }", approveSweep: undefined },
    { text: "approveSweep: [a]", approveSweep: undefined },
    { text: "__proto__: { approveSweep: a }", approveSweep: undefined },
  ])("reads $approveSweep as the approval in $text", ({ text, approveSweep }) => {
    expect(readOwnerFile(`${writeOwnerFile(owner)}${text}\n`)).toEqual({ owner, approveSweep });
  });

  // Without the limit the conversion takes minutes, and the test runner aborts it after 20 seconds.
  test.for(["? ", "- ? ", "{", "[", "!", "&a ", "a: 1\n? "])("reads 2 KiB of %j quickly", (unit) => {
    expect(readOwnerFile(unit.repeat(2_048 / unit.length))).toBe("unreadable");
  });

  test.for(["", "a text", "owner: { cluster: [a], lease: b }", "a: &a x\nb: *a", "[".repeat(4_000), "\0"])(
    "does not accept %s as a file of the operator",
    (text) => {
      expect(readOwnerFile(text)).toBe("unreadable");
    },
  );
});
