import { App, Chart } from "cdk8s";
import { WriteFences } from "../../../constructs/write-fences.ts";
import { Approval } from "../../../crds/approval.ts";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../../../crds/core-kinds.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { Promotion } from "../../../crds/promotion.ts";
import { Release } from "../../../crds/release.ts";
import { APPROVAL_POLICY } from "../../../crds/stage-names.ts";
import { AuditTail } from "../audit-tail.ts";
import { createFixture, type Fixture, releaseFlags } from "../fixture.ts";
import type { OperatorProcess } from "../operator-process.ts";
import { chanceFrom } from "../random.ts";
import type { SharedSetup } from "../shared-setup.ts";
import { type Act, stageNames } from "./points.ts";
import { PushedContents } from "./pushed-contents.ts";
import { earlierInProd, isRequest, type SeenPipeline, type SeenPromotion } from "./seen.ts";

/** A namespace with a Pipeline of three stages, a repository, an operator, and users who push, approve and roll back. */
export interface DeliveryFixture extends Fixture {
  readonly operator: OperatorProcess;
  readonly pushed: PushedContents;
  readonly audit: AuditTail;
  /** Bodies of the operator's writes, by audit id. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Digests that the user has approved for prod, by name of the Approval. */
  readonly approved: ReadonlyMap<string, string>;
  /** Called for every write of the operator, except for events, when it arrives at the API server. */
  onWrite: (() => void) | undefined;
  /** Whether the last write of `onWrite` is lost. */
  losesWrite: boolean;
  perform(acts: readonly Act[]): Promise<void>;
  /** Acts as the users: approves the candidate of prod, and deletes requests with an outcome. */
  actAsUsers(): Promise<void>;
}

const user = "admin";

/** The soak of staging. It is longer than a second, to which instants are rounded. */
export const soakMs = 2_000;

const verify = {
  name: "e2e",
  template: {
    spec: {
      backoffLimit: 0,
      template: {
        spec: { restartPolicy: "Never", containers: [{ name: "e2e", image: "busybox" }] },
      },
    },
  },
};

export async function createDeliveryFixture(shared: SharedSetup, seed: number): Promise<DeliveryFixture> {
  const { api } = shared;
  const audit = await AuditTail.begin(shared.cluster.auditLogPath);
  const bodies = new Map<string, string>();
  const base = await createFixture(shared, {
    ...{ name: `pipeline-kills-${seed}`, protocol: "h2", chance: chanceFrom(seed) },
    onWrite: ({ auditId, path }, body) => {
      if (!path.includes(`/namespaces/${namespace}/`) || /\/events|dryRun=All/.test(path)) return;
      bodies.set(auditId, body);
      fixture.onWrite?.();
    },
    isLost: () => {
      const { losesWrite } = fixture;
      fixture.losesWrite = false;
      return losesWrite;
    },
  });
  const { namespace, git } = base;
  for (const [kind, policy] of approvalPolicies(namespace)) {
    await api.create(kind, policy);
    base.cleanup.defer(async () => void (await api.delete(kind, undefined, policy.metadata.name)));
  }
  const operator = base.addOperator(releaseFlags(base));
  const pushed = new PushedContents();
  const approved = new Map<string, string>();
  let requests = 0;
  const fixture: DeliveryFixture = {
    ...{ ...base, operator, pushed, audit, bodies, approved },
    ...{ onWrite: undefined, losesWrite: false },
    async perform(acts) {
      for (const act of acts) {
        const files = pushed.filesFor(act);
        if (files !== undefined) {
          await git.commitByOnlyUser(files);
          pushed.note((await git.head()) ?? "");
          continue;
        }
        const revision = earlierInProd((await api.list(Promotion, namespace)) as readonly SeenPromotion[]);
        if (revision === undefined) continue;
        requests += 1;
        const spec = { pipeline: "shop", stage: "prod", revision, hold: true, by: user, reason: "errors" };
        const metadata = { name: `back-${requests}`, namespace };
        await api.apply(Promotion, { metadata, spec: { ...spec, bypass: ["Approvals"] } });
      }
    },
    async actAsUsers() {
      const [pipeline] = (await api.list(Pipeline, namespace)) as readonly SeenPipeline[];
      const prod = pipeline?.status?.stages?.find(({ name }) => name === "prod");
      const waitsForApproval = prod?.waiting?.some(({ gate }) => gate === "Approvals") === true;
      const name = `approval-${prod?.next?.digest.slice(0, 32)}`;
      if (waitsForApproval && prod?.next !== undefined && !approved.has(name)) {
        const { revision, digest } = prod.next;
        approved.set(name, digest);
        const spec = { pipeline: "shop", stage: "prod", revision, digest, decision: "Approve", by: user };
        await api.apply(Approval, { metadata: { name, namespace }, spec: { ...spec, groups: [] } });
      }
      const asked = ((await api.list(Promotion, namespace)) as readonly SeenPromotion[]).filter(isRequest);
      for (const { metadata, status } of asked)
        if (metadata.name !== `back-${requests}` || status?.passedAt !== undefined)
          await api.delete(Promotion, namespace, metadata.name);
    },
  };
  await fixture.perform(["push all"]);
  await createShop(shared, namespace, `file://${git.path}`);
  return fixture;
}

/** The policy for Approvals and its binding, for one namespace. Without them, no Approval counts. */
function approvalPolicies(namespace: string) {
  const chart = new Chart(new App(), "fences");
  const policies = { ownership: false, leadership: false, stages: true };
  const installation = {
    ...{ name: namespace, namespace, ha: false, policies, watchedNamespaces: [namespace] },
    releases: { enabled: true },
  };
  new WriteFences(chart, "fences", { ...installation, kinds: [] });
  return (chart.toJson() as KubernetesObject[])
    .filter(({ metadata }) => metadata.labels?.[APPROVAL_POLICY.key] === APPROVAL_POLICY.value)
    .map((policy) => {
      const isPolicy = policy.kind === ValidatingAdmissionPolicy.kind;
      return [isPolicy ? ValidatingAdmissionPolicy : ValidatingAdmissionPolicyBinding, policy] as const;
    });
}

async function createShop({ api }: SharedSetup, namespace: string, url: string): Promise<void> {
  for (const stage of stageNames) {
    const source = { url, path: `shop/${stage}`, ref: { pipeline: "shop", stage } };
    const spec = { source, interval: "5s", render: { manifests: {} } };
    await api.apply(Release, { metadata: { name: stage, namespace }, spec });
  }
  const releasesOf = (stage: string) => ({ name: stage, releases: [{ name: stage }] });
  const stages = [
    releasesOf("dev"),
    { ...releasesOf("staging"), pass: { soak: `${soakMs / 1_000}s`, verify: [verify] } },
    { ...releasesOf("prod"), enter: { approvals: { count: 1 } } },
  ];
  const spec = { source: { url, path: "shop" }, interval: "1s", stages };
  await api.apply(Pipeline, { metadata: { name: "shop", namespace }, spec });
}
