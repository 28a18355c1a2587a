/** Between two reports of one commit … */
const stepMs = 20;
/** … but all of them are under way by then. */
const longestMs = 500;

/**
 * When the resource at `index` of the `count` that one commit has brought tells of it. All at once they would keep both API
 * server and workers from the edits that come meanwhile. Pure.
 */
export function reportDelayMs(index: number, count: number): number {
  return index * Math.min(stepMs, longestMs / count);
}
