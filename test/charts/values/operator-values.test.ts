import { describe, expect, test } from "vitest";
import {
  checkGivenValues,
  type OperatorValues,
  readOperatorValues,
} from "../../../charts/values/operator-values.ts";
import { isRepositoryUrl } from "../../../charts/values/repository-url.ts";
import { readOperatorConfig } from "../../../operator/config.ts";
import { parseRemoteUrl } from "../../../operator/git/remote-url.ts";

const image = "fairlead:1";
const complaintsAbout = (values: unknown): string => {
  try {
    readOperatorValues({ image, ...(values as object) });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("readOperatorValues()", () => {
  test("requires only an image", () => {
    expect(readOperatorValues({ image })).toMatchObject({ name: "fairlead", ha: true, replicas: 2 });
    expect(readOperatorValues({ image, ha: false }).replicas).toBe(1);
    expect(() => readOperatorValues({})).toThrow("image: expected a text, found nothing");
    expect(() => readOperatorValues("text")).toThrow('values: expected a map, found "text"');
  });

  test.for([
    [{ repository: { url: 3 } }, "repository.url: expected a text"],
    [
      { repository: { url: "https://me:geheim@git.test/r" } },
      "repository.url: expected https://…, ssh://…, user@host:path, file://… or an absolute path, without credentials in it",
    ],
    [{ repository: {} }, "repository.url: expected a text"],
    [
      { repository: { url: "/r", branch: "-x" } },
      'repository.branch: expected the name of a branch, found "-x"',
    ],
    [
      { repository: { url: "/r", path: "../up" } },
      'repository.path: expected a relative folder without ., .. or .git, found "../up"',
    ],
    [{ replica: 3 }, "replica: unknown value; did you mean replicas?"],
    [
      { monitoring: { alerts: true } },
      "monitoring.alerts: unknown value; expected one of enabled, fromNamespaces, serviceMonitor, prometheusRule, dashboard",
    ],
    [{ monitoring: true }, "monitoring: expected a map, found true"],
    [{ replicas: "two" }, 'replicas: expected a number, found "two"'],
    [{ replicas: 1.5 }, "replicas: expected a whole number, found 1.5"],
    [{ replicas: -1 }, "replicas: expected at least 0, found -1"],
    [
      { replicas: 2, ha: false },
      "replicas: expected at most 1 if ha is false: two leaders would revert each other's changes, found 2",
    ],
    [{ logLevel: "loud" }, 'logLevel: expected debug or info or warn or error, found "loud"'],
    [{ ha: "yes" }, 'ha: expected true or false, found "yes"'],
    [{ watchedNamespaces: "a" }, 'watchedNamespaces: expected a list, found "a"'],
    [{ watchedNamespaces: ["a", "B"] }, 'watchedNamespaces[1]: expected the name of a namespace, found "B"'],
    [{ name: "a.b" }, 'name: expected at most 40 of a-z, 0-9 and -, beginning with a letter, found "a.b"'],
    [
      { leaderElection: { leaseDuration: "10 s" } },
      'leaderElection.leaseDuration: expected a duration such as 15s or 1m30s, found "10 s"',
    ],
    [
      { leaderElection: { renewDeadline: "20s" } },
      "leaderElection.leaseDuration: expected more than renewDeadline (20s)",
    ],
    [
      { labels: { "app.kubernetes.io/name": "mine" } },
      'labels."app.kubernetes.io/name": expected no label that the installation sets itself',
    ],
    [{ tolerations: [{ keys: "a" }] }, "tolerations[0].keys: unknown value; did you mean key?"],
    [
      { networkPolicy: { apiServerPorts: [] } },
      "networkPolicy.apiServerPorts: expected a list of at least 1",
    ],
    [
      { releases: { hooks: { enabled: true } } },
      "releases.hooks.secret: expected the name of a Secret: unsigned hooks are refused",
    ],
    [
      { releases: { impersonate: false } },
      "releases.impersonate: expected true, or requireServiceAccount: false: Releases that must name a ServiceAccount need impersonation, found false",
    ],
    [
      {
        releases: {
          impersonate: false,
          requireServiceAccount: false,
          policy: { serviceAccountName: "tenant" },
        },
      },
      "releases.impersonate: expected true: policy.serviceAccountName needs the right to impersonate, found false",
    ],
    [
      { releases: { policy: { publsh: [] } } },
      "releases.policy.publsh: unknown value; did you mean publish?",
    ],
    [
      { releases: { kinds: [{ resource: "deployments/status" }] } },
      'releases.kinds[0].resource: expected the plural of a kind, such as deployments, or * for all, found "deployments/status"',
    ],
    [
      { releases: { kinds: [{ resource: "secrets", verbs: ["escalate"] }] } },
      'releases.kinds[0].verbs[0]: expected get or list or watch or create or patch or delete, found "escalate"',
    ],
  ] as const)("%j: %s", ([values, complaint]) => {
    expect(complaintsAbout(values)).toBe(complaint);
  });

  test("names all invalid values, one in a line", () => {
    expect(complaintsAbout({ ha: 1, repository: { url: "x", brunch: "y" } }).split("\n")).toHaveLength(3);
  });

  test.for([
    [{ repository: { branch: "env" } }, ""],
    [{ repository: null, replicas: 2 }, ""],
    [{ releases: { impersonate: false } }, ""],
    [{ replica: 3 }, "replica: unknown value; did you mean replicas?"],
    [{ repository: { branch: "-x" } }, 'repository.branch: expected the name of a branch, found "-x"'],
    [
      { releases: { programTimeout: "x" } },
      'releases.programTimeout: expected a duration such as 15s or 1m30s, found "x"',
    ],
  ] as const)("validates %j before others are added to it: %j", ([given, complaint]) => {
    let said = "";
    try {
      checkGivenValues(given);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toBe(complaint);
  });

  test("accepts the election times that the operator accepts", () => {
    const times = ["249ms", "250ms", "1.6s", "1.7s", "1999ms", "2s", "2.5s", "2999ms", "3s", "1m30s"];
    for (const leaseDuration of times) {
      for (const renewDeadline of times) {
        for (const retryPeriod of times) {
          const chosen = { leaseDuration, renewDeadline, retryPeriod };
          const isTaken = (read: () => unknown) => {
            try {
              return read() !== undefined;
            } catch {
              return false;
            }
          };
          const ours = isTaken(() => readOperatorValues({ image, leaderElection: chosen }));
          expect({ ...chosen, taken: ours }).toEqual({
            ...chosen,
            taken: isTaken(() => readOperatorConfig(chosen, {})),
          });
        }
      }
    }
  });

  test.for([
    "https://git.test/r.git",
    "https://git.test:8443/r",
    "https://me@git.test/r",
    "https://me:secret@git.test/r",
    "ssh://git@git.test:22/r",
    "ssh://git:pw@git.test/r",
    "git@git.test:group/r.git",
    "git.test:r",
    "-x@git.test:r",
    "git@git.test:-r",
    "/srv/git/r.git",
    "file:///srv/git/r.git",
    "http://git.test/r",
    "git://git.test/r",
    "ext::sh -c x",
    "https://",
    "https:///r",
    "",
    "a b",
    "r",
  ])("accepts the repository URL %j if the operator accepts it", (url) => {
    let isTaken = true;
    try {
      parseRemoteUrl(url);
    } catch {
      isTaken = false;
    }
    expect(isRepositoryUrl(url)).toBe(isTaken);
  });

  test.for([
    ["https://git.test/r.git?private_token=abc", false],
    ["ssh://git@git.test/r?x", false],
    ["https://git.test/r.git", true],
    ["/srv/what?/r", true],
  ] as const)("rejects a query in the repository URL %s, and does not repeat it", ([url, isTaken]) => {
    for (const check of [readOperatorValues, checkGivenValues]) {
      const message = messageOf(() => check({ image, repository: { url } }));
      expect(message).toBe(
        isTaken
          ? undefined
          : "repository.url: expected a URL without a query: values are stored and shown, and a token would be in them",
      );
    }
  });

  test.for([
    ["https://bot:s3cret@git.test/", false],
    ["https://bot:s3@cret@git.test/", false],
    ["https://:s3cret@git.test", false],
    ["ssh://git:pw@git.test:22/r", false],
    ["ssh://git@git.test:22/r", true],
    ["https://git.test:8443/a:b@c", true],
  ] as const)("rejects a password in the source %s, and does not repeat it", ([source, isTaken]) => {
    for (const check of [readOperatorValues, checkGivenValues]) {
      const sources = ["https://git.test/", source];
      const message = messageOf(() => check({ image, releases: { policy: { sources } } }));
      expect(message).toBe(
        isTaken
          ? undefined
          : "releases.policy.sources[1]: expected a URL without a password: values are stored and shown",
      );
    }
  });

  test("has types that follow from the same declaration", () => {
    const values: OperatorValues = {
      image,
      repository: { url: "/r" },
      monitoring: { dashboard: { enabled: true } },
    };
    expect(readOperatorValues(values).repository?.branch).toBe("main");
    // @ts-expect-error: a name that is not there
    const wrong: OperatorValues = { image, replica: 2 };
    expect(() => readOperatorValues(wrong)).toThrow();
  });
});

function messageOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
