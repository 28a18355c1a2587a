import { InvalidFieldError } from "../crds/invalid-field-error.ts";

/** A port in the form of a Service; more fields are kept as they are. */
export interface ServicePortInput {
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string | undefined;
}

/** A port in the form of a container. */
export interface ContainerPort {
  readonly containerPort: number;
  readonly name?: string;
  readonly protocol?: string;
}

/**
 * The ports of a Service, unchanged.
 *
 * @throws {InvalidFieldError} if two have the same number and protocol: the list's key in the API, so that server-side
 * apply answers with a server error.
 */
export function servicePortsOf<Port extends ServicePortInput>(ports: readonly Port[]): readonly Port[] {
  const seen = new Map<string, number>();
  for (const [index, { port, protocol = "TCP" }] of ports.entries()) {
    const first = seen.get(`${port}/${protocol}`);
    if (first !== undefined) {
      throw new InvalidFieldError(
        `spec.ports[${index}].port`,
        `port ${port}/${protocol} is there already, as spec.ports[${first}]; give one of them another number`,
      );
    }
    seen.set(`${port}/${protocol}`, index);
  }
  return ports;
}

/**
 * The container ports of Service ports: one per number. A target that is a name becomes the name of a container port
 * with the Service port's number.
 *
 * @throws {InvalidFieldError} if two names would be given to one container port.
 */
export function containerPortsOf(ports: readonly ServicePortInput[]): readonly ContainerPort[] {
  const named = namedPortsOf(ports);
  const found: ContainerPort[] = [];
  for (const { port, targetPort } of ports) {
    const target = typeof targetPort === "string" ? named.get(targetPort) : undefined;
    const number = target?.containerPort ?? (typeof targetPort === "number" ? targetPort : port);
    const ofNumber = found.filter(({ containerPort }) => containerPort === number);
    if (target !== undefined) {
      if (!ofNumber.includes(target)) found.push(target);
    } else if (ofNumber.length === 0) {
      const name = [...named.values()].find(({ containerPort }) => containerPort === number);
      found.push(name ?? { containerPort: number });
    }
  }
  return found;
}

function namedPortsOf(ports: readonly ServicePortInput[]): ReadonlyMap<string, ContainerPort> {
  const named = new Map<string, ContainerPort>();
  for (const [index, { port, protocol = "TCP", targetPort }] of ports.entries()) {
    if (typeof targetPort !== "string" || named.has(targetPort)) continue;
    const other = [...named].find(
      ([, found]) => found.containerPort === port && (found.protocol ?? "TCP") === protocol,
    );
    if (other !== undefined) {
      throw new InvalidFieldError(
        `spec.ports[${index}].targetPort`,
        `container port ${port}/${protocol} has the name "${other[0]}" already; use that name or a number`,
      );
    }
    // TCP is the API server's default, and the original operator never sets it.
    named.set(targetPort, { name: targetPort, containerPort: port, ...(protocol !== "TCP" && { protocol }) });
  }
  return named;
}

/** Of several entries with one name only the last is kept: server-side apply rejects a list with equal keys. */
export function lastOfEachName<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
): readonly Entry[] {
  const last = new Map(entries.map((entry) => [entry.name, entry]));
  return entries.filter((entry) => last.get(entry.name) === entry);
}
