import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../../crds/object.ts";
import { CommandRequests, NotDirectly, RefusedError } from "./command-requests.ts";
import { type Answer, type DirectApi, pathOf, withoutManagers } from "./direct.ts";
import type { KubectlCommand } from "./kubectl-command.ts";

/** The supported options of each verb. */
const understood: Readonly<Record<string, readonly string[]>> = {
  apply: ["filename", "server-side", "force-conflicts", "field-manager", "dry-run", "output"],
  create: ["filename", "dry-run", "output", "duration", "bound-object-kind", "bound-object-name"],
  delete: ["filename", "wait", "ignore-not-found", "cascade"],
  get: ["output", "selector", "all-namespaces"],
  patch: ["patch", "type", "subresource", "field-manager"],
  replace: ["filename", "dry-run", "output"],
};
const everywhere = ["namespace", "as", "as-group", "as-user-extra"];
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const patchTypes: Readonly<Record<string, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

/**
 * Runs the most frequent commands as requests: a process of kubectl takes 0.1 s of processor time, and a request a millisecond.
 *
 * @throws NotDirectly if kubectl must run the command. No object has been changed then.
 */
export async function runDirectly(
  api: DirectApi,
  command: KubectlCommand,
  input: readonly KubernetesObject[] | undefined,
): Promise<string> {
  const allowed = [...everywhere, ...(understood[command.verb] ?? [])];
  if (![...command.options.keys()].every((name) => allowed.includes(name))) throw new NotDirectly();
  return await new DirectCommand(api, command, input).run();
}

class DirectCommand extends CommandRequests {
  readonly #input: readonly KubernetesObject[] | undefined;

  constructor(api: DirectApi, command: KubectlCommand, input: readonly KubernetesObject[] | undefined) {
    super(api, command);
    this.#input = input;
  }

  run(): Promise<string> {
    const { verb, words } = this.command;
    const isFromInput = this.#input !== undefined && this.option("filename") === "-" && words.length === 0;
    // With several objects, some could be written before one fails.
    const isOne = this.#input?.length === 1;
    if (verb === "apply" && isFromInput && this.has("server-side")) return this.#write("apply");
    if ((verb === "create" || verb === "replace") && isFromInput && isOne) return this.#write(verb);
    if (verb === "create" && this.#input === undefined) return this.#create();
    if (verb === "delete" && (this.#input === undefined || isFromInput)) return this.#delete();
    if (verb === "get" && this.#input === undefined) return this.#get();
    if (verb === "patch" && this.#input === undefined) return this.#patch();
    throw new NotDirectly();
  }

  async #write(verb: "apply" | "create" | "replace"): Promise<string> {
    const query = new URLSearchParams({
      fieldManager: this.option("field-manager") ?? (verb === "apply" ? "kubectl" : `kubectl-${verb}`),
      fieldValidation: "Strict",
    });
    const dryRun = this.option("dry-run");
    if (dryRun !== undefined && dryRun !== "server") throw new NotDirectly();
    if (dryRun !== undefined) query.set("dryRun", "All");
    if (verb === "apply") query.set("force", String(this.has("force-conflicts")));
    const written: KubernetesObject[] = [];
    for (const object of this.#input ?? []) {
      const resource = await this.resourceOf(object);
      const { name, namespace = this.namespace() } = object.metadata ?? {};
      if (resource.namespaced && this.has("namespace") && namespace !== this.namespace())
        throw new NotDirectly();
      if (name === undefined && verb !== "create") throw new NotDirectly();
      const path = pathOf(resource, namespace, verb === "create" ? undefined : name);
      const metadata = { ...object.metadata, ...(resource.namespaced && { namespace }) };
      const body = { ...object, metadata };
      if (verb === "replace") {
        const { metadata: live } = this.good<KubernetesObject>(await this.send("GET", path));
        Object.assign(metadata, { resourceVersion: live.resourceVersion });
      }
      const method = { apply: "PATCH", create: "POST", replace: "PUT" }[verb];
      const type = verb === "apply" ? "application/apply-patch+yaml" : "application/json";
      const doing = {
        apply: "",
        create: 'error when creating "STDIN": ',
        replace: 'error when replacing "STDIN": ',
      };
      const sent = await this.send(method, `${path}?${query}`, { type, body });
      const live = this.good<KubernetesObject>(sent, doing[verb]);
      // Then kubectl would take over the fields of its client-side apply.
      if (verb === "apply" && live.metadata.annotations?.[lastApplied] !== undefined) throw new NotDirectly();
      written.push(live);
    }
    const done = { apply: "serverside-applied", create: "created", replace: "replaced" }[verb];
    const printed = dryRun === undefined ? done : `${done} (server dry run)`;
    if (!this.has("output")) return written.map((one) => `${nameOf(one)} ${printed}\n`).join("");
    const [only] = written;
    if (this.option("output") !== "json" || only === undefined || written.length > 1) throw new NotDirectly();
    return JSON.stringify(withoutManagers(only));
  }

  /** Namespaces, ServiceAccounts and their tokens. */
  async #create(): Promise<string> {
    const [type = "", name = "", ...more] = this.command.words;
    const namespace = this.namespace();
    if (name === "" || more.length > 0 || this.has("output") || this.has("dry-run")) throw new NotDirectly();
    if (type === "token") {
      const account = await this.api.resourceOf("serviceaccounts");
      const [, hours] = /^(\d+)h$/.exec(this.option("duration") ?? "1h") ?? [];
      const pod = this.option("bound-object-name");
      if (hours === undefined || (pod !== undefined && this.option("bound-object-kind") !== "Pod"))
        throw new NotDirectly();
      const boundObjectRef = pod !== undefined && { apiVersion: "v1", kind: "Pod", name: pod };
      const body = {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: Number(hours) * 3_600, ...(boundObjectRef && { boundObjectRef }) },
      };
      const path = `${pathOf(account, namespace, name)}/token`;
      const made = this.good<{ status: { token: string } }>(await this.send("POST", path, { body }));
      return `${made.status.token}\n`;
    }
    const kind = { namespace: "Namespace", serviceaccount: "ServiceAccount" }[type];
    if (kind === undefined || this.command.options.size > (this.has("namespace") ? 1 : 0))
      throw new NotDirectly();
    const path = pathOf(await this.api.resourceOf(type), namespace);
    const body = { apiVersion: "v1", kind, metadata: { name } };
    this.good(await this.send("POST", `${path}?fieldManager=kubectl-create`, { body }));
    return `${type}/${name} created\n`;
  }

  async #delete(): Promise<string> {
    const propagation = { background: "Background", foreground: "Foreground", orphan: "Orphan" }[
      this.option("cascade") ?? "background"
    ];
    if (propagation === undefined) throw new NotDirectly();
    const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: propagation };
    const deleted: { readonly path: string; readonly uid: unknown }[] = [];
    for (const path of await this.#pathsToDelete()) {
      const answer = await this.send("DELETE", path, { body });
      if (answer.status === 404 && this.has("ignore-not-found")) continue;
      this.good(answer);
      deleted.push({ path, uid: uidOf(answer) });
    }
    if (this.option("wait") !== "false")
      for (const { path, uid } of deleted) await this.#untilGone(path, uid);
    return deleted.map(({ path }) => `${path} deleted\n`).join("");
  }

  async #pathsToDelete(): Promise<string[]> {
    if (this.#input === undefined)
      return (await this.named()).map(({ resource, name }) => pathOf(resource, this.namespace(), name));
    const paths: string[] = [];
    for (const object of this.#input) {
      const { name, namespace = this.namespace() } = object.metadata;
      paths.push(pathOf(await this.resourceOf(object), namespace, name));
    }
    return paths;
  }

  /** Waits for the deletion. Another object may have the same name afterwards. */
  async #untilGone(path: string, uid: unknown): Promise<void> {
    if (uid === undefined) throw new RefusedError(`${path} has no uid`);
    const started = performance.now();
    for (
      let answer = await this.send("GET", path);
      uidOf(answer) === uid;
      answer = await this.send("GET", path)
    ) {
      if (performance.now() - started > 240_000)
        throw new RefusedError(`${path} is not deleted within 240 s`);
      await sleep(50);
    }
  }

  async #get(): Promise<string> {
    const output = this.option("output") ?? "";
    const [, path] = /^jsonpath=\{((?:\.[a-zA-Z]+)+)\}$/.exec(output) ?? [];
    if (path === undefined && output !== "json" && output !== "name") throw new NotDirectly();
    const [types = "", name, ...more] = this.command.words;
    if (more.length > 0 || types.includes("/")) throw new NotDirectly();
    if (name !== undefined) {
      const [{ resource }] = await this.named();
      const answer = await this.send("GET", pathOf(resource, this.namespace(), name));
      const object = withoutManagers(this.good<KubernetesObject>(answer));
      if (output === "name") return `${nameOf(object)}\n`;
      return path === undefined ? JSON.stringify(object) : textAt(object, path);
    }
    if (path !== undefined) throw new NotDirectly();
    const selector = this.option("selector");
    const query = selector === undefined ? "" : `?labelSelector=${encodeURIComponent(selector)}`;
    const items: KubernetesObject[] = [];
    for (const type of types.split(",")) {
      const resource = await this.api.resourceOf(type);
      const { base, kind, plural, group, version } = resource;
      const place = this.has("all-namespaces") ? `${base}/${plural}` : pathOf(resource, this.namespace());
      const list = this.good<{ items: KubernetesObject[] }>(await this.send("GET", `${place}${query}`));
      const apiVersion = group === "" ? version : `${group}/${version}`;
      items.push(...list.items.map((item) => withoutManagers({ ...item, apiVersion, kind })));
    }
    if (output === "name") return items.map((item) => `${nameOf(item)}\n`).join("");
    return JSON.stringify({ apiVersion: "v1", kind: "List", items });
  }

  async #patch(): Promise<string> {
    const type = patchTypes[this.option("type") ?? "strategic"];
    const [{ resource, name }, ...more] = await this.named();
    if (type === undefined || more.length > 0) throw new NotDirectly();
    const manager = this.option("field-manager") ?? "kubectl-patch";
    const path = [
      pathOf(resource, this.namespace(), name),
      ...(this.command.options.get("subresource") ?? []),
    ];
    const body = JSON.parse(this.option("patch") ?? "");
    this.good(await this.send("PATCH", `${path.join("/")}?fieldManager=${manager}`, { type, body }));
    return `${name} patched\n`;
  }
}

/** `deployment.apps/web`, as in `-o name`. */
function nameOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  const [version, group] = apiVersion.split("/").toReversed();
  return `${kind.toLowerCase()}${group === undefined || version === undefined ? "" : `.${group}`}/${metadata.name}`;
}

/** The uid of an object, or of the object of a deletion's status. */
function uidOf({ status, text }: Answer): unknown {
  if (status >= 400) return undefined;
  type WithUid = { readonly uid?: string } | undefined;
  const { metadata, details } = JSON.parse(text) as {
    readonly metadata?: WithUid;
    readonly details?: WithUid;
  };
  return metadata?.uid ?? details?.uid;
}

/** What `-o jsonpath` prints for a path of names. */
function textAt(object: object, path: string): string {
  let value: unknown = object;
  for (const key of path.split(".").slice(1)) value = (value as Record<string, unknown> | undefined)?.[key];
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
