import { describe, expect, test } from "vitest";
import { containerPortsOf } from "../../constructs/ports-and-envs.ts";

describe("containerPortsOf()", () => {
  test.for([
    {
      does: "takes a number as it is",
      ports: [{ port: 80, targetPort: 8080 }],
      container: [{ containerPort: 8080 }],
    },
    {
      does: "takes the Service's port where there is no target",
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
      does: "names a port after a target that is a name",
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
      does: "lists a number once also when only a later port names it",
      ports: [
        { port: 443, targetPort: 80 },
        { port: 80, targetPort: "http" },
      ],
      container: [{ name: "http", containerPort: 80 }],
    },
    {
      does: "tells two protocols of a number apart where both have names",
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
});
