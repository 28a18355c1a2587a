import { type ReleaseObject, shortCommit } from "./release-object.ts";

/** The plan of a commit that a Release does not run, in one line; empty without a plan. Pure. */
export function describeNext({ status }: Pick<ReleaseObject, "status">): readonly string[] {
  const { next } = status ?? {};
  if (next === undefined) return [];
  const commit = `commit ${shortCommit(next.revision)} is planned`;
  if (next.error !== undefined) return [`${commit}, and cannot be applied: ${next.error}`];
  const { create = 0, change = 0, delete: gone = 0, held = 0, mutableImages = 0 } = next;
  const counts = [
    `${create} to create`,
    `${change} to change`,
    `${gone} to delete`,
    ...(held === 0 ? [] : [`${held} to delete after approval`]),
    ...(mutableImages === 0
      ? []
      : [`${mutableImages} ${mutableImages === 1 ? "image" : "images"} without a digest`]),
  ];
  return [`${commit}: ${counts.join(", ")}`];
}
