import { describe, expect, test } from "vitest";
import { placeIdOf } from "../../../operator/engine/place-id.ts";

const place = { url: "https://git.example.dev/team/deploy.git", branch: "main", root: "clusters/one" };
const id = placeIdOf(place);

describe("placeIdOf()", () => {
  test("is the same in every version: another id would be a write for every resource", () => {
    expect(id).toBe("6b1a17861dc6b4dc");
  });

  test.for([
    "https://git.example.dev/team/deploy/",
    "https://GIT.example.dev:8443/team/deploy",
    "https://ann:pass@git.example.dev/team/deploy.git",
    "https://ann:p@ss@git.example.dev/team/deploy.git",
    "ssh://git@git.example.dev:2222/team/deploy.git",
    "git@git.example.dev:team/deploy.git",
  ])("identifies the repository as %s", (url) => {
    expect(placeIdOf({ ...place, url })).toBe(id);
  });

  test.for([
    ["ssh://git@[::1]:2222/team/deploy.git", "ann@[::1]:team/deploy"],
    ["file:///srv/deploy.git", "/srv/deploy.git/"],
  ] as const)("identifies %s as %s", ([url, again]) => {
    expect(placeIdOf({ ...place, url: again })).toBe(placeIdOf({ ...place, url }));
  });

  test.for([
    { what: "host", other: { url: "https://git.example.com/team/deploy.git" } },
    { what: "repository", other: { url: "https://git.example.dev/team/other.git" } },
    { what: "branch", other: { branch: "env" } },
    { what: "path", other: { root: "clusters/two" } },
    { what: "path: none", other: { root: "" } },
    { what: "cut between branch and path", other: { branch: "main/clusters", root: "one" } },
  ])("distinguishes another $what", ({ other }) => {
    expect(placeIdOf({ ...place, ...other })).not.toBe(id);
  });
});
