import type { ObjectId } from "../../synth/manifest.ts";

/** `Deployment shop/web`: an object's id, for users. */
export function describeId(id: ObjectId): string {
  const [, kind = "", namespace = "", ...name] = id.split("/");
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name.join("/")}`;
}

/** `1 object`, `3 objects`. */
export function countObjects(amount: number): string {
  return `${amount} object${amount === 1 ? "" : "s"}`;
}
