import type { ReleaseSpec } from "../../../crds/release.ts";
import { refOf } from "../../../crds/source.ts";
import { unsafeSegmentOf } from "../../engine/git-objects.ts";
import { repositoryIdOf } from "../../engine/place-id.ts";
import type { PublishState } from "../../ports.ts";
import { type Place, trimFolder } from "./publish-place.ts";

/** The location in the operator's repository to which a Release is published. Its own folder is below `root`. */
export type PublishTarget = Place;

export interface OperatorRepository extends PublishTarget {
  readonly url: string;
}

export type Refused = Extract<PublishState, { readonly state: "failed" }>;

const branchName = /^(?![-/.])(?!.*(\.\.|\/\/|@\{|\.lock(\/|$)))[\w./-]+(?<![./])$/;
/**
 * Decides the location to which a Release is published, or why it is rejected: an invalid branch or path, or a location within
 * the source of the Release, where every commit of the operator would cause another one. Pure.
 *
 * @param folder The Release's folder below the root.
 */
export function decidePublishTarget(
  { publish, source }: Pick<ReleaseSpec, "publish" | "source">,
  folder: string,
  repository: OperatorRepository,
): PublishTarget | Refused {
  const branch = publish?.branch ?? repository.branch;
  const root = publish?.path === undefined ? repository.root : trimFolder(publish.path);
  if (!branchName.test(branch)) return refuse(`publish.branch "${branch}" is not a valid branch name`);
  if (root !== "" && unsafeSegmentOf(root) !== undefined)
    return refuse(`publish.path "${root}" is not a relative folder without ., .. and .git`);
  const target = { branch, root };
  if (branch === repository.branch && isInAFolderOfOurs(root, repository.root))
    return refuse(`publish.path "${root}" is inside the folder of a resource`);
  if (!isLoop(source, below(root, folder), { ...repository, ...target })) return target;
  return refuse(
    `${below(root, folder)} on branch ${branch} overlaps the source of the Release: each commit would trigger ` +
      "the next one. Set publish.path or publish.branch to a place outside of source.path",
  );
}

/** Whether a commit to `path` would change the source. A source at a tag or a commit id does not change. */
function isLoop(source: ReleaseSpec["source"], path: string, { url, branch }: OperatorRepository): boolean {
  if (refOf(source).branch !== branch || repositoryIdOf(source.url) !== repositoryIdOf(url)) return false;
  const from = trimFolder(source.path);
  return from === "" || from === path || path.startsWith(`${from}/`) || from.startsWith(`${path}/`);
}

function below(root: string, folder: string): string {
  return root === "" ? folder : `${root}/${folder}`;
}

/** Whether a root is inside a resource's folder, where its files would be reverted as manual edits. */
function isInAFolderOfOurs(root: string, ours: string): boolean {
  const inside = ours === "" ? root : root.startsWith(`${ours}/`) ? root.slice(ours.length + 1) : "";
  return /^[^/.][^/]*\/[^/.][^/]*\.[^/]+\/[^/]+/.test(inside);
}

function refuse(why: string): Refused {
  return { state: "failed", reason: "PublishRefused", message: `Cannot publish: ${why}` };
}
