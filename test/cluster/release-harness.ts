import { apiVersionOf } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import type { FakeGitRemote } from "../fakes/git-remote.ts";
import { applyObjects, kubectl } from "./fixture.ts";
import {
  aHarness,
  conditionOf,
  type Harness,
  type HarnessOptions,
  type SeenResource,
  untilCondition,
  untilGone,
  untilSeen,
  type Wanted,
} from "./harness.ts";
import { recordKeysIn } from "./install.ts";
import { RELEASE_RIGHTS } from "./shared-kinds.ts";

/** An operator for the Releases of one namespace, which read its repository. */
export interface ReleaseHarness extends Harness {
  /** The repository; branch `main`. */
  readonly source: FakeGitRemote;
  /** Commits files to the branch: manifests by path; `undefined` deletes one. Returns the commit. */
  commit(files: Readonly<Record<string, object | string | undefined>>, message?: string): string;
  /** Applies a Release from `path` (default: its name); further fields of the spec override the defaults. */
  release(name: string, spec?: Readonly<Record<string, unknown>>): Promise<SeenResource>;
  /** Deletes a Release and waits until it is deleted. */
  remove(name: string): Promise<void>;
  untilGone(name: string): Promise<void>;
  /** {@link untilCondition} of a Release. */
  until(name: string, wanted: Wanted): Promise<SeenResource>;
  /** Waits until a Release is Ready at a commit. */
  untilAt(name: string, commit: string): Promise<SeenResource>;
}

/** A harness whose operator reads Releases from its repository, and does not publish. */
export async function aReleaseHarness(options: HarnessOptions = {}): Promise<ReleaseHarness> {
  const harness = await aHarness({ rights: RELEASE_RIGHTS, publishes: false, ...options });
  const { namespace, start } = harness;
  await applyObjects(...recordKeysIn(namespace));
  const source = harness.repository.remote;
  const ofReleases = ["--releases", "--release-file-remotes", `--release-cache=${source.folder}/releases`];
  return {
    ...harness,
    source,
    start: (args = [], more = {}) => start([...ofReleases, ...args], more),
    commit: (files, message = "Change") => {
      const texts = Object.entries(files).map(([path, content]) => [
        path,
        typeof content === "object" ? JSON.stringify(content, undefined, 2) : content,
      ]);
      return source.commitByOthers(Object.fromEntries(texts), { message });
    },
    release: async (name, spec = {}) => {
      const from = { url: `file://${source.path}`, path: name };
      const [stored] = await applyObjects({
        apiVersion: apiVersionOf(Release),
        kind: Release.kind,
        metadata: { name, namespace },
        spec: { source: from, interval: "1s", render: { manifests: {} }, ...spec },
      });
      // It may be gone by now, if this change was what its deletion waited for.
      return stored as SeenResource;
    },
    until: (name, wanted) => untilCondition(Release, namespace, { name, ...wanted }),
    untilAt: (name, commit) =>
      untilSeen(Release, namespace, {
        name,
        what: `Release ${name} is Ready at ${commit}`,
        holds: (found) =>
          found.status?.["revision"] === commit && conditionOf(found, "Ready")?.status === "True",
      }),
    remove: async (name) => {
      await kubectl(["delete", "release", name, "-n", namespace, "--wait=false"]);
      await untilGone(`releases.${Release.group}`, name, namespace);
    },
    untilGone: (name) => untilGone(`releases.${Release.group}`, name, namespace),
  };
}

/** A ConfigMap as in a file, without a namespace. */
export function aConfigMapFile(name: string, data: Readonly<Record<string, string>>): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

/** A Deployment without pods. */
export function aDeploymentFile(name: string, image = "example.dev/web:1"): object {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
    },
  };
}
