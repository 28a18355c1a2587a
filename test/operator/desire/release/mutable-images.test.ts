import { describe, expect, test } from "vitest";
import { countMutableImages } from "../../../../operator/desire/release/mutable-images.ts";

const digest = `@sha256:${"0".repeat(64)}`;
const pod = (...images: readonly string[]) => ({
  spec: { containers: images.map((image, index) => ({ name: `c${index}`, image })) },
});

describe("countMutableImages()", () => {
  test.for([
    { what: "an image with a tag", manifests: [pod("web:1")], count: 1 },
    { what: "an image without a tag", manifests: [pod("web")], count: 1 },
    { what: "no image with a digest", manifests: [pod(`web${digest}`, `web:1${digest}`)], count: 0 },
    { what: "one name once", manifests: [pod("web:1", "web:1"), pod("web:1", "web:2")], count: 2 },
    { what: "those of pod templates", manifests: [{ spec: { template: pod("web:1") } }], count: 1 },
    {
      what: "those of Jobs of a CronJob",
      manifests: [{ spec: { jobTemplate: { spec: { template: pod("web:1") } } } }],
      count: 1,
    },
    {
      what: "those of init containers and of volumes",
      manifests: [
        { spec: { initContainers: [{ image: "a:1" }], volumes: [{ image: { reference: "b:1" } }] } },
      ],
      count: 2,
    },
    { what: "no other fields named image", manifests: [{ data: { image: "web:1" } }], count: 0 },
  ])("counts $what", ({ manifests, count }) => {
    expect(countMutableImages(manifests)).toBe(count);
  });
});
