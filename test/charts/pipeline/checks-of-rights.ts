import type { Check } from "./checks-of-order.ts";

const pipeline = "test/charts/pipeline";
const approvals = `${pipeline}/approvals-in-pipeline.test.ts`;
const hold = `${pipeline}/hold.test.ts`;
const closed = `${pipeline}/closed-gates.test.ts`;
const onCluster = "test/cluster";
const userApprovals = `${onCluster}/approvals.test.ts`;
const rights = `${onCluster}/stage-rights.test.ts`;
const weaker = `${onCluster}/weaker-rules.test.ts`;

/** Checks 13 to 30: approvals and rights, rollback, hotfix, freeze and windows. */
export const checksOfRights: readonly Check[] = [
  {
    number: 13,
    says: "An Approval for digest X is none for Y.",
    provenBy: {
      [approvals]: [
        "check 13: an Approval for digest X does not count for digest Y, also of the same commit",
      ],
    },
  },
  {
    number: 14,
    says: "Approved, then rendered otherwise: not applied, asked again, and the message has both digests.",
    provenBy: {
      [approvals]: [
        "check 14: an approved commit that an upgraded operator renders differently is not applied, and needs another approval",
      ],
      "test/operator/desire/release/digest-mismatch.test.ts": ["names the commit, both digests and $what"],
      [`${onCluster}/release-next.test.ts`]: [
        "a Release of a stage plans commits with its ServiceAccount, and deploys the pinned one",
      ],
    },
  },
  {
    number: 15,
    says: "An Approval of a digest that no plan has counts for nothing.",
    provenBy: { [approvals]: ["check 15: an Approval of a digest that no plan has has no effect"] },
  },
  {
    number: 16,
    says: "The API server refuses `by` of another user, a missing verb `approve`, and a change of the spec.",
    provenBy: {
      [userApprovals]: [
        "of another user is refused",
        "without the verb approve on the stage is refused",
        "is immutable",
      ],
    },
  },
  {
    number: 17,
    says: "Two Approvals of one person count once; an author of the commits does not count under notAuthor.",
    provenBy: {
      [approvals]: ["check 17: two Approvals of one user count once"],
      [`${onCluster}/pipeline-authors.test.ts`]: [
        "with notAuthor the approval of a commit's author does not count, and no approval counts while an address is not mapped",
      ],
      [`${pipeline}/authors-in-pipeline.test.ts`]: [
        "check 17: an author of the commits does not count, and another user does",
      ],
      [`${pipeline}/approvals.test.ts`]: [
        "does not count authors of the commits with `notAuthor`, by any of their addresses",
        "counts no approval with `notAuthor` while an author is not known, or the history is not complete",
      ],
    },
  },
  {
    number: 18,
    says: "A rejected candidate has failed for this stage until the rejection is withdrawn; newer ones go on.",
    provenBy: {
      [approvals]: [
        "check 18: a rejection fails the candidate for this stage until it is withdrawn, and newer ones continue",
        "check 18: when the newest candidate is rejected the previous one waits for approval",
      ],
    },
  },
  {
    number: 19,
    says: "Without the binding of the policy no Approval counts, and a condition says so.",
    provenBy: {
      [approvals]: [
        "check 19: without the binding of the policy no Approval counts, and a condition reports it; when it is restored, the stage continues",
      ],
      [userApprovals]: ["is reported as in force, and as missing without its binding"],
    },
  },
  {
    number: 20,
    says: "An Approval counts if its user loses the right later, and not if it is deleted before the Promotion.",
    provenBy: {
      [approvals]: [
        "check 20: an Approval that is deleted before the Promotion does not count, and its deletion afterwards has no effect",
      ],
      [userApprovals]: ["stays when its user loses the permission, who then cannot create another one"],
    },
  },
  {
    number: 21,
    says: "A pin by hand without the verb `promote` is refused.",
    provenBy: { [rights]: ["is pinned manually only with the verb promote"] },
  },
  {
    number: 22,
    says: "A weaker rule needs `bypass`, also from git; a stricter one counts at once.",
    provenBy: {
      [weaker]: [
        "weakened by %s need the verb bypass",
        "may be weakened with the verb on each stage, or on all at once, also from git",
        "are removed with a Pipeline only with the verb, except by deletions of namespaces and owners",
      ],
      [approvals]: ["check 22: a higher number of required approvals takes effect at once"],
    },
  },
  {
    number: 23,
    says: "A stage answers who approved what, when, which digest, and which gates were skipped and why.",
    provenBy: {
      [approvals]: [
        "check 23: a stage that runs X records who approved it, when, which digest, which gates were skipped and why",
      ],
      [`${onCluster}/pipeline-trailers.test.ts`]: [
        "check 23: who approved, when, which digest, and which gates were skipped and why, is in objects and in trailers",
      ],
      "test/cli/pipeline/judge-stage.test.ts": ["reports which gates were skipped, by whom and why"],
    },
  },
  {
    number: 24,
    says: "Rollback: prod stays, staging proves newer ones, and resume takes the newest that passed.",
    provenBy: {
      [hold]: [
        "check 24: prod is held, staging proves newer candidates, and the newest that passed starts when the hold ends",
        "check 24: a digest that has passed needs only health, and no second soak",
        "check 24: it waits for the gates of its stage unless it bypasses them",
      ],
    },
  },
  {
    number: 25,
    says: "A rollback by itself runs once, and the failed digest is not retried by itself.",
    provenBy: {
      [hold]: [
        "check 25: it runs once, does not alternate, and the failed digest is not retried automatically",
        "check 25: a failed rollback is not rolled back again",
        "check 25: a user may request the failed digest again",
      ],
    },
  },
  {
    number: 26,
    says: "A hotfix needs `bypass` and a reason, and is unproven until earlier stages have passed it.",
    provenBy: {
      [hold]: [
        "check 26: is deployed directly to prod, and is reported as unproven until earlier stages have passed it",
        "check 26: without the bypass it waits for the earlier stages",
      ],
      [rights]: ["that skips gates needs the verb bypass and a reason"],
    },
  },
  {
    number: 27,
    says: "A pin by another manager: the Pipeline stands back and names it; without it, its own pin returns.",
    provenBy: {
      [hold]: [
        "check 27: the Pipeline does not override it; after its removal the Pipeline sets its pin again, and never the branch's head",
      ],
      [`${onCluster}/pipeline-pins.test.ts`]: [
        "check 27: a Pipeline does not override a pin by kubectl, names its manager, and continues after its removal",
      ],
    },
  },
  {
    number: 28,
    says: "A window that closes while prod converges lets it finish; the next one waits and says until when.",
    provenBy: {
      [closed]: [
        "check 28: when a window closes while prod converges, the Promotion continues; the next one waits and reports until when",
      ],
    },
  },
  {
    number: 29,
    says: "During a freeze the soak counts on and nothing starts; it stops between batches; a bypass goes.",
    provenBy: {
      [closed]: [
        "check 29: during a freeze the soak continues, no candidate starts, and a hotfix that bypasses it starts",
        "check 29: a freeze stops a rollout between batches",
      ],
    },
  },
  {
    number: 30,
    says: "A window or zone that cannot be read is closed, and shown.",
    provenBy: {
      [closed]: ["check 30: a window that cannot be evaluated is closed, and reported: %j"],
      [`${pipeline}/windows.test.ts`]: ["is closed by a window that is neither, or both"],
    },
  },
];
