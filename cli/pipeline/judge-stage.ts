import type { Candidate } from "../../crds/pipeline-status.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";
import { shortCommit } from "../release/release-object.ts";
import type { ReleaseComparison, StageComparison } from "./compare-stages.ts";
import type { PromotionObject } from "./pipeline-text.ts";

/** A Release of a stage, with the digest in its status and the digest of the same commit rendered on this machine. */
export interface RenderedAgain {
  readonly name: string;
  readonly namespace: string;
  /** As in `status.deployed`. */
  readonly deployed: { readonly revision: string; readonly digest?: string | undefined } | undefined;
  /** Digest of the deployed commit, rendered again; undefined: it cannot be rendered. */
  readonly digest: string | undefined;
  readonly error: string | undefined;
}

/** The name of a stage, and its earlier names, whose proofs count for it. */
interface StageNames {
  readonly stage: string;
  readonly formerly?: readonly string[] | undefined;
}

/** An earlier stage that must have passed, and the digest of the commit in that stage. */
export interface EarlierStage extends StageNames {
  /** Undefined: the commit cannot be rendered there. */
  readonly digest: string | undefined;
}

/** The result for a stage. */
export interface StageProof {
  readonly isProven: boolean;
  /** The checked statements, for users. */
  readonly findings: readonly { readonly holds: boolean; readonly text: string }[];
}

/** The stage to judge, and the digests of its commit in other stages. */
export interface JudgedStage extends StageNames {
  /** The earlier stages that must have passed, with the digest of this stage's commit in each of them. */
  readonly before: readonly EarlierStage[];
  /** The differences from them; absent: the stage has no `differences`, or has passed no digest. */
  readonly comparison?: StageComparison;
  /** The Pipeline's record of the commit; absent: it is no longer a candidate. */
  readonly recorded?: Candidate["releases"];
}

/** Judges whether a stage runs the manifests rendered from git, and whether it and the earlier stages have passed them. Pure. */
export function judgeStage(
  { before, comparison, recorded = [], ...names }: JudgedStage,
  releases: readonly RenderedAgain[],
  promotions: readonly PromotionObject[],
): StageProof {
  const findings = releases.map(compareRelease);
  const digest = deployedDigest(releases);
  if (releases.length === 0) findings.push({ holds: false, text: `stage ${names.stage} has no Release` });
  else if (digest !== undefined) findings.push(...judgeDigest(names, { digest, before }, promotions));
  if (comparison !== undefined) findings.push(...judgeComparison(comparison, recorded));
  return { isProven: findings.every(({ holds }) => holds), findings };
}

function compareRelease({ name, namespace, deployed, digest, error }: RenderedAgain): {
  readonly holds: boolean;
  readonly text: string;
} {
  const title = `Release ${namespace}/${name}`;
  if (deployed?.digest === undefined)
    return { holds: false, text: `${title} has not fully deployed any commit` };
  const at = shortCommit(deployed.revision);
  if (digest === undefined) return { holds: false, text: `${title} at ${at} cannot be rendered: ${error}` };
  return digest === deployed.digest
    ? { holds: true, text: `${title} runs what ${at} renders to (${digest})` }
    : {
        holds: false,
        text: `${title} runs ${deployed.digest}, but ${at} renders to ${digest}: the inputs or the version of the operator differ`,
      };
}

/** The last Promotion in which a stage passed a digest; undefined: it has not passed it, or has failed with it later. Pure. */
export function findProof(
  { stage, formerly = [] }: StageNames,
  digest: string,
  promotions: readonly PromotionObject[],
): PromotionObject | undefined {
  const last = promotions
    .filter(({ spec }) => spec.digest === digest && [stage, ...formerly].includes(spec.stage))
    .filter(({ status }) => status?.phase === "Passed" || status?.phase === "Failed")
    .toSorted((a, b) => (a.spec.number ?? 0) - (b.spec.number ?? 0))
    .at(-1);
  return last?.status?.phase === "Passed" ? last : undefined;
}

/** Digest of a stage, from the statuses of its Releases; undefined: one of them has deployed nothing. Pure. */
export function deployedDigest(releases: readonly RenderedAgain[]): string | undefined {
  const digests = releases.map(({ name, namespace, deployed }) => ({
    name,
    namespace,
    digest: deployed?.digest ?? "",
  }));
  return digests.length === 0 || digests.some(({ digest }) => digest === "")
    ? undefined
    : stageDigestOf(digests);
}

/** Judges whether the stage has passed its digest, and the stages before it the commit of that Promotion. */
function judgeDigest(
  names: StageNames,
  { digest, before }: { readonly digest: string; readonly before: readonly EarlierStage[] },
  promotions: readonly PromotionObject[],
): StageProof["findings"] {
  const { stage } = names;
  const own = findProof(names, digest, promotions);
  if (own === undefined)
    return [{ holds: false, text: `stage ${stage} has not passed its digest ${digest}` }];
  const { revision, bypass = [], by, reason } = own.spec;
  const skipped = bypass.length === 0 ? "" : `; ${by} skipped ${bypass.join(", ")}: ${reason}`;
  const approvals = (own.spec.approvals ?? []).map((one) => one.by);
  const approved = approvals.length === 0 ? "" : `; approved by ${approvals.join(", ")}`;
  return [
    {
      holds: true,
      text: `stage ${stage} passed its digest ${digest} with Promotion ${own.metadata.name}${approved}${skipped}`,
    },
    ...before.map((earlier) => judgeEarlier(earlier, revision, promotions)),
  ];
}

function judgeEarlier(
  { digest, ...names }: EarlierStage,
  revision: string,
  promotions: readonly PromotionObject[],
): StageProof["findings"][number] {
  const { stage } = names;
  const at = shortCommit(revision);
  if (digest === undefined) return { holds: false, text: `stage ${stage}: ${at} cannot be rendered` };
  const proof = findProof(names, digest, promotions);
  return proof === undefined
    ? { holds: false, text: `stage ${stage} has not passed ${digest}, to which ${at} renders there` }
    : {
        holds: true,
        text: `stage ${stage} passed ${digest}, to which ${at} renders there, with Promotion ${proof.metadata.name}`,
      };
}

/** Judges whether the Releases equal those of earlier stages, except for declared differences. */
function judgeComparison(
  { releases, problems }: StageComparison,
  recorded: Candidate["releases"],
): StageProof["findings"] {
  return [
    ...problems.map((text) => ({ holds: false, text })),
    ...releases.flatMap((one) => {
      const { release, other, before, digest, otherDigest, undeclared, declared } = one;
      const fields = declared.length === 0 ? "" : `: ${declared.join("; ")}`;
      const finding =
        digest === otherDigest
          ? {
              holds: true,
              text: `Release ${release} equals Release ${other} of stage ${before} except for declared differences (${digest})${fields}`,
            }
          : {
              holds: false,
              text: `Release ${release} (${digest}) differs from Release ${other} of stage ${before} (${otherDigest}) in undeclared fields: ${undeclared.join("; ")}`,
            };
      return [finding, ...judgeRecorded(one, recorded)];
    }),
  ];
}

/** Judges whether the operator has computed the same digest. */
function judgeRecorded(
  { release, rules, digest }: ReleaseComparison,
  recorded: Candidate["releases"],
): StageProof["findings"] {
  const planned = recorded.find((one) => one.release === release);
  const theirs = planned?.compared?.find((one) => one.rules === rules)?.digest;
  if (theirs === undefined || theirs === digest) return [];
  return [
    {
      holds: false,
      text: `Release ${release} has the digest ${digest}, and the Pipeline recorded ${theirs}`,
    },
  ];
}
