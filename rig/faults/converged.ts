import { controllerOf } from "../../crds/object.ts";
import type { SeenResource } from "../../test/cluster/harness.ts";
import type { AdminApi, SeenObject } from "./api.ts";
import type { GitServer } from "./git-server.ts";
import { listUncollected } from "./repair.ts";
import { editedKinds } from "./schedule.ts";
import {
  childKinds,
  childrenOf,
  fileOf,
  folderOf,
  kindOf,
  type Wanted,
  type WantedChild,
} from "./wanted-children.ts";

export interface ConvergedInput {
  readonly api: AdminApi;
  readonly git: GitServer;
  readonly namespace: string;
  readonly wanted: readonly Wanted[];
}

/**
 * The differences from the user's intent, in the cluster and on the branch. Empty: there is none.
 *
 * @param options.isLast If a status differs, also look at the objects, and at what garbage collection missed: they may show why.
 */
export async function findDifferences(
  input: ConvergedInput,
  { isLast = false }: { readonly isLast?: boolean } = {},
): Promise<readonly string[]> {
  const { api, namespace, wanted } = input;
  const lists = await Promise.all(
    editedKinds.map(async (kind) => [kind, await api.list(kindOf[kind], namespace)] as const),
  );
  const resources = new Map<string, SeenObject>(
    lists.flatMap(([kind, items]) => items.map((item) => [`${kind}/${item.metadata.name}`, item] as const)),
  );
  const keys = new Set<string>(wanted.map(({ kind, name }) => `${kind}/${name}`));
  const trees = await readTrees(input);
  const differences = [...resources.keys()]
    .filter((key) => !keys.has(key))
    .map((key) => `${key} should have been deleted`);
  for (const one of wanted) {
    const key = `${one.kind}/${one.name}`;
    const resource = resources.get(key) as SeenResource | undefined;
    if (resource === undefined) differences.push(`${key} is missing`);
    else differences.push(...findInStatus(key, resource, trees.get(folderOf(namespace, one))));
  }
  // Run the more expensive checks only if the others pass.
  if (differences.length > 0 && !isLast) return differences;
  const uids = new Map(
    [...resources.values()].map(({ kind, metadata }) => [metadata.uid, `${kind}/${metadata.name}`]),
  );
  const children = await findInChildren(input, uids);
  const found = [...differences, ...children];
  if (found.length === 0) return await findOnBranch(input);
  return isLast ? [...found, ...(await findUncollected(input))] : found;
}

function findInStatus(
  key: string,
  { metadata, status, spec }: SeenResource,
  tree: string | undefined,
): string[] {
  const found: string[] = [];
  const { generation } = metadata;
  if (status?.observedGeneration !== generation)
    found.push(`${key}: status is for generation ${status?.observedGeneration}, not ${generation}`);
  for (const type of ["Applied", "Healthy", "Ready", "Published"]) {
    const condition = status?.conditions?.find((one) => one.type === type);
    const isTrue = condition?.status === "True" && condition.observedGeneration === generation;
    if (!isTrue)
      found.push(`${key}: ${type} is ${condition?.status} ${condition?.reason}: ${condition?.message}`);
  }
  for (const type of ["Reconciling", "Stalled"])
    if (status?.conditions?.some((one) => one.type === type)) found.push(`${key}: still ${type}`);
  // A resource without children has an empty folder, which git does not store.
  if (tree !== undefined && status?.published?.tree !== tree)
    found.push(`${key}: status has tree ${status?.published?.tree}, the branch has ${tree}`);
  const counts: readonly [string, unknown, unknown][] = [
    ["copies", spec["copies"], status?.["copies"]],
    [
      "nodes",
      key.startsWith("PodSet/") ? spec["size"] : undefined,
      (status?.["nodes"] as [] | undefined)?.length,
    ],
  ];
  for (const [field, expected, seen] of counts)
    if (expected !== undefined && expected !== seen)
      found.push(`${key}: status.${field} is ${seen}, not ${expected}`);
  return found;
}

async function findInChildren(
  { api, namespace, wanted }: ConvergedInput,
  uids: ReadonlyMap<string, string>,
): Promise<string[]> {
  const found: string[] = [];
  const expected = new Map<string, { child: WantedChild; owner: string }>(
    wanted.flatMap((one) =>
      childrenOf(one).map(
        (child) => [`${child.kind.kind}/${child.name}`, { child, owner: `${one.kind}/${one.name}` }] as const,
      ),
    ),
  );
  for (const kind of childKinds) {
    const live = (await api.list(kind, namespace)).filter(isOurs);
    for (const { metadata, ...rest } of live) {
      const key = `${kind.kind}/${metadata.name}`;
      const entry = expected.get(key);
      expected.delete(key);
      const owner = uids.get(metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? "");
      if (entry === undefined)
        found.push(`${key} is an orphan or should have been deleted (owner: ${owner})`);
      else if (metadata.deletionTimestamp !== undefined) found.push(`${key} is terminating`);
      else if (owner !== entry.owner) found.push(`${key} belongs to ${owner}, not to ${entry.owner}`);
      else {
        const text = JSON.stringify(rest["spec"] ?? rest["data"]);
        for (const pattern of entry.child.patterns)
          if (!pattern.test(text)) found.push(`${key} does not match ${pattern}: ${text.slice(0, 200)}`);
      }
    }
  }
  return [...found, ...[...expected.keys()].map((key) => `${key} is missing`)];
}

function isOurs({ metadata }: SeenObject): boolean {
  return metadata.labels?.["fairlead.dev/set"] !== undefined;
}

async function findUncollected({ api, namespace }: ConvergedInput): Promise<string[]> {
  return (await listUncollected(api, namespace)).map((set) => {
    const owner = controllerOf(set);
    return `ReplicaSet/${set.metadata.name}: Deployment ${owner?.name} of uid ${owner?.uid} does not exist`;
  });
}

async function findOnBranch({ git, namespace, wanted }: ConvergedInput): Promise<string[]> {
  const found: string[] = [];
  if ((await git.head()) === undefined) return wanted.length === 0 ? [] : ["the branch does not exist"];
  const list = await git.git(["ls-tree", "-r", "-z", "--name-only", "main"]);
  const files = new Set(list.split("\0").filter((path) => path.startsWith(`${namespace}/`)));
  for (const one of wanted) {
    for (const child of childrenOf(one)) {
      const path = fileOf(namespace, one, child);
      if (!files.delete(path)) {
        found.push(`file ${path} is missing`);
        continue;
      }
      const text = await git.git(["cat-file", "blob", `main:${path}`]);
      for (const pattern of child.patterns)
        if (!pattern.test(text)) found.push(`file ${path} does not match ${pattern}`);
    }
  }
  return [...found, ...[...files].map((path) => `file ${path} should have been deleted`)];
}

/** Tree ids by path of all folders of the branch. */
async function readTrees({ git }: ConvergedInput): Promise<ReadonlyMap<string, string>> {
  if ((await git.head()) === undefined) return new Map();
  const list = await git.git(["ls-tree", "-r", "-d", "-z", "main"]);
  return new Map(
    list
      .split("\0")
      .filter(Boolean)
      .map((line) => {
        const [entry = "", path = ""] = line.split("\t");
        return [path, entry.split(" ")[2] ?? ""] as const;
      }),
  );
}
