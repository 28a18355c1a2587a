import type { LiveObject } from "../../../crds/object.ts";
import type { ObjectStore } from "../../ports.ts";
import type { SealedRecords } from "./sealed-records.ts";

/**
 * The local copies of Releases, with the ids of their sealed records. They are not added when an object is stored, because a
 * store with changed objects cannot be used to detect changes of the CRD.
 */
export function createRecordedStore(store: ObjectStore, records: Pick<SealedRecords, "open">): ObjectStore {
  const open = (release: LiveObject): LiveObject => records.open(release);
  return {
    kind: store.kind,
    get hasSynced() {
      return store.hasSynced;
    },
    get: (key) => {
      const release = store.get(key);
      return release && open(release);
    },
    list: () => Array.from(store.list(), open),
    byIndex: (index, value) => store.byIndex(index, value).map(open),
    written: (release) => store.written(release),
    removed: (key, uid) => store.removed(key, uid),
  };
}
