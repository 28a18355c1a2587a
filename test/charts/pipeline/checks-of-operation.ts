import type { Check } from "./checks-of-order.ts";

const pipeline = "test/charts/pipeline";
const faults = `${pipeline}/faults.test.ts`;
const shape = `${pipeline}/shape.test.ts`;
const cost = `${pipeline}/cost.test.ts`;
const windows = `${pipeline}/windows.test.ts`;

/** Checks 31 to 49: faults and time, shape and safety, cost. */
export const checksOfOperation: readonly Check[] = [
  {
    number: 31,
    says: "Killed before and after every write: no second Promotion or Job, no skipped gate, the same end.",
    provenBy: {
      [faults]: [
        "check 31: when the operator is killed before and after every write, the result is that of an uninterrupted run",
      ],
      [`${pipeline}/proof.test.ts`]: ["returns the same outcome at any later time"],
      "test/cluster/pipeline-kills.test.ts": [
        "check 31: an operator that is killed while it promotes repeats no action and skips no gate (seed %i)",
      ],
    },
  },
  {
    number: 32,
    says: "A deposed leader's pin and record are refused.",
    provenBy: {
      "test/cluster/pipeline-pins.test.ts": [
        "check 32: the pin, the Promotion and the record of a deposed leader are refused",
      ],
    },
  },
  {
    number: 33,
    says: "Clock + 1 h: nothing passes. Clock - 1 h: nothing un-passes or hangs. Both DST edges.",
    provenBy: {
      [`${pipeline}/clock.test.ts`]: [
        "check 33: when it is an hour ahead for a minute, no candidate passes and no window opens",
      ],
      [faults]: [
        "check 33: a candidate that has passed stays passed when the clock is set back an hour, and later ones still pass",
      ],
      [windows]: [
        "opens once at the end of the gap of a skipped local time",
        "opens once at a repeated local time",
        "measures durations in elapsed time over both clock changes",
      ],
      [`${pipeline}/windows-laws.test.ts`]: [
        "agrees with a check of every minute, in all time zones and over both clock changes",
      ],
    },
  },
  {
    number: 34,
    says: "Down for half of a soak: it starts again if a workload was ill meanwhile, else it counts.",
    provenBy: {
      [faults]: [
        "check 34: when the operator is down for half of a soak, the soak restarts if a workload was unhealthy meanwhile, and counts otherwise",
      ],
      "test/operator/desire/release/healthy-since.test.ts": [
        "counts time without an operator only while the status of a workload reports it as available",
        "does not count time without an operator for a workload that does not report its availability",
      ],
    },
  },
  {
    number: 35,
    says: "A pod that crashes in minute 9 of 10 starts the soak again, and the message names it.",
    provenBy: {
      [faults]: [
        "check 35: a pod that crashes in minute 9 of 10 restarts the soak, and the message names the Release",
      ],
      "test/operator/desire/release/healthy-since.test.ts": [
        "restarts after a failure, and the condition Healthy names the object meanwhile",
      ],
    },
  },
  {
    number: 36,
    says: "Remote down: stages with known candidates go on, and nothing fails by it.",
    provenBy: {
      [faults]: [
        "check 36: while the remote is unavailable stages with known candidates continue, and no stage fails",
      ],
    },
  },
  {
    number: 37,
    says: "An image that cannot be pulled fails at the timeout; a Job that is gone counts by its record; a deleted one runs again.",
    provenBy: {
      [faults]: [
        "check 37: a Job whose image cannot be pulled fails at its timeout",
        "check 37: a Job that is deleted after its success was recorded counts, also during the soak",
        "check 37: a Job that is deleted while it runs is run again",
      ],
    },
  },
  {
    number: 38,
    says: "A re-verification that fails stops stages that have not started, and moves no others.",
    provenBy: {
      [faults]: [
        "check 38: when a re-verification fails, stages that have not started the commit do not start it, and those that run it keep it",
      ],
    },
  },
  {
    number: 39,
    says: "A stage added, removed, renamed or reordered: no Release deleted or moved back, no gate for ever.",
    provenBy: {
      [shape]: [
        "check 39: a stage that is added in the middle keeps what its Releases run, has not passed it, and blocks the next stage",
        "check 39: a removed stage keeps its Releases and pins, and blocks no stage",
        "check 39: a declared rename keeps the results of the stage (%s)",
        "check 39: reordering stages rolls no stage back",
      ],
    },
  },
  {
    number: 40,
    says: "Pipeline deleted: Releases stay. Created again: no stage moves without proof.",
    provenBy: {
      [shape]: [
        "check 40: a recreated Pipeline promotes no commit to a stage whose earlier stages have not passed it",
      ],
      "test/cluster/pipeline.test.ts": [
        "a Pipeline promotes a commit from dev to prod, waits for an approval, and rolls back on request",
      ],
    },
  },
  {
    number: 41,
    says: "All Promotions deleted: nothing is deployed, and proving begins anew.",
    provenBy: {
      [shape]: [
        "check 41: when all Promotions are deleted nothing is deployed, and the running commits are proven again",
      ],
    },
  },
  {
    number: 42,
    says: "A Release missing, suspended, invalid or with a held prune is named, and waited for.",
    provenBy: {
      [shape]: [
        "check 42: a stage waits for a Release that is missing, suspended, of another stage, invalid or with a held prune, and names it",
      ],
    },
  },
  {
    number: 43,
    says: "Prod does not render: told when the commit arrives; dev goes on, and prod never starts.",
    provenBy: {
      [shape]: [
        "check 43: a commit that prod cannot render is reported when it arrives; dev continues, and prod never starts it",
      ],
    },
  },
  {
    number: 44,
    says: "An undeclared difference between staging and prod: prod does not start, and the field is named, also offline.",
    provenBy: {
      [`${pipeline}/differences.test.ts`]: [
        "check 44: an undeclared difference between staging and prod is reported at once with the field, and prod does not start",
        "check 44: declared fields may differ",
      ],
      "test/cluster/stage-differences.test.ts": [
        "check 44: an undeclared difference between staging and prod prevents prod from starting, and the field is reported, as by the offline check",
      ],
      "test/cli/pipeline/judge-stage.test.ts": [
        "is proven if git renders to the digest that it runs, and it and the earlier stages have passed it",
      ],
    },
  },
  {
    number: 45,
    says: "A plan shows no values of Secrets, and equals what is applied later, object by object.",
    provenBy: {
      "test/operator/desire/release/plan-equals-apply.test.ts": [
        "a plan has the same action for each object as the apply of the commit, and the same digest",
      ],
      "test/cluster/release-next.test.ts": [
        "a Release of a stage plans commits with its ServiceAccount, and deploys the pinned one",
      ],
    },
  },
  {
    number: 46,
    says: "A revert: staging is healthy with the old digest again, and prod may start without a new soak.",
    provenBy: {
      [shape]: [
        "check 46: after a revert commit staging needs health with the old digest, and prod may start without a new soak",
      ],
    },
  },
  {
    number: 47,
    says: "Idle Pipelines cost no request and no write. No status is written without a change of meaning.",
    provenBy: {
      [cost]: [
        "check 47: an idle Pipeline writes nothing and schedules no reconcile",
        "check 47: nothing is written during a soak",
      ],
    },
  },
  {
    number: 48,
    says: "One promotion: 1 create, 1 apply per Release, 2 status writes. The last gate opens and the pin is set at once.",
    provenBy: {
      [cost]: [
        "check 48: a promotion is one create, and one apply for each Release",
        "check 48: a promotion is two status writes, with an approval or a soak too",
        "check 48: promotions through three stages with a soak are two status writes each",
        "check 48: a rollout of three Releases that become healthy one after another is two status writes",
        "check 48: a Promotion says after 20 seconds which Release is in its way, and what it waits for then",
        "check 48: when the last gate opens the pin is set at once",
      ],
      "test/cluster/pipeline-cost.test.ts": [
        "a promotion sends one create, one apply for each Release, and two status writes of Pipeline and Promotion",
        "soaks and slow rollouts send two status writes of Pipeline and Promotion for each promotion",
      ],
    },
  },
  {
    number: 49,
    says: "Every waiting stage names the gate, what it has and needs, and until when.",
    provenBy: {
      [cost]: ["check 49: every stage that waits reports the closed gate, why it is closed, and until when"],
      "test/cli/pipeline/pipeline-text.test.ts": [
        "shows when a closed gate opens, and why a candidate does not pass",
      ],
    },
  },
];
