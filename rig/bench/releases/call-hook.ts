import { createHmac } from "node:crypto";

/** A hook of an operator on this machine. */
export interface Hook {
  readonly port: number;
  readonly name: string;
  /** The key of its signatures. */
  readonly secret: string;
}

/** Calls a hook like a git host after a push to the branch main. */
export async function callHook({ port, name, secret }: Hook, url: string): Promise<void> {
  const body = JSON.stringify({ ref: "refs/heads/main", repository: { clone_url: url } });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const { status } = await fetch(`http://127.0.0.1:${port}/hooks/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-signature": `sha256=${signature}` },
    body,
  });
  if (status >= 300) throw new Error(`The hook responded with ${status}`);
}
