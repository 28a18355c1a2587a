import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { containerPortsOf, lastOfEachName } from "../../constructs/ports-and-envs.ts";
import { InvalidFieldError } from "../../crds/invalid-field-error.ts";
import { limitRuns } from "../long.ts";

describe("containerPortsOf()", () => {
  test.for([
    {
      does: "uses a number unchanged",
      ports: [{ port: 80, targetPort: 8080 }],
      container: [{ containerPort: 8080 }],
    },
    {
      does: "uses the Service's port if there is no target",
      ports: [{ port: 80 }],
      container: [{ containerPort: 80 }],
    },
    {
      does: "lists a number once",
      ports: [
        { port: 80, targetPort: 8080 },
        { port: 81, targetPort: 8080 },
        { port: 8080, protocol: "UDP" },
      ],
      container: [{ containerPort: 8080 }],
    },
    {
      does: "names a port after a named target",
      ports: [{ port: 80, targetPort: "http" }],
      container: [{ name: "http", containerPort: 80 }],
    },
    {
      does: "lets two Service ports share a name",
      ports: [
        { port: 80, targetPort: "http" },
        { port: 8080, targetPort: "http" },
      ],
      container: [{ name: "http", containerPort: 80 }],
    },
    {
      does: "lists a number once also if only a later port names it",
      ports: [
        { port: 443, targetPort: 80 },
        { port: 80, targetPort: "http" },
      ],
      container: [{ name: "http", containerPort: 80 }],
    },
    {
      does: "distinguishes two protocols of a number if both have names",
      ports: [
        { port: 53, targetPort: "dns-tcp" },
        { port: 53, protocol: "UDP", targetPort: "dns" },
      ],
      container: [
        { name: "dns-tcp", containerPort: 53 },
        { name: "dns", containerPort: 53, protocol: "UDP" },
      ],
    },
  ])("$does", ({ ports, container }) => {
    expect(containerPortsOf(ports)).toEqual(container);
  });

  test("refuses two names for one port", () => {
    const ports = [
      { port: 80, targetPort: "http" },
      { port: 80, protocol: "TCP", targetPort: "web" },
    ];
    expect(() => containerPortsOf(ports)).toThrow('container port 80/TCP has the name "http" already');
  });

  test("never sends the API server two entries with one key or one name", () => {
    const aPort = fc.record({
      port: fc.integer({ min: 1, max: 3 }),
      protocol: fc.constantFrom("TCP", "UDP"),
      targetPort: fc.constantFrom(1, 2, 3, "a", "b", undefined),
    });
    fc.assert(
      fc.property(fc.array(aPort, { maxLength: 6 }), (ports) => {
        let made: ReturnType<typeof containerPortsOf>;
        try {
          made = containerPortsOf(ports);
        } catch (error) {
          fc.pre(!(error instanceof InvalidFieldError));
          throw error;
        }
        const keys = made.map(({ containerPort, protocol = "TCP" }) => `${containerPort}/${protocol}`);
        const names = made.flatMap(({ name }) => name ?? []);
        expect(new Set(keys).size).toBe(keys.length);
        expect(new Set(names)).toEqual(
          new Set(ports.map(({ targetPort }) => targetPort).filter((name) => typeof name === "string")),
        );
        expect(names.length).toBe(new Set(names).size);
        // Every number to which a Service port refers is listed.
        const numbers = ports
          .map(({ port, targetPort = port }) => targetPort)
          .filter((target) => typeof target === "number");
        expect(made.map(({ containerPort }) => containerPort)).toEqual(expect.arrayContaining(numbers));
      }),
      { numRuns: limitRuns(1000) },
    );
  });
});

test("lastOfEachName() keeps the last entry of each name, in order", () => {
  const [a1, b, a2] = [{ name: "a", value: "1" }, { name: "b" }, { name: "a", value: "2" }];
  expect(lastOfEachName([a1, b, a2])).toEqual([b, a2]);
});
