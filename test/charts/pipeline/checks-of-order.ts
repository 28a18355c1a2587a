/** A check that a Pipeline must pass, and the tests that prove it. */
export interface Check {
  readonly number: number;
  readonly says: string;
  /** Names of tests, by file. */
  readonly provenBy: Readonly<Record<string, readonly string[]>>;
}

const order = "test/charts/pipeline/order.test.ts";

/** Checks 1 to 12: order and slots. */
export const checksOfOrder: readonly Check[] = [
  {
    number: 1,
    says: "A candidate superseded while it soaks still passes, and prod gets it or a newer one that passed.",
    provenBy: {
      [order]: [
        "check 1: a candidate that soaks in staging passes although a newer one exists; prod gets it or a newer one that passed",
      ],
    },
  },
  {
    number: 2,
    says: "One commit a minute, a soak of 10 min, 24 h: 140 candidates pass staging, prod is never older than two soaks.",
    provenBy: {
      "test/charts/pipeline/simulation.test.ts": [
        "check 2: with one commit a minute and a soak of 10 minutes, six candidates an hour pass staging, and prod is never older than two soaks",
      ],
    },
  },
  {
    number: 3,
    says: "After a failed verification a fix starts without a person, and the failed digest never reaches prod.",
    provenBy: {
      [order]: [
        "check 3: after a failed verification a fix starts at once, and the failed digest never reaches prod",
        "check 3: a failed candidate without a fix stays deployed, and the stage reports why it failed",
        "check 3: a later commit with a digest that has failed does not start",
      ],
    },
  },
  {
    number: 4,
    says: "Two commits within a second: dev never gets the older one last.",
    provenBy: { [order]: ["check 4: of two commits within a second, dev gets the newer one last"] },
  },
  {
    number: 5,
    says: "A README commit is no candidate, no record, and no write but the head.",
    provenBy: {
      [order]: ["check 5: a README commit is not a candidate, and only `head` is written"],
    },
  },
  {
    number: 6,
    says: "A commit that changes prod alone goes straight to prod's own gates.",
    provenBy: {
      [order]: [
        "check 6: a commit that changes only prod does not change dev and staging, and waits only for the gates of prod",
      ],
    },
  },
  {
    number: 7,
    says: "A parallel wave in which one Release fails starts no stage after it.",
    provenBy: {
      [order]: [
        "check 7: if one Release of a parallel wave fails, no later stage starts, and the other Release is not rolled back",
      ],
    },
  },
  {
    number: 8,
    says: "Batches: after a failure the rest keep their pins and say why.",
    provenBy: {
      [order]: [
        "check 8: with batches of %s, if the third of 10 fails, the remaining Releases keep their pins and the stage reports why",
        "check 8: a batch starts when the previous one is proven",
      ],
    },
  },
  {
    number: 9,
    says: "Ready=True of the old revision passes nothing.",
    provenBy: { [order]: ["check 9: a status of a Release from before the pin passes no stage"] },
  },
  {
    number: 10,
    says: "The candidate's commit is gone from the remote: it goes on from the clone, or waits, named.",
    provenBy: {
      [order]: [
        "check 10: a Promotion continues when its commit no longer exists on the remote",
        "check 10: a stage waits for a commit that was removed from the remote before its deployment, names it, and does not fail",
      ],
    },
  },
  {
    number: 11,
    says: "Two Pipelines over one source are independent; a Release is moved by none that it does not name.",
    provenBy: {
      "test/cluster/pipeline-pins.test.ts": [
        "check 11: two Pipelines with one repository are independent, and a Release is pinned only by the one that it names",
      ],
      "test/operator/reconcile-pipeline.test.ts": [
        "check 11: does not pin a Release that names another Pipeline, and reports it",
      ],
    },
  },
  {
    number: 12,
    says: "A cycle in `after`, a stage unknown or twice: SpecInvalid, and nothing moves.",
    provenBy: {
      [order]: ["check 12: a Pipeline with an unknown, repeated or cyclic stage changes nothing"],
      "test/operator/reconcile-pipeline.test.ts": [
        "reports that stages contradict each other, and changes nothing",
      ],
    },
  },
];
