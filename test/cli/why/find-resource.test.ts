import { describe, expect, test } from "vitest";
import { kinds } from "../../../charts/bindings.ts";
import { findResource } from "../../../cli/why/find-resource.ts";
import { aRelease } from "../release/a-release.ts";
import { aGreeting, aPodSet, aSession, discovery } from "./a-session.ts";

const release = aRelease();
const session = aSession({
  "/apis/fairlead.dev/v1alpha1/namespaces/shop/releases/web": release,
  "/apis/apps.jicki.cn/v1alpha1/namespaces/shop/podsets/web": aPodSet(),
  ...discovery,
  "/apis/example.dev/v1/namespaces/shop/greetings/hello": aGreeting(),
  "/apis/apps.jicki.cn/v1alpha1/namespaces/other/podsets/far": aPodSet({ name: "far", namespace: "other" }),
});
const find = (text: string) => findResource(text, { session, kinds });

describe("KIND/NAME", () => {
  test.for(["web", "we", "release/web", "rel/web", "releases.fairlead.dev/web", "Release/shop/web"])(
    "%s is a Release",
    async (text) => {
      expect(await find(text)).toEqual({ release });
    },
  );

  test.for([
    { text: "podset/web", name: "web" },
    { text: "PodSets.apps.jicki.cn/web", name: "web" },
    { text: "podset/other/far", name: "far" },
  ])("$text is a resource of a kind", async ({ text, name }) => {
    expect(await find(text)).toMatchObject({ resource: { kind: "PodSet", metadata: { name } } });
  });

  test.for(["greeting/hello", "Greetings.example.dev/hello", "greetings/shop/hello"])(
    "%s is a resource of a kind that another program serves",
    async (text) => {
      expect(await find(text)).toMatchObject({
        resource: { metadata: { name: "hello" } },
        kind: { group: "example.dev", version: "v1", plural: "greetings" },
      });
    },
  );

  test.for([
    { text: "deployment/web", says: /, or a custom kind of the cluster$/ },
    { text: "deployment/web", says: /expected KIND\/NAME, with KIND one of release, echo, .*podset/ },
    { text: "podset/none", says: /Cannot find PodSet "none": in namespace "shop" there are web$/ },
    { text: "podset/empty/none", says: /there is no PodSet in namespace "empty"$/ },
    { text: "release/none", says: /Cannot find Release "none"/ },
  ])("$text lists the existing resources", async ({ text, says }) => {
    await expect(find(text)).rejects.toThrow(says);
  });
});
