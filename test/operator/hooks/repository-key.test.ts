import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repositoryKeyOf } from "../../../operator/hooks/repository-key.ts";

describe("repositoryKeyOf()", () => {
  test.for([
    "https://git.example.com/shop/web",
    "https://git.example.com/shop/web.git",
    "https://git.example.com/shop/web/",
    "https://Git.Example.com:8443/Shop/Web.git",
    "https://user:token@git.example.com/shop/web.git",
    "http://git.example.com//shop/web.git/",
    "ssh://git@git.example.com/shop/web.git",
    "ssh://git@git.example.com:2222/shop/web",
    "git@git.example.com:shop/web.git",
    "git@git.example.com:/shop/web.git",
    "git.example.com:shop/web",
    "git://git.example.com/shop/web.git",
    "git+ssh://git@git.example.com/shop/web.git",
    "https://git.example.com/shop/%77eb",
  ])("considers %s the same repository as all of these", (url) => {
    expect(repositoryKeyOf(url)).toBe("git.example.com/shop/web");
  });

  test.for([
    ["https://git.example.com/shop/web", "https://git.example.com/shop/web2"],
    ["https://git.example.com/shop/web", "https://git.example.org/shop/web"],
    ["https://git.example.com/shop/web", "https://git.example.com/web"],
    ["file:///srv/Web.git", "file:///srv/web.git"],
    ["file:///srv/web.git", "https://srv/web.git"],
  ])("distinguishes %s and %s", ([one = "", other = ""]) => {
    expect(repositoryKeyOf(one)).toBeDefined();
    expect(repositoryKeyOf(one)).not.toBe(repositoryKeyOf(other));
  });

  test.for([
    "",
    "web",
    "https://git.example.com",
    "https://git.example.com/.git",
    "--upload-pack=x",
    "https://git.example.com/%zz",
    `https://git.example.com/${"a".repeat(2_100)}`,
  ])("finds no repository in %j", (url) => {
    expect(repositoryKeyOf(url)).toBeUndefined();
  });

  test("never throws, for any input", () => {
    const part = fc.stringMatching(/^[-a-z.:@/%?#[\]]{0,20}$/);
    const address = fc
      .tuple(fc.constantFrom("https://", "ssh://", "file://", "git@", ""), part, part)
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(fc.string(), address), (url) => {
        expect(["string", "undefined"]).toContain(typeof repositoryKeyOf(url));
      }),
    );
  });
});
