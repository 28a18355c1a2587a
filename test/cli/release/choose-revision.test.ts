import { describe, expect, test } from "vitest";
import {
  choosePrevious,
  chooseRevision,
  UnknownRevisionError,
} from "../../../cli/release/choose-revision.ts";
import { aRelease, commitId, deployed } from "./a-release.ts";

const history = [deployed("cccc1"), deployed("bbbb1", "Failed"), deployed("aaaa2"), deployed("aaaa1")];

describe("chooseRevision()", () => {
  test.for([
    { says: "1", means: "cccc1" },
    { says: "4", means: "aaaa1" },
    { says: "bbbb", means: "bbbb1" },
    { says: "AAAA1", means: "aaaa1" },
    { says: commitId("dddd"), means: "dddd" },
  ])("resolves $says to $means", ({ says, means }) => {
    const { revision, entry } = chooseRevision(aRelease({ status: { history } }), says);
    expect(revision).toBe(commitId(means));
    expect(entry?.revision).toBe(means === "dddd" ? undefined : revision);
  });

  test.for([
    { says: "5", why: /no number 5/ },
    { says: "0", why: /no number 0/ },
    { says: "aaaa", why: /more than one commit begins with aaaa/ },
    { says: "dddd", why: /needs its full id/ },
    { says: "main", why: /neither a number of the history nor a commit id/ },
    { says: "aa", why: /neither/ },
    { says: "--upload-pack=x", why: /neither/ },
  ])("does not guess the meaning of $says, and shows the existing revisions", ({ says, why }) => {
    const choose = () => chooseRevision(aRelease({ status: { history } }), says);
    expect(choose).toThrow(UnknownRevisionError);
    expect(choose).toThrow(why);
    expect(choose).toThrow(/REVISION[\s\S]*bbbb100000/);
  });
});

describe("choosePrevious()", () => {
  const previous = (ids: readonly ReturnType<typeof deployed>[], attempted?: string) =>
    choosePrevious(
      aRelease({ status: { history: ids, ...(attempted && { attempted: commitId(attempted) }) } }),
    ).revision;

  test.for([
    { does: "selects the previous one", ids: [deployed("b"), deployed("a")], to: "a" },
    {
      does: "skips failed ones",
      ids: [deployed("c"), deployed("b", "Failed"), deployed("a")],
      to: "a",
    },
    {
      does: "leaves a failed one",
      ids: [deployed("b", "Failed"), deployed("a")],
      attempted: "b",
      to: "a",
    },
    {
      does: "leaves one that is in progress",
      ids: [deployed("b", "Progressing"), deployed("a")],
      attempted: "b",
      to: "a",
    },
    {
      does: "selects the deployed one if a newer one could not be deployed",
      ids: [deployed("b"), deployed("a")],
      attempted: "c",
      to: "b",
    },
    {
      does: "selects an older one the second time, and not a newer one",
      ids: [deployed("b"), deployed("c"), deployed("b"), deployed("a")],
      attempted: "b",
      to: "a",
    },
  ])("$does", ({ ids, attempted, to }) => {
    expect(previous(ids, attempted)).toBe(commitId(to));
  });

  test("reports that there is no earlier revision", () => {
    expect(() => previous([deployed("a")])).toThrow(/no earlier revision was ready/);
    expect(() => previous([])).toThrow(/its history is empty/);
  });
});
