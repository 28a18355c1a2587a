import { expect, test } from "vitest";
import { aConfigMapFile, aDeploymentFile, aReleaseStory } from "./release-story.ts";

const aService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
};
const aServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "web" } };

test("a set of four objects costs six writes and no read, an edit two, and nothing costs nothing", async () => {
  const story = await aReleaseStory();
  const { commit, user } = story;
  const files = (colour: string) => ({
    "shop/web.json": aConfigMapFile("web", { colour }),
    "shop/deployment.json": aDeploymentFile("web"),
    "shop/service.json": aService,
    "shop/account.json": aServiceAccount,
    "other/other.json": aConfigMapFile("other", {}),
  });
  const first = commit(files("blue"));
  const operator = await story.start();
  await operator.untilLogged("Watching");
  const begin = new Date();
  await story.release("shop");
  await story.untilAt("shop", first);
  expect((await story.writes(begin)).toSorted()).toEqual([
    "patch configmaps web 201",
    "patch deployments web 201",
    "patch releases shop 200",
    "patch releases/status shop 200",
    "patch serviceaccounts web 201",
    "patch services web 201",
  ]);
  const reads = (await user.requests(begin)).filter(({ verb, objectRef }) => verb === "get" && objectRef?.name !== undefined);
  expect(reads.filter(({ objectRef }) => objectRef?.resource !== "leases")).toEqual([]);

  await story.release("other");
  await story.until("other", { status: "True" });
  const edit = new Date();
  const second = commit(files("green"));
  await story.untilAt("shop", second);
  expect(await story.writes(edit)).toEqual(["patch configmaps web 200", "patch releases/status shop 200"]);

  // Killed and started again, it finds everything as it should be.
  await operator.stop("SIGKILL");
  const restart = new Date();
  const again = await story.start();
  await again.untilLogged("Watching");
  const third = commit(files("red"));
  await story.untilAt("shop", third);
  expect(await story.writes(restart)).toEqual(["patch configmaps web 200", "patch releases/status shop 200"]);
});
