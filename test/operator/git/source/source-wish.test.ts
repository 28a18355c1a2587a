import { describe, expect, test } from "vitest";
import type { ReleaseSpec } from "../../../../crds/release.ts";
import { readSourceWish } from "../../../../operator/git/source/source-wish.ts";

const url = "https://git.example.dev/team/app.git";
type Ref = ReleaseSpec["source"]["ref"];

function wishOf(source: { url?: string; ref?: Ref; path?: string }, revision?: string, allowFile = false) {
  const whole = { url, ref: { branch: "main" }, path: ".", ...source };
  return readSourceWish({ source: whole, revision }, { allowFile });
}

describe("readSourceWish()", () => {
  test.for([
    [".", []],
    ["", []],
    ["./a//b/", ["a", "b"]],
    ["a/./b", ["a", "b"]],
    ["/a", ["a"]],
    ["a b/ü", ["a b", "ü"]],
    [".github", [".github"]],
  ] as const)("parses the path %j as %j", ([path, segments]) => {
    expect(wishOf({ path }).segments).toEqual(segments);
  });

  test.for(["..", "a/../b", "a/..", ".git", "a/.GIT/hooks", "a\nb", "a\u0000b"])(
    "rejects the path %j",
    (path) => {
      expect(() => wishOf({ path })).toThrow(expect.objectContaining({ reason: "SourceInvalid" }));
    },
  );

  test.for([
    [{ branch: "main" }, "refs/heads/main"],
    [{ branch: "feature/x" }, "refs/heads/feature/x"],
    [{ branch: "--upload-pack=touch" }, "refs/heads/--upload-pack=touch"],
    [{ tag: "v1" }, "refs/tags/v1"],
    [{ semver: "^1" }, "semver:^1"],
    [{ commit: "a".repeat(40) }, "a".repeat(40)],
  ] as const)("maps %j to %s", ([ref, refKey]) => {
    expect(wishOf({ ref }).refKey).toBe(refKey);
  });

  test("prefers the pin to the ref", () => {
    expect(wishOf({ ref: { branch: "main" } }, "b".repeat(64)).ref).toEqual({
      kind: "commit",
      id: "b".repeat(64),
    });
  });

  test.for([
    ...[
      "",
      "a b",
      "a..b",
      "a:b",
      "a^",
      "a~1",
      "a@{1}",
      "@",
      "/a",
      "a/",
      "a//b",
      ".a",
      "a/.b",
      "a.lock",
      "a.",
      "*",
      "a\\b",
      "a\nb",
    ].map((branch): Ref => ({ branch })),
    { tag: "v1^{}" },
    { semver: "main" },
    { commit: "abc" },
  ])("rejects the ref %j", (ref) => {
    expect(() => wishOf({ ref })).toThrow(expect.objectContaining({ reason: "SourceInvalid" }));
  });

  test.for([
    "--upload-pack=touch /tmp/x",
    "ext::sh -c touch% x",
    "http://git.example.dev/x",
    "git://git.example.dev/x",
    "https://me:hunter2@git.example.dev/x",
    "ssh://-oProxyCommand=x/y",
    "git@-oProxyCommand=x:y",
    "git@host:--upload-pack=x",
    "file:///srv/x.git",
    "/srv/x.git",
    "https:///etc",
    "fd::17",
  ])("rejects the URL %j without repeating a secret", (text) => {
    expect(() => wishOf({ url: text })).toThrow(expect.objectContaining({ reason: "SourceInvalid" }));
    expect(() => wishOf({ url: text })).not.toThrow(/hunter2/);
  });

  test("accepts repositories of this machine if that is allowed", () => {
    expect(wishOf({ url: "file:///srv/x.git" }, undefined, true).remote.protocol).toBe("file");
  });
});
