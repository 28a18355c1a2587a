import { randomUUID } from "node:crypto";
import { type BadName, badFileOf, badReleases } from "./bad-releases.ts";
import type { ReleaseRig } from "./release-rig.ts";
import { push, type Watches } from "./scenarios.ts";
import { aRelease } from "./set-files.ts";

export interface BadNeighbour {
  readonly name: BadName;
  /** Push → live of other Releases, in milliseconds: without the bad Release (before and after), and with it. */
  readonly aloneMs: readonly number[];
  readonly besideMs: readonly number[];
}

/** Pushes to good Releases, first alone, then with one bad Release after the other. */
export async function pushBeside(
  rig: ReleaseRig,
  watches: Watches,
  { sets, pushes }: { readonly sets: number; readonly pushes: number },
): Promise<readonly BadNeighbour[]> {
  const pushAll = async (beside?: BadName): Promise<readonly number[]> =>
    (await push(rig, watches, { sets, pushes, tag: randomUUID().slice(0, 8), ...(beside && { beside }) }))
      .liveMs;
  const found: BadNeighbour[] = [];
  let before = await pushAll();
  for (const name of Object.keys(badReleases) as BadName[]) {
    const release = `bad-${name.replaceAll(" ", "-")}`;
    const [path] = badFileOf(name, 0);
    const folder = path.slice(0, path.lastIndexOf("/"));
    const url = `/apis/fairlead.dev/v1alpha1/namespaces/default/releases/${release}`;
    const { render } = badReleases[name];
    await rig.api.apply(
      url,
      aRelease({ url: rig.source.url, name: release, namespace: "default", path: folder, render }),
    );
    const key = `default/${release}`;
    await watches.releases.until(`${key} is seen to`, () => watches.releases.get(key)?.status !== undefined);
    const besideMs = await pushAll(name);
    await rig.api.send("DELETE", url);
    await watches.releases.until(`${key} is gone`, () => watches.releases.get(key) === undefined);
    const after = await pushAll();
    found.push({ name, aloneMs: [...before, ...after], besideMs });
    before = after;
  }
  return found;
}
