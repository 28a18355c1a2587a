import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { composeCommitMessage } from "../../../operator/engine/commit-message.ts";
import { describeTrailers } from "../../../operator/engine/commit-trailers.ts";

const reason = (value: string) => describeTrailers([{ key: "Fairlead-Reason", value }]);

describe("describeTrailers()", () => {
  test.for([
    { value: "checkout is down", shows: "checkout is down" },
    { value: "ada@example.dev at noon", shows: "ada@example.dev at noon" },
    { value: "for @team", shows: "for @ team" },
    { value: "a\n\nApproved-by: mallory", shows: "a Approved-by: mallory" },
    { value: "a\r\nb\u2028c\u0085d\u000be", shows: "a b c d e" },
    { value: "x".repeat(1_024), shows: "x".repeat(200) },
  ])("shows $value on one line", ({ value, shows }) => {
    expect(reason(value)).toEqual([`Fairlead-Reason: ${shows}`]);
  });

  test.for(["", " ", "\n\n", "\u202e"])("leaves out a trailer without a value: %j", (value) => {
    expect(reason(value)).toEqual([]);
  });

  test.for([
    "Fairlead-Lease",
    "fairlead-lease",
    "FAIRLEAD-Lease",
    "Fairlead-Resource",
    "a b",
    "-",
    "A-",
    "A:",
    "",
  ])("omits the key %j, which is reserved for the operator or invalid", (key) => {
    expect(describeTrailers([{ key, value: "x/99" }])).toEqual([]);
  });

  test("has at most 32 trailers", () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      key: "Fairlead-Approved-By",
      value: `u${index}`,
    }));
    expect(describeTrailers(many)).toHaveLength(32);
  });

  test("no text adds a trailer to the message of a commit", () =>
    fc.assert(
      fc.property(strangersText, strangersText, (by, why) => {
        const trailers = describeTrailers([
          { key: "Fairlead-Promotion", value: "shop/shop-prod-1" },
          { key: "Fairlead-Approved-By", value: by },
          { key: "Fairlead-Reason", value: why },
        ]);
        const message = composeCommitMessage({
          applied: [{ title: "Release shop/web", generation: 1, trailers }],
          removed: [],
          version: "0.1.0",
          lease: { leaseUid: "u", transitions: 1 },
        });
        const [, last = ""] = message.trimEnd().split("\n\n");
        const keys = last.split("\n").map((line) => line.slice(0, line.indexOf(":")));
        const own = ["Fairlead-Resource", "Fairlead-Version", "Fairlead-Lease"];
        const given = ["Fairlead-Promotion", "Fairlead-Approved-By", "Fairlead-Reason"];
        expect(message.trimEnd().split(/\n\s*\n/)).toHaveLength(2);
        expect(keys.filter((key) => own.includes(key))).toEqual(own);
        expect(keys.filter((key) => !own.includes(key) && !given.includes(key))).toEqual([]);
        expect(new Set(keys).size).toBe(keys.length);
        expect(last.split("\n").every((line) => [...line].length < 300)).toBe(true);
      }),
    ));
});

/** Ends of lines, trailers, and characters that change how a line is shown, often. */
const strangersText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\n", "\r\n", "\n\n", "\u2028", "\u0085", "\u000b", "\u202e", "\ud800", " "),
      fc.constantFrom("Fairlead-Lease: u/99", "Fairlead-Approved-By: boss", "Approved-by: boss", "---"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
