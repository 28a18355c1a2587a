import { onTestFinished } from "vitest";
import { apiVersionOf } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { FakeGitRemote } from "../fakes/git-remote.ts";
import { aNamespace, applyObjects, eventually, kubectl } from "./fixture.ts";
import { conditionOf, type SeenResource, seen, untilGone } from "./harness.ts";
import { type RunningOperator, type StartOperatorOptions, startOperator } from "./operator.ts";
import { anOperatorUser, isWrite, lineOf, type OperatorUser } from "./operator-user.ts";
import { RELEASE_RIGHTS } from "./shared-kinds.ts";

/** An operator for the Releases of one namespace, their repository, and its requests to the API server. */
export interface ReleaseHarness {
  readonly namespace: string;
  /** Repository of the Releases; branch `main`. */
  readonly source: FakeGitRemote;
  readonly user: OperatorUser;
  start(args?: readonly string[], options?: Omit<StartOperatorOptions, "args">): Promise<RunningOperator>;
  /** Commits files to the branch: manifests by path; `undefined` deletes one. Returns the commit. */
  commit(files: Readonly<Record<string, object | string | undefined>>, message?: string): string;
  /** Applies a Release from `path` (default: its name); further fields of the spec override the defaults. */
  release(name: string, spec?: Readonly<Record<string, unknown>>): Promise<SeenResource>;
  /** Deletes a Release and waits until it is deleted. */
  remove(name: string): Promise<void>;
  untilGone(name: string): Promise<void>;
  /** Waits until a condition of a Release has this status and a matching message. */
  until(name: string, wanted: Wanted): Promise<SeenResource>;
  /** Waits until a Release is Ready at a commit. */
  untilAt(name: string, commit: string): Promise<SeenResource>;
  /** Writes of the operator since a time, such as `patch configmaps web 200`; without those of Events and Leases. */
  writes(since: Date): Promise<readonly string[]>;
}

export interface Wanted {
  readonly type?: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: RegExp;
}

/** A namespace, a source and a user of the test. */
export async function aReleaseHarness(): Promise<ReleaseHarness> {
  const namespace = await aNamespace();
  const source = new FakeGitRemote();
  onTestFinished(() => source[Symbol.dispose]());
  const user = await anOperatorUser(namespace, { rights: RELEASE_RIGHTS });
  const until: ReleaseHarness["until"] = (name, { type = "Ready", status, reason, message = /(?:)/ }) =>
    eventually(
      async () => {
        const release = await seen(Release, namespace, name);
        const condition = conditionOf(release, type);
        const isSo =
          condition?.status === status &&
          (reason === undefined || condition.reason === reason) &&
          message.test(condition.message) &&
          condition.observedGeneration === release.metadata.generation;
        if (!isSo) throw new Error(JSON.stringify(release.status ?? "no status"));
        return release;
      },
      { what: `Release ${name} is ${type}=${status} ${reason ?? ""} ${message}` },
    );
  return {
    namespace,
    source,
    user,
    until,
    start: (args = [], options = {}) =>
      startOperator({
        kubeconfigPath: user.kubeconfigPath,
        ...options,
        args: [
          `--namespace=${namespace}`,
          `--leader-elect-namespace=${namespace}`,
          "--releases",
          "--release-file-remotes",
          `--release-cache=${source.folder}/releases`,
          ...args,
        ],
      }),
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
    untilAt: async (name, commit) => {
      const release = await eventually(
        async () => {
          const found = await seen(Release, namespace, name);
          const isThere =
            found.status?.["revision"] === commit && conditionOf(found, "Ready")?.status === "True";
          if (!isThere) throw new Error(JSON.stringify(found.status ?? "no status"));
          return found;
        },
        { what: `Release ${name} is Ready at ${commit}` },
      );
      return release;
    },
    remove: async (name) => {
      await kubectl(["delete", "release", name, "-n", namespace, "--wait=false"]);
      await untilGone(`releases.${Release.group}`, name, namespace);
    },
    untilGone: (name) => untilGone(`releases.${Release.group}`, name, namespace),
    writes: async (since) => {
      const requests = await user.requests(since);
      const isAboutWork = ({ objectRef }: (typeof requests)[number]) =>
        !["events", "leases"].includes(objectRef?.resource ?? "");
      return requests.filter((request) => isWrite(request) && isAboutWork(request)).map(lineOf);
    },
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
