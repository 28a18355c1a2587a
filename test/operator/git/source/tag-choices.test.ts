import { describe, expect, test } from "vitest";
import type { RemoteRefs } from "../../../../operator/git/remote-refs.ts";
import { TagChoices } from "../../../../operator/git/source/tag-choices.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";

/** The digest of refs is that of their names: equal digests mean equal refs. */
const refsOf = (...tags: readonly string[]): RemoteRefs => ({
  ids: new Map(tags.map((tag) => [`refs/tags/${tag}`, "a".repeat(40)])),
  digest: tags.join(),
});

describe("TagChoices", () => {
  test("chooses again only when the refs have changed", async () => {
    const choices = new TagChoices(new FakeClock());
    const before = refsOf("v1.0.0", "v1.1.0");
    expect(await choices.choose(before, "^1")).toBe("refs/tags/v1.1.0");
    expect(await choices.choose(before, "^2")).toBeUndefined();
    choices.rest();
    // If these refs were read, the result would differ.
    const same = { ids: new Map<string, string>(), digest: before.digest };
    expect(await choices.choose(same, "^1")).toBe("refs/tags/v1.1.0");
    expect(await choices.choose(refsOf("v1.2.0"), "^1")).toBe("refs/tags/v1.2.0");
  });
});
