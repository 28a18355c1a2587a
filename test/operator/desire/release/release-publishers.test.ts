import { expect, test } from "vitest";
import type { OpenPlaceOptions } from "../../../../operator/compose/compose-publisher.ts";
import { ReleasePublishers } from "../../../../operator/desire/release/release-publishers.ts";
import type { GitPublisher } from "../../../../operator/git/publish/git-publisher.ts";

/** A publisher that records the requests to it. */
function aPublisher(name: string, did: string[]): GitPublisher {
  return {
    publish: () => ({ state: "pending", sinceMs: 0 }),
    retire: (folder) => void did.push(`${name} retires ${folder}`),
    start: () => void did.push(`${name} starts`),
    sweep: () => void did.push(`${name} sweeps`),
    close: async () => void did.push(`${name} closes`),
    sweepState: { state: "idle" },
    stats: {} as GitPublisher["stats"],
  };
}

test("each location has one publisher with a separate clone, and that of the operator is not opened again", async () => {
  const did: string[] = [];
  const opened: OpenPlaceOptions[] = [];
  const publishers = new ReleasePublishers({
    repository: { url: "https://git.example.dev/deploy.git", branch: "main", root: "" },
    publisher: aPublisher("own", did),
    open: (options) => {
      opened.push(options);
      return aPublisher(`${options.branch}:${options.root}`, did);
    },
    claimOf: (folder, { branch }) => (folder === branch ? "wanted" : "gone"),
    trailersOf: () => [],
  });
  const prod = { branch: "env", root: "prod" };
  expect(publishers.at(prod)).toBe(publishers.at({ ...prod }));
  publishers.at({ branch: "env", root: "dev" });
  publishers.retire("a/b.c/d", { branch: "main", root: "" });
  publishers.retire("a/b.c/d", prod);
  await publishers.close({ flushMs: 0 });
  expect(did).toEqual([
    "env:prod starts",
    "env:prod sweeps",
    "env:dev starts",
    "env:dev sweeps",
    "own retires a/b.c/d",
    "env:prod retires a/b.c/d",
    "env:prod closes",
    "env:dev closes",
  ]);
  expect(opened.map(({ branch, root }) => ({ branch, root }))).toEqual([
    prod,
    { branch: "env", root: "dev" },
  ]);
  expect(opened[0]?.claimOf("env")).toBe("wanted");
});
