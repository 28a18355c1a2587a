import { describe, expect, test } from "vitest";
import { describeFailure, describeWaiting } from "../../../operator/engine/outcome.ts";
import {
  AlreadyThereError,
  ApiUnavailableError,
  NotLeadingError,
  NotOwnedError,
  ObjectRejectedError,
  ReplacedError,
  SpecInvalidError,
} from "../../../operator/errors.ts";
import { aManifest, asLive, set } from "../../fakes/owned-objects.ts";

const id = "apps/Deployment/shop/web";

test("a refusal names the origin of the manifest, if it is known", () => {
  const error = new ObjectRejectedError("apps/Deployment/shop/web", "spec.replicas: no");
  const originOf = (id: string) => (id === error.id ? "web.yaml:3" : undefined);
  expect(describeFailure(error, "Release/web", { originOf })).toMatchObject({
    message: "The API server refuses Deployment shop/web (web.yaml:3): spec.replicas: no",
  });
  const immutable = new ObjectRejectedError(error.id, "no", { immutableField: "spec.selector" });
  expect(describeFailure(immutable, "Release/web", { originOf })).toMatchObject({
    message: expect.stringContaining("spec.selector of Deployment shop/web (web.yaml:3) cannot be changed"),
  });
});

describe("describeFailure()", () => {
  test.for([
    {
      does: "reports why a spec is invalid",
      error: new SpecInvalidError("spec.size: must not be negative"),
      outcome: { state: "refused", reason: "SpecInvalid", message: "spec.size: must not be negative" },
    },
    {
      does: "reports what the server refuses",
      error: new ObjectRejectedError(id, "spec.replicas: Invalid value: -1"),
      outcome: {
        state: "refused",
        reason: "ApplyRejected",
        message: "The API server refuses Deployment shop/web: spec.replicas: Invalid value: -1",
      },
    },
    {
      does: "recommends how to resolve a conflict over a unique value",
      error: new ObjectRejectedError(id, "port is taken", { isContested: true }),
      outcome: {
        state: "refused",
        reason: "ApplyRejected",
        isContested: true,
        message:
          "The API server refuses Deployment shop/web: port is taken. Choose another one, or free it; the operator then applies the object",
      },
    },
    {
      does: "names the immutable field, and the solutions",
      error: new ObjectRejectedError(id, "field is immutable", { immutableField: "spec.selector" }),
      outcome: {
        state: "refused",
        reason: "ImmutableField",
        message:
          "spec.selector of Deployment shop/web cannot be changed: field is immutable. Revert the change, or delete the object to have it recreated",
      },
    },
    {
      does: "names the owner of an object, and how to hand it over",
      error: new NotOwnedError(id, { name: "Helm release blog" }),
      outcome: {
        state: "refused",
        reason: "NotOwned",
        message:
          "Deployment shop/web exists and belongs to Helm release blog, so it is not changed. Delete or rename it, or hand it over: annotate it with fairlead.dev/adopt-by: echo/web",
      },
    },
    {
      does: "names what keeps an object of another controller from being handed over",
      error: new NotOwnedError(id, { name: "Echo shop/other", heldBy: "controller" }),
      outcome: {
        state: "refused",
        reason: "NotOwned",
        message:
          "Deployment shop/web exists and belongs to Echo shop/other, so it is not changed. Rename yours, or remove it from its owner first. If it then still exists, remove its owner reference and annotate it with fairlead.dev/adopt-by: echo/web",
      },
    },
    {
      does: "names what keeps an object of another set from being handed over",
      error: new NotOwnedError(id, { name: "releases.fairlead.dev/shop/a", heldBy: "set" }),
      outcome: {
        state: "refused",
        reason: "NotOwned",
        message:
          "Deployment shop/web exists and belongs to releases.fairlead.dev/shop/a, so it is not changed. Rename yours, or remove it from its owner first. If it then still exists, remove its label fairlead.dev/set and annotate it with fairlead.dev/adopt-by: echo/web",
      },
    },
    {
      does: "reports a server that does not respond",
      error: new ApiUnavailableError("Cannot apply: 503", { status: 503 }),
      outcome: { state: "failed", message: "Cannot apply: 503" },
    },
    { does: "reports any other error", error: "odd", outcome: { state: "failed", message: "odd" } },
    {
      does: "does not report a lost race for a name",
      error: new AlreadyThereError(id),
      outcome: { state: "retry" },
    },
    {
      does: "does not report a lost race for an object",
      error: new ReplacedError(id),
      outcome: { state: "retry" },
    },
    {
      does: "does not report that we no longer lead",
      error: new NotLeadingError(),
      outcome: { state: "retry" },
    },
  ])("$does", ({ error, outcome }) => {
    expect(describeFailure(error, "Echo/web")).toEqual(outcome);
  });

  test("names the resource's namespace in the annotation, unless the object is in it", () => {
    const hintFor = (object: string, namespace?: string) => {
      const outcome = describeFailure(new NotOwnedError(object, { name: "Helm" }), "Echo/web", { namespace });
      return "message" in outcome ? outcome.message.split("adopt-by: ")[1] : undefined;
    };
    expect(hintFor(id, "shop")).toBe("echo/web");
    expect(hintFor(id, "office")).toBe("echo/office/web");
    expect(hintFor("rbac.authorization.k8s.io/ClusterRole//web", "shop")).toBe("echo/shop/web");
    // A resource that has none.
    expect(hintFor("rbac.authorization.k8s.io/ClusterRole//web")).toBe("echo/web");
  });

  test("names a cluster-scoped object without a namespace", () => {
    const error = new ObjectRejectedError("rbac.authorization.k8s.io/ClusterRole//web", "no");
    expect(describeFailure(error, "Echo/web")).toMatchObject({
      message: "The API server refuses ClusterRole web: no",
    });
  });
});

describe("describeWaiting()", () => {
  const [b, a] = ["b", "a"].map((name) => asLive(aManifest({ kind: "Job", name })));
  const unlabelled = asLive(aManifest({ kind: "Job", name: "c" }), { labels: {} });

  test("names the objects that are awaited, in order", () => {
    const message = "Waiting for Job shop/a, Job shop/b to be deleted before recreating it";
    expect(describeWaiting([b, a] as never, set)).toEqual({ state: "waiting", message, isWatched: true });
  });

  test("marks a wait for an object without our label, from which there is no event", () => {
    expect(describeWaiting([a, unlabelled] as never, set)).toMatchObject({ isWatched: false });
  });
});
