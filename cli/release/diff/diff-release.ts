import type { CustomResource } from "../../../crds/object.ts";
import { Release, releaseAnnotations } from "../../../crds/release.ts";
import { KubeCluster } from "../../../operator/cluster/kube-cluster.ts";
import { toLiveObject } from "../../../operator/cluster/live-object.ts";
import { prepareManifests } from "../../../operator/desire/release/prepare-manifests.ts";
import { decidePrune } from "../../../operator/engine/decide-prune.ts";
import type { DesiredSet } from "../../../operator/engine/desired-set.ts";
import type { ShapeOf } from "../../../operator/engine/field-shape.ts";
import type { SourceFiles } from "../../../operator/git/source/ports.ts";
import type { Cluster } from "../../../operator/ports.ts";
import { renderOnce } from "../../../operator/render/render-once.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import type { SynthesizableKind } from "../../../synth/synthesize.ts";
import { readKinds } from "../read-kinds.ts";
import type { ReleaseSession } from "../release-command.ts";
import { labelOfRelease, type ReleaseObject, shortCommit } from "../release-object.ts";
import { comparePlain } from "./compare-plain.ts";
import { compareRelease, type DryCluster } from "./compare-release.ts";
import { findOwned } from "./find-owned.ts";
import { renderRelease } from "./render-release.ts";
import { type DiffReport, pruneChanges } from "./report.ts";

export interface DiffReleaseOptions {
  readonly session: ReleaseSession;
  readonly shapeOf: ShapeOf;
  /** A folder of this machine instead of the repository's folder. */
  readonly folder: string | undefined;
  /** Full id of a commit; undefined: the source's ref. */
  readonly revision: string | undefined;
  readonly timeoutMs: number;
  /** Read untrusted files even if the kernel cannot isolate the processes that handle them. */
  readonly weakSandbox: boolean;
  /** Namespaces that exist once something else of the same file is applied. */
  readonly coming?: ReadonlySet<string> | undefined;
  /** Gets the manifests as they would be applied. */
  readonly onPrepared?: (prepared: DesiredSet) => void;
}

/** Changes and prunes of deploying a Release. The Release may exist only in a file. */
export async function diffRelease(
  wanted: ReleaseObject,
  { session, shapeOf, onPrepared, coming, ...options }: DiffReleaseOptions,
): Promise<DiffReport> {
  const { client, transport } = session;
  const { rendered, commits } = await renderRelease(wanted, { client, ...options });
  const kinds = await readKinds(transport);
  const there = (await client.read(Release, wanted.metadata)) as ReleaseObject | undefined;
  const release = withIdentityOf(wanted, there);
  const resource = toLiveObject(release) as CustomResource<ReleaseObject["spec"], ReleaseObject["status"]>;
  const prepared = prepareManifests(rendered, resource, kinds);
  onPrepared?.(prepared);
  const { finished } = release.status?.inventory ?? {};
  const cluster = dryCluster(session);
  const changes = await compareRelease({ resource, prepared, cluster, kinds, shapeOf, finished, coming });
  const owned = await findOwned(release, prepared.set, { client, kinds });
  const prune = decidePrune({
    resource,
    set: prepared.set,
    owned,
    desired: prepared,
    isOn: release.spec.prune,
    deployed: release.status?.inventory?.deployed,
    approved: release.metadata.annotations?.[releaseAnnotations.approvePrune],
    approvals: commits.map(({ id }) => id),
    waves: release.status?.inventory?.waves,
  });
  return {
    title: titleOf(release, commits.at(-1)),
    changes: [...changes, ...pruneChanges(prune)],
    digest: prepared.digest,
    held: prune.held?.message,
    warnings: rendered.warnings ?? [],
  };
}

/** Changes of applying the manifests of some files. */
export async function diffManifests({
  title,
  files,
  session,
  shapeOf,
  bindings,
}: {
  readonly title: string;
  readonly files: SourceFiles;
  readonly session: ReleaseSession;
  readonly shapeOf: ShapeOf;
  /** The kinds of custom resources whose objects are compared as well. */
  readonly bindings: readonly SynthesizableKind[];
}): Promise<DiffReport> {
  const request = {
    key: title,
    namespace: session.namespace,
    render: { manifests: {} },
    revision: { tree: "local", repositoryId: "local", files },
  };
  const programs = { run: () => Promise.reject(new Error("Cannot run a program: there is none")) };
  const rendered = await renderOnce(request, { clock: systemClock(), programs });
  const kinds = await readKinds(session.transport);
  const { namespace, client } = session;
  const cluster = dryCluster(session);
  const changes = await comparePlain({ rendered, cluster, kinds, shapeOf, namespace, client, bindings });
  return { title, changes, held: undefined, warnings: rendered.warnings ?? [] };
}

/** The API server with the permissions of the kubeconfig's user, for dry runs only. */
export function dryCluster({
  transport,
}: Pick<ReleaseSession, "transport">): DryCluster & Pick<Cluster, "add"> {
  return new KubeCluster({ transport, fence: { check() {} }, clock: systemClock(), dryRun: true });
}

/** A Release of a file, with the fields that only the cluster can provide. */
function withIdentityOf(wanted: ReleaseObject, there: ReleaseObject | undefined): ReleaseObject {
  if (there === undefined) return wanted;
  const { uid, generation, annotations } = there.metadata;
  const metadata = {
    ...wanted.metadata,
    uid,
    generation,
    annotations: { ...annotations, ...wanted.metadata.annotations },
  };
  return { ...wanted, metadata, ...(there.status && { status: there.status }) };
}

function titleOf(
  release: ReleaseObject,
  commit: { readonly id: string; readonly subject: string } | undefined,
): string {
  const at = commit === undefined ? "" : ` at ${shortCommit(commit.id)} (${commit.subject})`;
  return `Release ${labelOfRelease(release)}${at}`;
}
