import { setTimeout as sleep } from "node:timers/promises";
import type { BenchApi } from "../load/bench-api.ts";
import { aRelease } from "../releases/set-files.ts";
import type { WatchedObjects } from "../releases/watched-objects.ts";
import type { GitFolder } from "./git-folder.ts";
import { changedFiles, folderOf, type Part, parts } from "./hostile-files.ts";

const namespace = "hostile";
/** Prefix of branches to which the tenant may publish, but to which pushes are rejected. */
export const refusedBranches = "hostile-";
const releasesPath = `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/releases`;
const policyPath = `/apis/fairlead.dev/v1alpha1/releasepolicies/${namespace}`;

const PUSH_MS = 2_000;
const EDIT_MS = 50;
/** Time after which the tenant has used its initial burst. */
const SETTLE_MS = 5_000;

export interface HostileTenantOptions {
  readonly api: BenchApi;
  readonly git: GitFolder;
  readonly releases: WatchedObjects;
  /** The tenant's actions. */
  readonly does: readonly Part[];
}

/** A tenant that exhausts every limit: endless programs, a big folder, Releases that change, pushes that fail. */
export class HostileTenant {
  readonly #options: HostileTenantOptions;
  #version = 0;
  /** Part of the names of its Releases: those of an earlier round must not delay them. */
  #round = 0;
  #stop: AbortController | undefined;
  #work: Promise<unknown> = Promise.resolve();
  /** Condition reasons of its Releases so far. */
  readonly seen = new Set<string>();

  constructor(options: HostileTenantOptions) {
    this.#options = options;
  }

  /** Created once by the platform: a namespace, and the limits that the tenant exhausts. */
  static async prepare(api: BenchApi): Promise<void> {
    await api.send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    await api.apply(policyPath, {
      apiVersion: "fairlead.dev/v1alpha1",
      kind: "ReleasePolicy",
      metadata: { name: namespace },
      spec: {
        rules: [
          {
            namespaces: { names: [namespace] },
            publish: [{ branch: `${refusedBranches}*`, path: "." }],
            // The big folder must be read, but not applied: that would measure the API server.
            quotas: { programSeconds: 30, objects: 100 },
          },
        ],
      },
    });
  }

  /** @param options.isSuspended Whether its Releases are suspended: then it pushes and edits, and the operator renders nothing. */
  async begin(options: { readonly isSuspended: boolean }): Promise<void> {
    const { api, git, does } = this.#options;
    this.#round += 1;
    for (const part of does)
      for (let index = 0; index < parts[part]; index++)
        await api.apply(
          `${releasesPath}/${this.#nameOf(part, index)}`,
          this.#releaseOf(part, index, options),
        );
    const stop = new AbortController();
    this.#stop = stop;
    const push = (): Promise<void> => git.push(changedFiles(++this.#version));
    let edits = 0;
    const edit = (): Promise<unknown> => {
      const path = `${releasesPath}/${this.#nameOf("many", edits++ % parts.many)}`;
      return api.send("PATCH", path, { spec: { interval: `${1 + (edits % 50)}s` } });
    };
    const work = [every(PUSH_MS, stop.signal, push)];
    if (does.includes("many")) work.push(every(EDIT_MS, stop.signal, edit));
    this.#work = Promise.all(work);
    this.#work.catch(() => undefined);
    await sleep(SETTLE_MS);
  }

  /** Removes all of its objects, and waits until they are deleted. */
  async end(): Promise<void> {
    const { api, releases } = this.#options;
    this.#stop?.abort();
    await this.#work;
    const own = (): readonly string[] =>
      [...releases.objects.keys()].filter((key) => key.startsWith(`${namespace}/`));
    for (const key of own())
      for (const { type, status, reason } of releases.get(key)?.status?.conditions ?? [])
        if (status !== "True" && reason !== "Suspended")
          this.seen.add(`${key.slice(namespace.length + 1).replace(/(-\d+)+$/, "")} ${type} ${reason}`);
    await api.send("DELETE", releasesPath);
    await releases.until("the hostile tenant's Releases are gone", () => own().length === 0);
    await sleep(SETTLE_MS);
  }

  #nameOf(part: Part, index: number): string {
    return `${part}-${index}-${this.#round}`;
  }

  #releaseOf(part: Part, index: number, { isSuspended }: { readonly isSuspended: boolean }): object {
    const { url } = this.#options.git;
    const name = this.#nameOf(part, index);
    const render = part === "loops" ? { program: { inputs: { index }, timeout: "168h" } } : { manifests: {} };
    const path = folderOf(part, index);
    const release = aRelease({ url, name, namespace, path, render }) as { readonly spec: object };
    const publish = part === "refused" ? { publish: { branch: `${refusedBranches}${index}` } } : {};
    return { ...release, spec: { ...release.spec, interval: "1s", suspend: isSuspended, ...publish } };
  }
}

/** Repeats an action with this pause until the signal. */
async function every(pauseMs: number, signal: AbortSignal, act: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await act();
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
