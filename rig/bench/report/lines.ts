import type { ResultLine } from "../cell/driver-process.ts";

/** A line of the report: a number from the driver's results, and its limit. */
export interface Line {
  readonly scenario: string;
  readonly title: string;
  readonly read: (result: ResultLine) => number | undefined;
  /** Maximum of our number, as a multiple of the Go operator's. May depend on the implementation and on the size. */
  readonly ratio?:
    | undefined
    | ((run: { readonly implementation: string; readonly resources: number }) => number | undefined);
  /** Maximum of our number. */
  readonly most?: undefined | ((run: { readonly resources: number }) => number | undefined);
}

/** A number at a dotted path of a result, such as `latency_ms.p50`. */
export function at(path: string): Line["read"] {
  return (result) => {
    let value: unknown = result;
    for (const key of path.split("."))
      value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
    return typeof value === "number" ? value : undefined;
  };
}

/** The sum of calls whose `verb resource` matches, per resource or per edit. */
function calls(path: string, pattern: RegExp): Line["read"] {
  return (result) => {
    const counts = result[path] as Readonly<Record<string, number>> | undefined;
    if (counts === undefined) return undefined;
    return Object.entries(counts).reduce((sum, [call, count]) => (pattern.test(call) ? sum + count : sum), 0);
  };
}

const none = (): number => 0;
const statusWrite = /^(patch|update) \w+\/status$/;
const read = /^(get|list) /;
const bySize =
  (small: number, large: number): Line["most"] =>
  ({ resources }) =>
    resources > 1_000 ? large : small;
const fillRatio: Line["ratio"] = ({ implementation, resources }) =>
  implementation === "fairlead-without-git" && resources <= 1_000 ? 0.9 : 1;
const noSlower: Line["ratio"] = () => 1;

const fill: Line[] = [
  { scenario: "fill", title: "last child there, s", read: at("children_s"), ratio: fillRatio },
  { scenario: "fill", title: "last status right, s", read: at("status_s"), ratio: fillRatio },
  { scenario: "fill", title: "last commit on the branch, s", read: at("published_s") },
  { scenario: "fill", title: "operator CPU, s", read: at("operator_cpu_s"), ratio: () => 1.2 },
  { scenario: "fill", title: "API server CPU, s", read: at("apiserver_cpu_s"), ratio: noSlower },
  {
    scenario: "fill",
    title: "applies per resource",
    read: calls("calls_per_cr", /^patch configmaps$/),
    most: () => 3,
  },
  // Two if the commit takes more than a second.
  {
    scenario: "fill",
    title: "status writes per resource",
    read: calls("calls_per_cr", statusWrite),
    most: () => 2,
  },
  { scenario: "fill", title: "reads per resource", read: calls("calls_per_cr", read), most: none },
];

const edit: Line[] = [
  { scenario: "edit", title: "child right, p50, ms", read: at("latency_ms.p50"), ratio: noSlower },
  { scenario: "edit", title: "child right, p99, ms", read: at("latency_ms.p99"), ratio: noSlower },
  { scenario: "edit", title: "first change, p50, ms", read: at("first_change_ms.p50") },
  { scenario: "edit", title: "status right, p50, ms", read: at("status_ms.p50") },
  { scenario: "edit", title: "commit on the branch, p50, ms", read: at("commit_ms.p50"), most: () => 400 },
  { scenario: "edit", title: "commit on the branch, p99, ms", read: at("commit_ms.p99") },
  {
    scenario: "edit",
    title: "status writes per edit",
    read: calls("calls_per_edit", statusWrite),
    most: () => 1,
  },
  { scenario: "edit", title: "reads per edit", read: calls("calls_per_edit", read), most: none },
  { scenario: "edit", title: "operator CPU, s", read: at("operator_cpu_s") },
  { scenario: "edit", title: "API server CPU, s", read: at("apiserver_cpu_s") },
];

const churn: Line[] = [
  { scenario: "churn", title: "child right, p50, ms", read: at("latency_ms.p50") },
  { scenario: "churn", title: "child right, p99, ms", read: at("latency_ms.p99"), ratio: noSlower },
  { scenario: "churn", title: "status writes per edit", read: calls("calls_per_edit", statusWrite) },
  { scenario: "churn", title: "operator CPU, s", read: at("operator_cpu_s") },
  { scenario: "churn", title: "API server CPU, s", read: at("apiserver_cpu_s") },
];

const cold: Line[] = [
  { scenario: "cold", title: "writes", read: at("writes"), most: none },
  { scenario: "cold", title: "reads", read: at("reads") },
  { scenario: "cold", title: "CPU quiet after exec, s", read: at("cpu_quiet_s"), most: bySize(1, 5) },
  { scenario: "cold", title: "last call after exec, s", read: at("last_call_s"), most: bySize(1, 5) },
  { scenario: "cold", title: "operator CPU, s", read: at("operator_cpu_s") },
  { scenario: "cold", title: "API server CPU, s", read: at("apiserver_cpu_s") },
];

const idle: Line[] = [
  {
    scenario: "idle",
    title: "operator RSS, MiB",
    read: at("own_rss_mib"),
    most: ({ resources }) => (resources > 100 ? undefined : 100),
  },
  { scenario: "idle", title: "operator PSS with its children, MiB", read: at("pss_mib") },
  { scenario: "idle", title: "CPU, %", read: at("cpu_percent") },
];

const failover: Line[] = [
  {
    scenario: "failover",
    title: "child follows after SIGTERM, worst, s",
    read: worst("sigterm_follow_s"),
    most: () => 5,
  },
  {
    scenario: "failover",
    title: "child follows after SIGKILL, worst, s",
    read: worst("sigkill_follow_s"),
    most: () => 24,
  },
];

function worst(field: string): Line["read"] {
  return (result) => Math.max(...((result[field] as readonly number[] | undefined) ?? []));
}

/** Lines for every scenario that measures these numbers. */
const everywhere: Omit<Line, "scenario">[] = [
  { title: "operator peak RSS, MiB", read: at("own_peak_rss_mib"), most: bySize(140, 300) },
  { title: "peak RSS with its children, MiB", read: at("peak_rss_mib") },
  { title: "synchronous slice, longest, ms", read: at("slice_cpu_ms"), most: () => 50 },
  { title: "conflicts", read: at("conflicts"), most: none },
  { title: "child writes without effect", read: at("noop_child_writes"), most: none },
  { title: "status writes without effect", read: at("noop_status_writes"), most: none },
  { title: "edits that never arrived", read: at("lost"), most: none },
  { title: "resources with wrong children", read: at("bad_children"), most: none },
  { title: "resources with wrong status", read: at("bad_status"), most: none },
  { title: "resources with wrong files in git", read: at("bad_published"), most: none },
  { title: "watches of the driver that broke", read: at("relists") },
  { title: "CPU of others on the machine, s", read: at("other_cpu_s") },
];

/** Every line of the report of one scenario, in the order in which it is shown. */
export function linesOf(scenario: string): readonly Line[] {
  const own = [...fill, ...edit, ...churn, ...cold, ...idle, ...failover].filter(
    (line) => line.scenario === scenario,
  );
  return [...own, ...everywhere.map((line) => ({ scenario, ...line }))];
}
