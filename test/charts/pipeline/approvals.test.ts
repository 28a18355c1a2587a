import { describe, expect, test } from "vitest";
import {
  type ApprovalRule,
  type ApprovalsInput,
  assessApprovals,
} from "../../../charts/pipeline/approvals.ts";
import { readCommitAuthors } from "../../../charts/pipeline/commit-authors.ts";
import type { ApprovalSpec } from "../../../crds/approval.ts";
import type { SpanAuthors } from "../../../crds/kind-source.ts";
import type { LiveObject } from "../../../crds/object.ts";

const [x, y] = ["a".repeat(32), "b".repeat(32)];
const revision = "1".repeat(40);

type Change = Partial<ApprovalSpec> & { readonly at?: string; readonly leaves?: true };

function anApproval(name: string, { at = "2026-11-23T10:00:00Z", leaves, ...spec }: Change = {}): LiveObject {
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Approval",
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: at,
      ...(leaves && { deletionTimestamp: at }),
    },
    ours: false,
    spec: { pipeline: "shop", stage: "prod", revision, digest: x, decision: "Approve", by: name, ...spec },
  };
}

const authors = readCommitAuthors([
  {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "ReleasePolicy",
    metadata: { name: "people" },
    spec: {
      authors: [
        { user: "ada", emails: ["ada@example.dev", "Ada@Home.example"] },
        { user: "bob", emails: ["bob@example.dev"] },
      ],
    },
  },
]);

const span = { since: "0".repeat(40), until: revision };

/** Commits of authors with these addresses. */
function commitsBy(...emails: readonly string[]): SpanAuthors {
  const found = emails.map((email, index) => ({ email, commit: String(index + 1).repeat(40) }));
  return { ...span, state: "known", authors: found };
}

const one: ApprovalRule = { count: 1 };

function assess(approvals: readonly LiveObject[], more: Partial<ApprovalsInput> = {}) {
  return assessApprovals({
    pipeline: "shop",
    stage: "prod",
    digest: x,
    rule: one,
    approvals,
    notInForce: undefined,
    span: undefined,
    authors,
    ...more,
  });
}

const names = ({ counted }: ReturnType<typeof assess>) => counted.map(({ name }) => name);

describe("assessApprovals()", () => {
  test("requires no approval without a rule", () => {
    expect(assess([], { rule: undefined })).toEqual({
      state: "Approved",
      counted: [],
      needed: 0,
      ignored: [],
      message: "0 of 0 approvals",
    });
  });

  test("counts an Approval, with what a Promotion records of it", () => {
    expect(assess([anApproval("ada")])).toMatchObject({
      state: "Approved",
      counted: [{ name: "ada", uid: "uid-ada", by: "ada", at: "2026-11-23T10:00:00Z", digest: x }],
      message: "1 of 1 approvals",
    });
  });

  test.for([
    ["another digest of the same commit", { digest: y }],
    ["another stage", { stage: "staging" }],
    ["another Pipeline", { pipeline: "other" }],
  ] as const)("does not count an Approval of %s", ([, spec]) => {
    expect(assess([anApproval("ada", spec)])).toMatchObject({ state: "Waiting", counted: [] });
  });

  test("counts an Approval of another commit with the same digest", () => {
    expect(assess([anApproval("ada", { revision: "2".repeat(40) })]).state).toBe("Approved");
  });

  test("counts one user once, by the first Approval", () => {
    const twice = [
      anApproval("late", { by: "ada", at: "2026-11-23T11:00:00Z" }),
      anApproval("early", { by: "ada", at: "2026-11-23T09:00:00Z" }),
    ];
    const state = assess(twice, { rule: { count: 2 } });
    expect(names(state)).toEqual(["early"]);
    expect(state).toMatchObject({
      state: "Waiting",
      message: "1 of 2 approvals; Approval late does not count: ada has approved already",
    });
    expect(assess([...twice, anApproval("bob")], { rule: { count: 2 } }).state).toBe("Approved");
  });

  test("counts only members of the rule's groups", () => {
    const rule = { count: 1, groups: ["sre", "leads"] };
    expect(assess([anApproval("ada"), anApproval("bob", { groups: ["dev"] })], { rule })).toMatchObject({
      state: "Waiting",
      ignored: [
        { name: "ada", why: "ada did not approve as a member of sre or leads" },
        { name: "bob", why: "bob did not approve as a member of sre or leads" },
      ],
    });
    expect(assess([anApproval("eve", { groups: ["dev", "leads"] })], { rule }).state).toBe("Approved");
  });

  test("does not count an Approval that is being deleted", () => {
    expect(assess([anApproval("ada", { leaves: true })])).toMatchObject({
      state: "Waiting",
      ignored: [{ name: "ada", why: "it is being deleted" }],
    });
  });

  test("counts no Approval while the API server does not validate them", () => {
    const notInForce = "the binding of the admission policy p is missing";
    expect(assess([anApproval("ada")], { notInForce })).toMatchObject({
      state: "Waiting",
      counted: [],
      message: `0 of 1 approvals; no approval counts: ${notInForce}`,
    });
  });

  test("is rejected until the rejection is deleted, for any number of approvals", () => {
    const reject = anApproval("eve", { decision: "Reject", reason: "too slow" });
    const both = [anApproval("ada"), reject];
    for (const rule of [one, undefined])
      expect(assess(both, { rule })).toMatchObject({
        state: "Rejected",
        message: "rejected by eve (Approval eve): too slow",
      });
    expect(assess([anApproval("eve", { decision: "Reject", digest: y })], { rule: undefined }).state).toBe(
      "Approved",
    );
    // A rejection stops the stage until it is deleted, even if no policy verifies its author.
    expect(assess(both, { notInForce: "no policy" }).state).toBe("Rejected");
    expect(assess([anApproval("eve", { decision: "Reject", leaves: true })]).state).toBe("Rejected");
  });

  test("does not count authors of the commits with `notAuthor`, by any of their addresses", () => {
    const rule = { count: 1, notAuthor: true };
    const approvals = [anApproval("ada"), anApproval("eve")];
    for (const email of ["ada@example.dev", "ADA@home.example"]) {
      const state = assess(approvals, { rule, span: commitsBy(email) });
      expect(names(state)).toEqual(["eve"]);
      expect(state.ignored).toEqual([{ name: "ada", why: "ada is an author of the commits" }]);
    }
    expect(names(assess(approvals, { span: commitsBy("ada@example.dev") }))).toEqual(["ada", "eve"]);
  });

  test("counts no approval with `notAuthor` while an author is not known, or the history is not complete", () => {
    const rule = { count: 1, notAuthor: true };
    const unmapped = commitsBy("xerxes@y.example", "ada@example.dev");
    expect(assess([anApproval("eve")], { rule, span: unmapped })).toMatchObject({
      state: "Waiting",
      counted: [],
      message:
        "0 of 1 approvals, not by an author of the commits; no approval counts: no ReleasePolicy names in spec.authors " +
        "the author of commit 111111111111 (x…@y.example)",
    });
    for (const [unknown, says] of [
      [undefined, "the commits since the stage's current one are not known"],
      [{ ...span, state: "pending" }, "the authors of the commits are being read"],
      [{ ...span, state: "failed", message: "too old" }, "the authors of the commits are not known: too old"],
    ] as const)
      expect(assess([anApproval("eve")], { rule, span: unknown })).toMatchObject({
        state: "Waiting",
        counted: [],
        message: `0 of 1 approvals, not by an author of the commits; no approval counts: ${says}`,
      });
  });

  test("names the authors of the commits with `notAuthor`, up to a limit", () => {
    const rule = { count: 1, notAuthor: true };
    const messageOf = (...emails: readonly string[]) =>
      assess([], { rule, span: commitsBy(...emails) }).message;
    expect(messageOf("bob@example.dev", "ada@example.dev")).toBe(
      "0 of 1 approvals, not by an author of the commits (ada, bob)",
    );
    expect(messageOf("a@x.dev", "b@x.dev", "c@x.dev", "d@x.dev", "e@x.dev")).toContain(
      "commit 111111111111 (a…@x.dev) and commit 222222222222 (b…@x.dev) and commit 333333333333 (c…@x.dev) and 2 more",
    );
  });

  test("counts all users with `notAuthor` if the candidate adds no commits", () => {
    const rule = { count: 1, notAuthor: true };
    expect(names(assess([anApproval("ada")], { rule, span: commitsBy() }))).toEqual(["ada"]);
  });

  test("ignores an Approval that this version cannot read", () => {
    expect(assess([anApproval("odd", { decision: "Maybe" as "Approve" })])).toMatchObject({
      state: "Waiting",
      counted: [],
    });
  });
});

test("readCommitAuthors() maps an address in several entries to all of their users", () => {
  const policy = (name: string, user: string) => ({
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "ReleasePolicy",
    metadata: { name },
    spec: { authors: [{ user, emails: ["team@example.dev"] }] },
  });
  const shared = readCommitAuthors([policy("a", "ada"), policy("b", "bob")]);
  const approvals = [anApproval("ada"), anApproval("bob")];
  const rule = { count: 1, notAuthor: true };
  expect(names(assess(approvals, { rule, span: commitsBy("team@example.dev"), authors: shared }))).toEqual(
    [],
  );
});
