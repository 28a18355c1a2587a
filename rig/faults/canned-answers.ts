import type { WireFaultType } from "./fault-types.ts";

export interface CannedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = { "content-type": "application/json" };

/** Responses of the proxy instead of the API server, in the same format. */
export const cannedAnswers: Partial<
  Readonly<Record<WireFaultType, (path: string) => CannedAnswer | undefined>>
> = {
  "429-retry-after": () => ({ ...refusal(429, "TooManyRequests"), headers: { ...json, "retry-after": "1" } }),
  "429": () => refusal(429, "TooManyRequests"),
  "500": () => refusal(500, "InternalError"),
  "503-page": () => ({
    status: 503,
    headers: { "content-type": "text/html" },
    body: "<html><body>503 Service Unavailable</body></html>",
  }),
  // A list or watch of the newest version cannot be expired.
  "410-storm": (path) =>
    /[?&](resourceVersion=[1-9]|continue=)/.test(path) ? refusal(410, "Expired") : undefined,
};

function refusal(code: number, reason: string): CannedAnswer {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `The fault suite says ${reason}`,
    reason,
    code,
  };
  return { status: code, headers: json, body: JSON.stringify(status) };
}
