/** One metric in the text format of Prometheus, with all its series. */
export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Values by series, as `name{label="value"}`, labels sorted by name. */
  readonly series: ReadonlyMap<string, number>;
}

const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/**
 * Reads the text format of Prometheus, version 0.0.4, and checks the rules of promtool and the scraper: HELP and TYPE
 * once and before the series, no series twice, numbers, counters that end in _total, histograms whose buckets add up.
 *
 * @throws Error that names the line.
 */
export function readPrometheusText(text: string): ReadonlyMap<string, MetricFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families = new Map<string, MetricFamily & { readonly series: Map<string, number> }>();
  const help = new Map<string, string>();
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === "HELP") help.set(name, rest);
    else if (keyword === "TYPE") {
      if (families.has(name)) throw new Error(`two types: ${line}`);
      families.set(name, { name, type: rest, help: help.get(name) ?? "", series: new Map() });
    } else addSample(line, families);
  }
  for (const family of families.values()) check(family);
  return families;
}

function addSample(
  line: string,
  families: ReadonlyMap<string, { readonly series: Map<string, number> }>,
): void {
  const [, name = "", labels = "", value = ""] = sample.exec(line) ?? [];
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ""));
  const number = value === "+Inf" ? Infinity : Number(value);
  if (family === undefined || value === "" || Number.isNaN(number)) throw new Error(`no sample: ${line}`);
  const pairs: string[] = [];
  label.lastIndex = 0;
  for (let end = 0; end < labels.length; end = label.lastIndex) {
    const [pair] = label.exec(labels) ?? [];
    if (pair === undefined) throw new Error(`wrong labels: ${line}`);
    pairs.push(pair.replace(/,$/, ""));
  }
  const series = pairs.length === 0 ? name : `${name}{${pairs.toSorted().join(",")}}`;
  if (family.series.has(series)) throw new Error(`twice: ${line}`);
  family.series.set(series, number);
}

function check({ name, type, help, series }: MetricFamily): void {
  if (help === "") throw new Error(`${name} has no help`);
  if (type === "counter" && !name.endsWith("_total")) throw new Error(`${name} is a counter without _total`);
  if (type !== "counter" && name.endsWith("_total"))
    throw new Error(`${name} ends in _total and is a ${type}`);
  if (type !== "histogram") return;
  for (const [one, value] of series) {
    const isCount = one.startsWith(`${name}_count`);
    if (!isCount) continue;
    const labels = /\{(.*)\}/.exec(one)?.[1] ?? "";
    const all = [...series].filter(
      ([bucket]) => bucket.replace(/,le="[^"]*"|le="[^"]*",?/, "") === `${name}_bucket{${labels}}`,
    );
    const values = all.map(([, count]) => count);
    const isCumulative = values.every((count, index) => index === 0 || count >= (values[index - 1] ?? 0));
    if (!isCumulative || values.at(-1) !== value) throw new Error(`the buckets of ${one} do not add up`);
  }
}
