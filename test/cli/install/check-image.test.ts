import { describe, expect, test } from "vitest";
import { hasSimulatedNodes, refuseUnpullableImage } from "../../../cli/install/check-image.ts";
import type { StoredObject } from "../../../cli/install/install-client.ts";
import { version } from "../../../operator/telemetry/version.ts";

describe("refuseUnpullableImage()", () => {
  test.for([
    "fairlead:dev",
    `fairlead:${version}`,
    "fairlead",
    "localhost/fairlead:1",
    "fairlead@sha256:abc",
  ])("refuses %s with the command that builds it", (image) => {
    expect(() => refuseUnpullableImage({ image })).toThrow(
      `Cannot install the image ${image}: no registry has it, so no node can pull it. In the repository of Fairlead:\n` +
        `  podman build -t registry.example.dev/fairlead:${version} . && podman push registry.example.dev/fairlead:${version}\n`,
    );
    expect(() => refuseUnpullableImage({ image, imagePullPolicy: "Never" })).not.toThrow();
  });

  test.for([
    "registry.example.dev/fairlead:1",
    "team/fairlead:1",
    "localhost:5001/fairlead:1",
    "registry:5000/fairlead@sha256:abc",
  ])("accepts %s", (image) => {
    expect(() => refuseUnpullableImage({ image })).not.toThrow();
  });
});

describe("hasSimulatedNodes()", () => {
  const nodesWith = (...versions: readonly string[]) => ({
    listAllowed: async () =>
      versions.map(
        (kubeletVersion, index): StoredObject => ({
          apiVersion: "v1",
          kind: "Node",
          metadata: { name: `node-${index}`, uid: `${index}` },
          status: { nodeInfo: { kubeletVersion } },
        }),
      ),
  });

  test.for([
    [["simulated", "simulated"], true],
    [["simulated", "v1.37.1"], false],
    [["v1.37.1"], false],
    [[], false],
  ] as const)("of kubelets %j: %s", async ([versions, isSimulated]) => {
    expect(await hasSimulatedNodes(nodesWith(...versions))).toBe(isSimulated);
  });
});
