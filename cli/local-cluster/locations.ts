import { join } from "node:path";

/** Folders of the local cluster. */
export interface Locations {
  /** Built control plane binaries: a cache that can be deleted. */
  readonly cacheDirectory: string;
  /** One folder per named cluster. */
  readonly stateDirectory: string;
  /** Binaries that the user provides, if `KUBEBUILDER_ASSETS` is set. */
  readonly assetsDirectory: string | undefined;
}

export interface ResolveLocationsInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/**
 * Determines the folders of cache and state: our own variables, then those of XDG, then the system's convention. Pure.
 */
export function resolveLocations({ env, home, platform }: ResolveLocationsInput): Locations {
  const isMac = platform === "darwin";
  const cacheHome = isMac ? join(home, "Library", "Caches") : join(home, ".cache");
  const stateHome = isMac ? join(home, "Library", "Application Support") : join(home, ".local", "state");
  return {
    cacheDirectory:
      given(env["FAIRLEAD_CACHE"]) ?? join(given(env["XDG_CACHE_HOME"]) ?? cacheHome, "fairlead"),
    stateDirectory:
      given(env["FAIRLEAD_STATE"]) ?? join(given(env["XDG_STATE_HOME"]) ?? stateHome, "fairlead"),
    assetsDirectory: given(env["KUBEBUILDER_ASSETS"]),
  };
}

/** An empty variable counts as not set. */
function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
