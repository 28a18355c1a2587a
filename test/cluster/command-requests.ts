import type { KubernetesObject } from "../../crds/object.ts";
import type { Answer, DirectApi, Resource } from "./direct.ts";
import type { KubectlCommand } from "./kubectl-command.ts";

/** The command must be run by kubectl itself, because it is not supported here or its error must come from kubectl. */
export class NotDirectly extends Error {}

/** The API server has rejected the request. kubectl would fail with the same message. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

export interface Named {
  readonly resource: Resource;
  readonly name: string;
}

/** The options of a command, and requests as the user that they name. */
export class CommandRequests {
  protected readonly api: DirectApi;
  protected readonly command: KubectlCommand;

  constructor(api: DirectApi, command: KubectlCommand) {
    this.api = api;
    this.command = command;
  }

  /** The objects of `job web other`, `job/web cronjob/tick` or `role,rolebinding web`. */
  protected async named(): Promise<[Named, ...Named[]]> {
    const [first = "", ...rest] = this.command.words;
    const pairs = first.includes("/")
      ? this.command.words.map((word) => word.split("/"))
      : first.split(",").flatMap((type) => rest.map((name) => [type, name]));
    const found: Named[] = [];
    for (const [type = "", name = "", ...more] of pairs) {
      if (type === "" || name === "" || more.length > 0) throw new NotDirectly();
      found.push({ resource: await this.api.resourceOf(type), name });
    }
    const [one, ...others] = found;
    if (one === undefined) throw new NotDirectly();
    return [one, ...others];
  }

  protected resourceOf(object: KubernetesObject): Promise<Resource> {
    return this.api.resourceOf(object).catch((cause: unknown) => {
      throw new NotDirectly("unknown kind", { cause });
    });
  }

  protected send(
    method: string,
    path: string,
    { type = "application/json", body }: { readonly type?: string; readonly body?: object } = {},
  ): Promise<Answer> {
    const headers: Record<string, string | readonly string[]> = {
      "content-type": type,
      // In the audit log, this identifies requests of a user.
      "user-agent": "kubectl",
    };
    const [user] = this.command.options.get("as") ?? [];
    if (user !== undefined) headers["impersonate-user"] = user;
    const groups = this.command.options.get("as-group");
    if (groups !== undefined) headers["impersonate-group"] = groups;
    for (const extra of this.command.options.get("as-user-extra") ?? []) {
      const [key = "", ...value] = extra.split("=");
      headers[`impersonate-extra-${encodeURIComponent(key)}`] = value.join("=");
    }
    return this.api.send(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  /** @throws Error with kubectl's message if it is forbidden; NotDirectly for any other failure, so that kubectl repeats it. */
  protected good<T>({ status, text }: Answer, doing = ""): T {
    if (status < 400) return JSON.parse(text) as T;
    if (status !== 403) throw new NotDirectly(text);
    const { reason, message } = JSON.parse(text) as { readonly reason?: string; readonly message?: string };
    throw new RefusedError(`Error from server (${reason}): ${doing}${message}`);
  }

  protected namespace(): string {
    return this.option("namespace") ?? "default";
  }

  protected option(name: string): string | undefined {
    return this.command.options.get(name)?.at(-1);
  }

  protected has(name: string): boolean {
    return this.command.options.has(name) && this.option(name) !== "false";
  }
}
