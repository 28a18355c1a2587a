/** The metrics that a page has a row for, as `name type`, sorted. A row may have several names of one type. */
export function documentedMetrics(page: string): string[] {
  return page
    .split("\n")
    .flatMap((line) => {
      const [, names = "", type = ""] =
        /^\| ((?:`[a-z_]+`(?:, )?)+) \| (counter|gauge|histogram) \|/.exec(line) ?? [];
      return [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => `${name} ${type}`);
    })
    .toSorted();
}

/** The same, for an operator that deploys no Releases. */
export function metricsWithoutReleases(page: string): string[] {
  return documentedMetrics(page.replace(/^### Releases$.*?(?=^### )/ms, ""));
}
