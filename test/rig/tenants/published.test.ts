import { describe, expect, onTestFinished, test } from "vitest";
import { chanceFrom } from "../../../rig/faults/random.ts";
import { makeAction } from "../../../rig/tenants/actions.ts";
import { placeOf } from "../../../rig/tenants/policies.ts";
import { findPublishViolations, PublishedFeed } from "../../../rig/tenants/published.ts";
import { FakeGitRemote } from "../../fakes/git-remote.ts";

const parties = { victim: "v", attacker: "a" };
const of = (namespace: string): string => `${namespace}/releases.fairlead.dev/shop/configmap-web.yaml`;

describe("findPublishViolations()", () => {
  test.for([
    { what: "the attacker's own folder", path: of("a"), found: 0 },
    { what: "its folder at a location that is granted to it", path: `apps/a/${of("a")}`, found: 0 },
    { what: "below that location", path: `apps/a/below/${of("a")}`, found: 0 },
    { what: "its branch", branch: "of-a", path: `any/${of("a")}`, found: 0 },
    { what: "another branch", branch: "of-a-beside", path: of("a"), found: 0 },
    { what: "the operator's owner file", branch: "of-a", path: "any/.fairlead.yaml", found: 0 },
    { what: "the victim's folder while it edits", path: of("v"), found: 0 },
    { what: "the victim's folder while it does nothing", path: of("v"), isQuiet: true, found: 1 },
    { what: "a location that is no longer allowed", path: `apps/a/${of("a")}`, isAllowed: false, found: 1 },
    { what: "its own folder without a policy", path: of("a"), isAllowed: false, found: 0 },
    { what: "the victim's location", path: `apps/v/${of("a")}`, found: 1 },
    { what: "the victim's branch", branch: "of-v", path: of("a"), found: 1 },
    { what: "a Release in the victim's folder", path: `v/${of("a")}`, found: 1 },
    { what: "the victim's Release in the attacker's location", path: `apps/a/${of("v")}`, found: 1 },
    { what: "another branch", branch: "anything", path: of("a"), found: 1 },
    { what: "the root", path: "README.md", found: 1 },
    { what: "workflows", path: `.github/workflows/${of("a")}`, found: 1 },
  ])("$what: $found", ({ branch = "main", path, isQuiet = false, isAllowed = true, found }) => {
    const news = { commits: [{ branch, id: "c", changed: [path] }], lost: [] };
    expect(findPublishViolations(news, { parties, isQuiet, isAllowed })).toHaveLength(found);
  });

  test("a branch that lost a commit", () => {
    const options = { parties, isQuiet: false, isAllowed: true };
    expect(findPublishViolations({ commits: [], lost: ["main"] }, options)).toHaveLength(1);
  });
});

describe("PublishedFeed", () => {
  test("returns each commit of each branch once, with its changes, and branches that were rewritten or deleted", () => {
    const remote = new FakeGitRemote();
    onTestFinished(() => remote[Symbol.dispose]());
    const first = remote.commitByOthers({ a: "1" });
    const feed = new PublishedFeed(remote);
    expect(feed.take()).toEqual({ commits: [], lost: [] });
    const second = remote.commitByOthers({ a: undefined, b: "2" });
    const side = remote.commitByOthers({ c: "3" }, { branch: "side" });
    expect(feed.take()).toEqual({
      commits: [
        { branch: "main", id: second, changed: ["a", "b"] },
        { branch: "side", id: side, changed: ["c"] },
      ],
      lost: [],
    });
    remote.resetTo(first);
    remote.git(["update-ref", "-d", "refs/heads/side"]);
    expect(feed.take()).toEqual({ commits: [], lost: ["main", "side"] });
  });
});

describe("makeAction()", () => {
  test("contains programs, and all types of locations to publish to", () => {
    const chance = chanceFrom(7);
    const actions = Array.from({ length: 2_000 }, () => makeAction(chance));
    const requested = actions.flatMap((action) => (action.does === "release" ? [action.spec] : []));
    expect(new Set(requested.map(({ program }) => program)).size).toBe(5);
    const places = requested.flatMap(({ publish }) => (publish ? [placeOf(publish, "a", "v")] : []));
    const paths = new Set(places.map(({ path }) => path));
    expect(paths).toContain("apps/a/../v");
    expect(paths).toContain("./apps/v//");
    expect(new Set(places.map(({ branch }) => branch))).toContain("of-v");
  });
});
