import { describe, expect, test } from "vitest";
import { isOtherUid, toOperatorError } from "../../../operator/cluster/api-errors.ts";
import {
  ApiUnavailableError,
  NamespaceTerminatingError,
  NotLeadingError,
  NotOwnedError,
  ObjectRejectedError,
} from "../../../operator/errors.ts";

const attempt = { verb: "apply", id: "apps/Deployment/shop/web", namespace: "shop" } as const;

const denied = `configmaps "x" is forbidden: ValidatingAdmissionPolicy 'x' denied request:`;

function refusal(status: number, message: string, details?: object, reason = "") {
  const body = JSON.stringify({ kind: "Status", code: status, reason, message, details });
  return { status, body, retryAfterMs: undefined };
}

function invalid(...causes: readonly { readonly field: string; readonly message: string }[]) {
  return refusal(422, "is invalid", { name: "web", kind: "Deployment", causes }, "Invalid");
}

describe("toOperatorError()", () => {
  test.for([
    {
      does: "names every field of an invalid object",
      answer: invalid(
        { field: "spec.replicas", message: "Invalid value: -1: must be greater than or equal to 0" },
        { field: "spec.template", message: "Required value" },
      ),
      says: 'Cannot apply "apps/Deployment/shop/web": spec.replicas: invalid value -1: must be greater than or equal to 0; spec.template: Required value',
    },
    {
      does: "omits a value that is very long",
      answer: invalid({
        field: "spec.template",
        message: `Invalid value: {"x":"${"y".repeat(200)}"}: field is immutable`,
      }),
      says: 'Cannot apply "apps/Deployment/shop/web": spec.template: field is immutable',
      immutableField: "spec.template",
    },
    {
      does: "names the immutable selector of a Deployment",
      answer: invalid({ field: "spec.selector", message: 'Invalid value: {"a":"c"}: field is immutable' }),
      says: /^Cannot apply "apps\/Deployment\/shop\/web": spec\.selector: invalid value {"a":"c"}: field is immutable$/,
      immutableField: "spec.selector",
    },
    {
      does: "names the immutable clusterIP of a Service",
      answer: invalid({
        field: "spec.clusterIPs[0]",
        message: 'Invalid value: ["10.0.3.3"]: may not change once set',
      }),
      says: /spec\.clusterIPs\[0\]/,
      immutableField: "spec.clusterIPs[0]",
    },
    {
      does: "cuts the diff in the rejection of a PersistentVolumeClaim",
      answer: invalid({
        field: "spec",
        message: "Forbidden: spec is immutable after creation except resources.requests\n@@ -1,6 +1,6 @@\n",
      }),
      says: 'Cannot apply "apps/Deployment/shop/web": spec: Forbidden: spec is immutable after creation except resources.requests',
      immutableField: "spec",
    },
    {
      does: "recognizes a StatefulSet's immutable spec",
      answer: invalid({
        field: "spec",
        message:
          "Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden",
      }),
      says: /statefulset spec/,
      immutableField: "spec",
    },
    {
      does: "treats a 500 about the schema as a rejection",
      answer: refusal(
        500,
        'failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="x"]',
      ),
      says: 'Cannot apply "apps/Deployment/shop/web": .spec.template.spec.containers: duplicate entries for key [name="x"]',
    },
    {
      does: "names an unknown field of a custom resource",
      answer: refusal(400, 'strict decoding error: unknown field "spec.foo"', {}, "BadRequest"),
      says: 'Cannot apply "apps/Deployment/shop/web": strict decoding error: unknown field "spec.foo"',
    },
    {
      does: "repeats the message of an admission policy",
      answer: refusal(
        403,
        "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: no",
        {},
        "Forbidden",
      ),
      says: "Cannot apply \"apps/Deployment/shop/web\": ValidatingAdmissionPolicy 'p' denied request: no",
    },
    {
      does: "repeats the message of a webhook",
      answer: refusal(400, 'admission webhook "v.dev" denied the request: too big'),
      says: 'Cannot apply "apps/Deployment/shop/web": admission webhook "v.dev" denied the request: too big',
    },
    {
      does: "names the manager of a field that an apply may not set",
      answer: refusal(409, "Apply failed with 1 conflict", {
        causes: [
          {
            reason: "FieldManagerConflict",
            message: 'conflict with "kubectl" using v1',
            field: ".spec.replicas",
          },
        ],
      }),
      says: 'Cannot apply "apps/Deployment/shop/web": spec.replicas: conflict with "kubectl" using v1',
    },
    {
      does: "reports that an object is too large",
      answer: refusal(413, "limit is 3145728"),
      says: /larger than/,
    },
  ])("rejected: $does", ({ answer, says, immutableField }) => {
    const error = toOperatorError(answer, attempt);
    expect(error).toBeInstanceOf(ObjectRejectedError);
    if (typeof says === "string") expect(error.message).toBe(says);
    else expect(error.message).toMatch(says);
    expect((error as ObjectRejectedError).immutableField).toBe(immutableField);
  });

  test.for([
    {
      does: "names the missing permission",
      answer: refusal(
        403,
        'configmaps "x" is forbidden: User "op" cannot patch resource "configmaps" in API group "" in the namespace "shop"',
        {},
        "Forbidden",
      ),
      says: 'Cannot apply "apps/Deployment/shop/web": user "op" may not patch "configmaps" of API group "" in the namespace "shop"; bind a role with this verb to it',
    },
    {
      does: "retries when a quota is exceeded",
      answer: refusal(403, 'pods "x" is forbidden: exceeded quota: q, requested: pods=1'),
      says: /: exceeded quota: q/,
    },
    {
      does: "recommends installing the CRD of an unknown kind",
      answer: { status: 404, body: "404 page not found\n", retryAfterMs: undefined },
      says: /does not have this kind; install its CustomResourceDefinition$/,
    },
    {
      does: "names a missing namespace",
      answer: refusal(404, 'namespaces "shop" not found', { kind: "namespaces" }, "NotFound"),
      says: /namespace "shop" does not exist$/,
    },
    {
      does: "passes on a server error",
      answer: refusal(500, "etcd is away"),
      says: /answered 500: etcd is away$/,
    },
    {
      does: "mentions credentials for 401",
      answer: refusal(401, "Unauthorized"),
      says: /credentials \(401\)/,
    },
    {
      does: "recognizes an admission policy that the API server could not evaluate",
      answer: refusal(422, `${denied} failed to configure binding: context deadline exceeded`),
      says: /failed to configure binding: context deadline exceeded$/,
    },
    {
      does: "quotes the beginning of a proxy's page",
      answer: { status: 502, body: "<html>bad gateway</html>", retryAfterMs: undefined },
      says: /answered 502: <html>bad gateway/,
    },
  ])("may be different next time: $does", ({ answer, says }) => {
    const error = toOperatorError(answer, attempt);
    expect(error).toBeInstanceOf(ApiUnavailableError);
    if (typeof says === "string") expect(error.message).toBe(says);
    else expect(error.message).toMatch(says);
    expect((error as ApiUnavailableError).status).toBe(answer.status);
  });

  test("contains the delay that the server requests", () => {
    const error = toOperatorError({ ...refusal(429, "slow down"), retryAfterMs: 3000 }, attempt);
    expect(error).toMatchObject({ status: 429, retryAfterMs: 3000 });
  });

  test("recognizes a namespace that is being deleted", () => {
    const causes = [{ reason: "NamespaceTerminating", message: "…", field: "metadata.namespace" }];
    const error = toOperatorError(refusal(403, "x is forbidden: unable to create", { causes }), attempt);
    expect(error).toBeInstanceOf(NamespaceTerminatingError);
    expect(error.message).toContain('"shop"');
  });

  test("recognizes the rejection by the leadership policy", () => {
    const why = "the lease is held by b, and this request comes from a";
    const error = toOperatorError(refusal(403, `${denied} ${why}`), attempt);
    expect(error).toBeInstanceOf(NotLeadingError);
    expect(error.message).toBe(`Cannot write: ${why}, says the API server`);
  });

  test("recognizes the rejection by the ownership policy", () => {
    const answer = refusal(403, `${denied} Fairlead leaves alone what belongs to Helm`);
    const error = toOperatorError(answer, attempt);
    expect(error).toBeInstanceOf(NotOwnedError);
    expect(error).toMatchObject({ id: attempt.id, owner: { name: "Helm" } });
    // A deletion has no condition that reports it, so it is retried.
    expect(toOperatorError(answer, { ...attempt, verb: "delete" })).toBeInstanceOf(ApiUnavailableError);
  });

  test("never repeats a value of a Secret", () => {
    const answer = invalid({ field: "data[k]", message: 'Invalid value: "hunter2": not base64' });
    const error = toOperatorError(answer, { ...attempt, id: "/Secret/shop/web" });
    expect(error.message).toBe('Cannot apply "/Secret/shop/web": data[k]: not base64');

    const typed = refusal(
      500,
      'failed to create typed patch object (shop/web; /v1, Kind=Secret): .data.k: expected string, got &value{"a":"hunter2"}',
    );
    expect(toOperatorError(typed, { ...attempt, id: "/Secret/shop/web" }).message).toBe(
      'Cannot apply "/Secret/shop/web": .data.k: expected string',
    );
  });
});

describe("isOtherUid()", () => {
  test.for([
    {
      answer: invalid({ field: "metadata.uid", message: 'Invalid value: "a": field is immutable' }),
      is: true,
    },
    {
      answer: refusal(
        409,
        "uid mismatch: the provided object specified uid a, and no existing object was found",
      ),
      is: true,
    },
    {
      answer: refusal(409, "the UID in the precondition (a) does not match the UID in record (b)"),
      is: true,
    },
    { answer: refusal(409, "the object has been modified"), is: false },
    { answer: invalid({ field: "spec", message: "Required value" }), is: false },
  ])("$answer.status $answer.body: $is", ({ answer, is }) => {
    expect(isOtherUid(answer)).toBe(is);
  });
});
