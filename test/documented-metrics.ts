/** The metrics that a page has a row for, as `name type`, sorted. A row may have several names of one type. */
export function documentedMetrics(page: string): string[] {
  return metricsIn(page);
}

/** The same, for an operator that deploys no Releases. */
export function metricsWithoutReleases(page: string): string[] {
  return metricsIn(page.replace(/^### Releases$[^#]*/m, ""));
}

function metricsIn(text: string): string[] {
  return text
    .split("\n")
    .flatMap((line) => {
      const [, names = "", type = ""] =
        /^\| ((?:`[a-z_]+`(?:, )?)+) \| (counter|gauge|histogram) \|/.exec(line) ?? [];
      return [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => `${name} ${type}`);
    })
    .toSorted();
}
