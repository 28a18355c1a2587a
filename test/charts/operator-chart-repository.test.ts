import { describe, expect, test } from "vitest";
import { configOf, idOf, install, podOf } from "./operator-install.ts";

const repository = { url: "https://git.test/r.git" };

describe("OperatorChart with a repository", () => {
  test("disables pushes of the publish zone without isolation, if the sandbox is required", () => {
    const argsOf = (releases: object): unknown => {
      const { containers } = podOf(install({ repository, releases })).spec;
      return (containers as readonly object[] as readonly { name: string; args: unknown }[]).find(
        ({ name }) => name === "publish",
      )?.args;
    };
    expect(argsOf({ enabled: true, requireSandbox: true })).toContain("--require-isolation");
    expect(argsOf({ enabled: true })).not.toContain("--require-isolation");
  });

  test("passes on the repository, and its credentials only to the publish zone", () => {
    const objects = install({
      repository: { ...repository, branch: "live", path: "east", credentialsSecret: "git" },
      logLevel: "debug",
      workers: 3,
      name: "lead",
      namespace: "ops",
    });
    expect(configOf(objects)).toMatchObject({
      repository: repository.url,
      repositoryBranch: "live",
      repositoryPath: "east",
      zoneSockets: "/run/fairlead/zones",
      logLevel: "debug",
      workers: 3,
      leaderElectId: "lead",
    });
    expect(configOf(objects).repositoryCredentials).toBeUndefined();
    expect(objects.map(idOf)).toContain("Deployment ops/lead");
    const { containers, volumes } = podOf(objects).spec;
    const [operator, publish, ...others] = containers as readonly object[];
    expect(others).toEqual([]);
    expect(operator).toMatchObject({
      name: "operator",
      volumeMounts: [
        { name: "tmp" },
        { name: "token" },
        { name: "publish-sockets", mountPath: "/run/fairlead/zones/publish" },
      ],
    });
    expect(publish).toEqual({
      name: "publish",
      image: "fairlead:1",
      imagePullPolicy: "IfNotPresent",
      args: [
        ...["zone", "publish", "--sockets=/run/fairlead/zones/publish", "--cache=/var/cache/fairlead"],
        `--repository=${repository.url}`,
        ...["--credentials=/etc/fairlead/repository", "--log-level=debug"],
      ],
      resources: { requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "512Mi" } },
      securityContext: {
        runAsUser: 65_529,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      },
      volumeMounts: [
        { name: "publish-sockets", mountPath: "/run/fairlead/zones/publish" },
        { name: "clones", mountPath: "/var/cache/fairlead" },
        { name: "repository", mountPath: "/etc/fairlead/repository", readOnly: true },
      ],
    });
    expect(volumes).toEqual([
      { name: "tmp", emptyDir: {} },
      expect.objectContaining({ name: "token" }),
      { name: "publish-sockets", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
      { name: "clones", emptyDir: {} },
      { name: "repository", secret: { secretName: "git", defaultMode: 0o440 } },
    ]);
  });

  test("has a publish zone only if there is a repository, and no credentials if none are set", () => {
    expect(JSON.stringify(podOf(install({})).spec)).not.toMatch(/publish|zone/);
    const [, publish] = podOf(install({ repository })).spec.containers as readonly object[];
    expect(JSON.stringify(publish)).not.toMatch(/credentials|secret/);
  });
});
