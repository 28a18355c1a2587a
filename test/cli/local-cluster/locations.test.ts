import { describe, expect, test } from "vitest";
import { resolveLocations } from "../../../cli/local-cluster/locations.ts";

describe("resolveLocations()", () => {
  const linux = { home: "/home/ann", platform: "linux" } as const;
  const nothing = {
    cacheDirectory: "/home/ann/.cache/fairlead",
    stateDirectory: "/home/ann/.local/state/fairlead",
  };

  test.for([
    { does: "follows the system's convention", env: {}, gives: nothing },
    {
      does: "follows the XDG variables",
      env: { XDG_CACHE_HOME: "/c", XDG_STATE_HOME: "/s" },
      gives: { cacheDirectory: "/c/fairlead", stateDirectory: "/s/fairlead" },
    },
    {
      does: "prefers our own variables, unchanged",
      env: { XDG_CACHE_HOME: "/c", FAIRLEAD_CACHE: "/mine", FAIRLEAD_STATE: "/kept" },
      gives: { cacheDirectory: "/mine", stateDirectory: "/kept" },
    },
    {
      does: "treats an empty variable as not set",
      env: { FAIRLEAD_CACHE: "", XDG_STATE_HOME: "" },
      gives: nothing,
    },
    {
      does: "passes on KUBEBUILDER_ASSETS",
      env: { KUBEBUILDER_ASSETS: "/k" },
      gives: { ...nothing, assetsDirectory: "/k" },
    },
  ])("$does", ({ env, gives }) => {
    expect(resolveLocations({ env, ...linux })).toEqual({ assetsDirectory: undefined, ...gives });
  });

  test("uses the folders of a Mac on a Mac", () => {
    const { cacheDirectory } = resolveLocations({ env: {}, home: "/Users/ann", platform: "darwin" });
    expect(cacheDirectory).toBe("/Users/ann/Library/Caches/fairlead");
  });
});
