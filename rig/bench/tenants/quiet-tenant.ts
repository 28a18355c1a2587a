import { setTimeout as sleep } from "node:timers/promises";
import type { ReleaseRig } from "../releases/release-rig.ts";
import { imageIn, type Watches } from "../releases/scenarios.ts";
import { imageOf, namespaceOf, setName } from "../releases/set-files.ts";
import type { EditKind } from "./report.ts";

const namespace = namespaceOf(0);
const SERVICES = 10;
const LATE_MS = 60_000;
const PAUSE_MS = 200;

/** A tenant with Releases and custom resources that edits one of them at a time. */
export class QuietTenant {
  readonly #rig: ReleaseRig;
  readonly #watches: Watches;
  readonly #sets: number;
  #edits = 0;

  constructor(rig: ReleaseRig, watches: Watches, sets: number) {
    this.#rig = rig;
    this.#watches = watches;
    this.#sets = sets;
  }

  /** Creates its custom resources, and waits until their Deployments exist. */
  async fill(): Promise<void> {
    for (let index = 0; index < SERVICES; index++) {
      const name = `quiet-${index}`;
      await this.#rig.api.apply(servicePath(name), {
        apiVersion: "app.kubebuilder.io/v1",
        kind: "EasyService",
        metadata: { name, namespace },
        spec: { size: 0, image: imageOf("first") },
      });
    }
    for (let index = 0; index < SERVICES; index++)
      await this.#untilImage(`${namespace}/quiet-${index}`, imageOf("first"));
  }

  /** Makes this number of edits. @returns The times from the edit until the watch event of the changed object, in milliseconds. */
  async edit(kind: EditKind, count: number): Promise<readonly number[]> {
    const tookMs: number[] = [];
    for (let edit = 0; edit < count; edit++) {
      tookMs.push(await (kind === "resource" ? this.#editResource() : this.#editRelease()));
      // Wait, so that edits do not affect each other.
      await sleep(PAUSE_MS);
    }
    return tookMs;
  }

  async #editResource(): Promise<number> {
    const name = `quiet-${this.#edits % SERVICES}`;
    const image = imageOf(`e${++this.#edits}`);
    const startMs = performance.now();
    await this.#rig.api.send("PATCH", servicePath(name), { spec: { image } });
    return (await this.#untilImage(`${namespace}/${name}`, image)) - startMs;
  }

  /** Pushes, and measures from the call of the hook: the push itself depends on the tenant and the git host only. */
  async #editRelease(): Promise<number> {
    const index = (this.#edits * 37) % this.#sets;
    const version = `e${++this.#edits}`;
    await this.#rig.source.pushSet(index, version);
    const startMs = performance.now();
    const called = this.#rig.callHook();
    const liveMs = await this.#untilImage(`${namespaceOf(index)}/${setName(index)}`, imageOf(version));
    await called;
    return liveMs - startMs;
  }

  #untilImage(key: string, image: string): Promise<number> {
    const { deployments } = this.#watches;
    return deployments.until(`${key} has ${image}`, () => imageIn(deployments.get(key)) === image, LATE_MS);
  }
}

function servicePath(name: string): string {
  return `/apis/app.kubebuilder.io/v1/namespaces/${namespace}/easyservices/${name}`;
}
