import type { LiveObject } from "../../crds/object.ts";
import { isSameJson } from "../../synth/same-json.ts";
import { isNewer } from "../engine/resource-version.ts";
import type { StoreContent } from "./store-content.ts";
import type { Notification } from "./store-handlers.ts";
import type { OwnWrites, Unseen } from "./store-own-writes.ts";

export interface ReplaceContentInput {
  readonly content: StoreContent;
  readonly own: OwnWrites;
  /** All objects that the server had at `resourceVersion`, by key. */
  readonly listed: ReadonlyMap<string, LiveObject>;
  readonly resourceVersion: string;
  /**
   * The server has another history (such as after a restore of etcd): no object in the store is newer than the list.
   */
  readonly isRewound: boolean;
  /** No handler was called yet. */
  readonly isFirst: boolean;
}

/** Objects per slice: some milliseconds of work, handlers included. */
const sliceSize = 500;

/**
 * Replaces the content with that of a list: deletions first, then new and changed objects. Our writes after the list was
 * made stay, also those between two slices. Yields the notifications for handlers, slice by slice.
 */
export function* replaceContent(input: ReplaceContentInput): Generator<readonly Notification[], void, void> {
  const { content, own, listed, resourceVersion } = input;
  own.passList(resourceVersion, listed.values());
  let notifications: Notification[] = [];
  let looked = 0;
  for (const [key, current] of content.entries()) {
    if (!listed.has(key)) notifications.push(...dropUnlisted(key, current, input));
    if (++looked % sliceSize !== 0) continue;
    yield notifications;
    notifications = [];
  }
  for (const [key, item] of listed) {
    notifications.push(...takeListed(key, item, input));
    if (++looked % sliceSize !== 0) continue;
    yield notifications;
    notifications = [];
  }
  yield notifications;
}

function dropUnlisted(key: string, current: LiveObject, input: ReplaceContentInput): readonly Notification[] {
  const { content, own } = input;
  if (isOverlaid(current, input)) return asNotifications(own.passListed(key, undefined, current), current);
  content.remove(key);
  own.settle(key);
  return [{ type: "deleted", object: current, finalStateUnknown: true }];
}

function takeListed(key: string, item: LiveObject, input: ReplaceContentInput): readonly Notification[] {
  const { content, own, isFirst } = input;
  // Removed by us after the list was made.
  if (own.isGone(item.metadata.uid)) return [];
  const current = content.get(key);
  if (current === undefined) {
    content.put(key, item);
    return [{ type: "added", object: item, initial: isFirst }];
  }
  if (isOverlaid(current, input)) return asNotifications(own.passListed(key, item, current), current);
  const unseen = own.settle(key);
  // The same as our own write: changes of other managers between it and our last observation are unknown.
  if (isSameVersion(current, item) && isSameJson(current, item)) return asNotifications(unseen, current);
  content.put(key, item);
  return [{ type: "updated", old: unseen?.known ?? current, object: item }];
}

/** Newer than the list, hence written by ourselves. */
function isOverlaid({ metadata }: LiveObject, { isRewound, resourceVersion }: ReplaceContentInput): boolean {
  return !isRewound && isNewer(metadata.resourceVersion, resourceVersion);
}

/** The notification for an object that another manager changed before we did. */
export function asNotifications(unseen: Unseen | undefined, object: LiveObject): readonly Notification[] {
  if (unseen === undefined) return [];
  const { known } = unseen;
  return known === undefined
    ? [{ type: "added", object, initial: false }]
    : [{ type: "updated", old: known, object }];
}

export function isSameVersion({ metadata: a }: LiveObject, { metadata: b }: LiveObject): boolean {
  return a.resourceVersion === b.resourceVersion && a.uid === b.uid;
}
