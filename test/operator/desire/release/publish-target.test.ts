import { describe, expect, test } from "vitest";
import { Release } from "../../../../crds/release.ts";
import { decidePublishTarget } from "../../../../operator/desire/release/publish-target.ts";

const repository = { url: "https://git.example.dev/team/deploy.git", branch: "main", root: "clusters/one" };
const folder = "shop/releases.fairlead.dev/web";

const decide = ({ publish = {}, source = {} }: { publish?: object; source?: object }) => {
  const spec = Release.spec.parse({
    source: { url: "https://git.example.dev/team/shop.git", ...source },
    render: { manifests: {} },
    publish,
  });
  return decidePublishTarget(spec, folder, repository);
};

describe("decidePublishTarget()", () => {
  test.for([
    { does: "defaults to the operator's location", target: { branch: "main", root: "clusters/one" } },
    {
      does: "accepts another branch",
      publish: { branch: "env/prod" },
      target: { branch: "env/prod", root: "clusters/one" },
    },
    {
      does: "accepts another folder",
      publish: { path: "./prod/" },
      target: { branch: "main", root: "prod" },
    },
    {
      does: "takes a folder with a colon",
      publish: { path: "apps:prod" },
      target: { branch: "main", root: "apps:prod" },
    },
    {
      does: "reads a path from the root",
      publish: { path: "/prod" },
      target: { branch: "main", root: "prod" },
    },
    {
      does: "accepts the root of a branch",
      publish: { branch: "env", path: "." },
      target: { branch: "env", root: "" },
    },
  ])("$does", ({ publish = {}, target }) => {
    expect(decide({ publish })).toEqual(target);
  });

  test.for([
    { what: "a path that leaves the repository", publish: { path: "../up" } },
    { what: "a path with a line break", publish: { path: "a\nb" } },
    { what: "a path that leaves the repository behind another line", publish: { path: "a\u2028/../../b" } },
    { what: "a path in git's own folder", publish: { path: "apps/.git" } },
    { what: "a branch that is an option", publish: { branch: "--force" } },
    { what: "a branch with a parent path", publish: { branch: "a/../b" } },
    { what: "a folder of a resource of ours", publish: { path: "clusters/one/shop/echos.mmontes.io/hello" } },
  ])("refuses $what", ({ publish }) => {
    expect(decide({ publish })).toMatchObject({ state: "failed", reason: "PublishRefused" });
  });

  describe("refuses a location inside the source, for any notation of the repository's URL", () => {
    const loop = { branch: "env", path: "rendered" };
    test.for([
      { url: "https://git.example.dev/team/deploy.git" },
      { url: "https://git.example.dev/team/deploy/" },
      { url: "ssh://git@git.example.dev:2222/team/deploy.git" },
      { url: "git@git.example.dev:team/deploy.git" },
      { url: "https://GIT.example.dev/team/deploy", path: "rendered" },
      { url: "https://git.example.dev/team/deploy", path: "rendered/shop/releases.fairlead.dev/web/deeper" },
    ])("$url $path", (source) => {
      const decided = decide({ publish: loop, source: { ...source, ref: { branch: "env" } } });
      expect(decided).toMatchObject({
        state: "failed",
        message: expect.stringContaining("overlaps the source"),
      });
    });
  });

  test.for([
    { what: "another branch", source: { ref: { branch: "main" } } },
    { what: "a tag", source: { ref: { tag: "v1" } } },
    { what: "another folder", source: { ref: { branch: "env" }, path: "rendered-not" } },
    {
      what: "another repository",
      source: { url: "https://git.example.dev/team/other", ref: { branch: "env" } },
    },
  ])("accepts a location of the same repository outside the source: $what", ({ source }) => {
    const url = repository.url;
    expect(decide({ publish: { branch: "env", path: "rendered" }, source: { url, ...source } })).toEqual({
      branch: "env",
      root: "rendered",
    });
  });

  test.for([
    { what: "no ref", ref: undefined, isLoop: true },
    {
      what: "a tag beside the branch that was stored by default",
      ref: { branch: "main", tag: "v1" },
      isLoop: false,
    },
  ])("determines whether a commit to main changes the source: $what", ({ ref, isLoop }) => {
    const source = { url: repository.url, ...(ref && { ref }) };
    const decided = decide({ publish: { branch: "main", path: "rendered" }, source });
    expect("state" in decided).toBe(isLoop);
  });
});
