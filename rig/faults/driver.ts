import { Job } from "../../crds/core-kinds.ts";
import type { AdminApi } from "./api.ts";
import type { Edit } from "./schedule.ts";
import { childrenOf, kindOf, specOf, type Wanted } from "./wanted-children.ts";

/** The user. Edits resources one after the other, and records the desired state. */
export class Driver {
  readonly wanted = new Map<string, Wanted>();
  /** Number of reasons to run an Echo's Job, by name. */
  readonly jobCauses = new Map<string, number>();
  readonly #api: AdminApi;
  readonly #namespace: string;

  constructor(api: AdminApi, namespace: string) {
    this.#api = api;
    this.#namespace = namespace;
  }

  async perform(edit: Edit): Promise<void> {
    const { does, kind, name } = edit;
    const key = `${kind}/${name}`;
    const known = this.wanted.get(key);
    if (does === "apply") {
      const wanted: Wanted = { kind, name, version: edit.version, size: edit.size };
      if (kind === "Echo") this.#addCause(name);
      await this.#api.apply(kindOf[kind], {
        metadata: { name, namespace: this.#namespace },
        spec: specOf(wanted),
      });
      this.wanted.set(key, wanted);
    } else if (known === undefined) return;
    else if (does === "delete") {
      await this.#api.delete(kindOf[kind], this.#namespace, name);
      this.wanted.delete(key);
    } else await this.#touchChild(known, does);
  }

  async #touchChild(resource: Wanted, does: "delete-child" | "edit-child"): Promise<void> {
    const children = childrenOf(resource);
    const child = children[resource.version % children.length];
    if (child === undefined) return;
    if (does === "delete-child") {
      if (child.kind === Job) this.#addCause(resource.name);
      await this.#api.delete(child.kind, this.#namespace, child.name);
      return;
    }
    const patch = handEdits[child.kind.kind];
    if (patch !== undefined) await this.#api.patch(child.kind, this.#namespace, child.name, patch);
  }

  #addCause(name: string): void {
    this.jobCauses.set(name, (this.jobCauses.get(name) ?? 0) + 1);
  }
}

/** Manual changes of a child of the operator. There is none for a Job, because nearly all of its fields are immutable. */
const handEdits: Readonly<Record<string, object>> = {
  ConfigMap: { data: { text: "by hand" } },
  Deployment: { spec: { replicas: 3 } },
  CronJob: { spec: { schedule: "1 1 1 1 *" } },
  Service: { spec: { type: "ClusterIP" } },
};
