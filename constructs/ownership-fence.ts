import type { Construct } from "constructs";
import type { BoundKind } from "../crds/binding.ts";
import { groupKindOf, type ObjectKind } from "../crds/object.ts";
import { Release } from "../crds/release.ts";
import { AdmissionPolicy, celText, celTexts, type ResourceRule, type Subject } from "./admission-policy.ts";
import { anyKind, exceptions } from "./fenced-kinds.ts";
import { fieldCasesOf, setKindsOf } from "./field-additions.ts";

/** Objects of the operator itself. */
interface OwnObjects {
  readonly lease: string;
  readonly recordKey: { readonly namespace: string; readonly name: string };
}

export interface OwnershipFenceProps {
  /** Name of policy and binding. */
  readonly name: string;
  readonly subject: Subject;
  /** The kinds that the operator reconciles. */
  readonly kinds: readonly BoundKind[];
  /**
   * Set if there are Releases, which have objects of any kind: the operator's Lease, and the Secret with its key of records, are
   * not among them.
   */
  readonly releases?: OwnObjects | undefined;
}

/** As in synth/manifest.ts; this folder does not import synth. */
const stamps = { set: "fairlead.dev/set", owner: "fairlead.dev/owner", adoptBy: "fairlead.dev/adopt-by" };
const fieldManager = "fairlead";

/**
 * The operator changes and deletes only objects that belong to a resource of its kinds, by the rules of
 * operator/engine/ownership.ts, enforced by the API server. It does not cover creations, subresources, and kinds whose
 * objects are neither children nor have fields that a chart sets.
 *
 * A change is admitted in six cases:
 * - the object's controller is one of our resources, and stays the same one;
 * - it has no controller, its set stays the same one, and our field manager has applied to it before;
 * - it has no controller and is of no other set, and its annotation hands it over to the resource that takes it;
 * - it is itself a resource of ours that another kind, or a Release, may have as its child, and nothing but its
 *   finalizers changes; of a Release also labels and annotations, which make it an ApplySet;
 * - a kind declares that it sets fields of such objects, the field manager is that of a resource of this kind, and
 *   nothing but these fields changes;
 * - it is the Secret with the operator's key of records, which has no key yet.
 *
 * A deletion is admitted if its controller is one of our resources, or if it has none, is of some set, and our field
 * manager has applied to it before; and if its kind retires its resources, and it has no owner.
 */
export class OwnershipFence extends AdmissionPolicy {
  constructor(scope: Construct, id: string, { name, subject, kinds, releases }: OwnershipFenceProps) {
    const definitions = kinds.map(({ definition }) => definition);
    const owners = releases === undefined ? definitions : [...definitions, Release];
    super(scope, id, {
      name,
      subject,
      resourceRules: releases === undefined ? writtenRulesOf(kinds) : [anyKind(["UPDATE", "DELETE"])],
      exclude: releases && exceptions(releases.lease),
      variables: variablesFor(owners),
      validations: [
        {
          expression: `request.operation == 'DELETE' ? (${mayDelete(kinds)}) : (${mayChange(kinds, releases)})`,
          message: "'Fairlead leaves alone what belongs to ' + variables.owner",
        },
      ],
    });
  }
}

/** The kinds whose objects the operator may change, except statuses and subresources, without Releases. */
function changedKindsOf(kinds: readonly BoundKind[]): ReadonlyMap<string, ObjectKind> {
  const changed = [...kinds.flatMap((kind) => kind.children), ...setKindsOf(kinds)];
  return new Map(changed.map((kind) => [groupKindOf(kind), kind]));
}

/**
 * Changes and deletions of every such kind, and deletions of every kind that retires its resources: each once, by name.
 */
function writtenRulesOf(kinds: readonly BoundKind[]): readonly ResourceRule[] {
  const changed = changedKindsOf(kinds);
  const named = new Map([...retiringOf(kinds).map((kind) => [groupKindOf(kind), kind] as const), ...changed]);
  return [...named]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { group, plural }]) => ({
      apiGroups: [group],
      apiVersions: ["*"],
      resources: [plural],
      operations: changed.has(name) ? ["UPDATE", "DELETE"] : ["DELETE"],
    }));
}

function mayDelete(kinds: readonly BoundKind[]): string {
  const ofSet =
    "variables.isControlled || (size(variables.controllers) == 0 && variables.set != '' && variables.isOurs)";
  const retiring = retiringOf(kinds);
  if (retiring.length === 0) return ofSet;
  const isRetiring = `${celTexts(retiring.map(nameOf))}.exists(k, k == ${requestKind})`;
  return `${ofSet} || (${isRetiring} && size(oldObject.metadata.?ownerReferences.orValue([])) == 0 && variables.set == '')`;
}

/** The kinds whose resources the operator itself may delete. */
function retiringOf(kinds: readonly BoundKind[]): readonly ObjectKind[] {
  return kinds.flatMap(({ definition, retire }) => (retire === undefined ? [] : [definition]));
}

function mayChange(kinds: readonly BoundKind[], releases: OwnObjects | undefined): string {
  const cases = [
    "variables.isControlled && variables.newControllers.exists(n, variables.controllers.exists(o, o.uid == n.uid))",
    "size(variables.controllers) == 0 && variables.set != '' && variables.set == variables.newSet && variables.isOurs",
    "size(variables.controllers) == 0 && variables.set in ['', variables.newSet] && variables.isHandedOver",
    ...ownMetadataOf(kinds, releases !== undefined),
    ...fieldCasesOf(kinds, requestKind),
    ...(releases === undefined ? [] : [isEmptyKey(releases.recordKey)]),
  ];
  return cases.map((each) => `(${each})`).join(" || ");
}

function isEmptyKey({ namespace, name }: OwnObjects["recordKey"]): string {
  return [
    `${requestKind} == '/Secret'`,
    `oldObject.metadata.namespace == ${celText(namespace)}`,
    `oldObject.metadata.name == ${celText(name)}`,
    "!oldObject.?data.hasValue()",
  ].join(" && ");
}

/** A kind whose objects are children of others also has resources, whose finalizers the operator sets. */
function ownMetadataOf(kinds: readonly BoundKind[], hasReleases: boolean): readonly string[] {
  const changed = changedKindsOf(kinds);
  const both = kinds
    .map(({ definition }) => definition)
    .filter((kind) => hasReleases || changed.has(groupKindOf(kind)));
  const keeps = (of: readonly ObjectKind[], parts: readonly string[]): string =>
    [
      `${celTexts(of.map(nameOf))}.exists(k, k == ${requestKind})`,
      ...parts.map((part) => `object.${part} == oldObject.${part}`),
    ].join(" && ");
  const always = ["?spec", "metadata.?ownerReferences"];
  return [
    ...(both.length === 0 ? [] : [keeps(both, [...always, "metadata.?labels", "metadata.?annotations"])]),
    ...(hasReleases ? [keeps([Release], always)] : []),
  ];
}

const requestKind = "request.kind.group + '/' + request.kind.kind";

/** `group/Kind`. */
function nameOf({ group, kind }: Pick<ObjectKind, "group" | "kind">): string {
  return `${group}/${kind}`;
}

function variablesFor(definitions: readonly ObjectKind[]): Readonly<Record<string, string>> {
  const kindNames = definitions.map((definition) => {
    const kind = definition.kind.toLowerCase();
    return `${celText(groupKindOf(definition))}: ${celTexts([kind, `${kind}.${definition.group}`])}`;
  });
  return {
    set: setIn("oldObject"),
    newSet: setIn("object"),
    controllers: controllersIn("oldObject"),
    newControllers: controllersIn("object"),
    isControlled: `variables.controllers.exists(o, ${isOneOf(definitions)})`,
    isOurs: `oldObject.metadata.?managedFields.orValue([]).exists(f, f.manager == ${celText(fieldManager)} && f.operation == 'Apply')`,
    // `<kind>/<namespace>/<name>`, with or without `.<group>` after the kind; in that form the namespace may be omitted.
    adoptBy: annotationIn("oldObject", stamps.adoptBy),
    adoptingKind: "variables.adoptBy.split('/')[0].lowerAscii()",
    adoptingKey: "variables.adoptBy.substring(variables.adoptBy.indexOf('/') + 1)",
    // `<plural>.<group>/<key>`, on objects that garbage collection cannot reach.
    newOwner: annotationIn("object", stamps.owner),
    newOwnerKey: "variables.newOwner.substring(variables.newOwner.indexOf('/') + 1)",
    place: "object.metadata.?namespace.orValue('')",
    isHandedOver: [
      `variables.newControllers.exists(o, ${isOneOf(definitions)} && variables.adoptingKind in`,
      "[o.kind.lowerAscii(), o.kind.lowerAscii() + '.' + o.apiVersion.split('/')[0]]",
      "&& (variables.adoptingKey == o.name || variables.adoptingKey == variables.place + '/' + o.name))",
      "|| (size(variables.newControllers) == 0 && variables.newOwner != ''",
      `&& variables.adoptingKind in {${kindNames.join(", ")}}[?variables.newOwner.split('/')[0]].orValue([])`,
      "&& (variables.adoptingKey == variables.newOwnerKey",
      "|| (variables.place != '' && variables.newOwnerKey == variables.place + '/' + variables.adoptingKey)))",
    ].join(" "),
    owner: [
      "size(variables.controllers) > 0 ? variables.controllers[0].kind + ' ' + variables.controllers[0].name",
      `: variables.set != '' ? 'the set ' + variables.set`,
      ": oldObject.metadata.?labels[?'app.kubernetes.io/managed-by'].orValue('another owner')",
    ].join(" "),
  };
}

function setIn(object: string): string {
  return `${object}.metadata.?labels[?${celText(stamps.set)}].orValue('')`;
}

function annotationIn(object: string, name: string): string {
  return `${object}.metadata.?annotations[?${celText(name)}].orValue('')`;
}

function controllersIn(object: string): string {
  return `${object}.metadata.?ownerReferences.orValue([]).filter(o, o.?controller.orValue(false))`;
}

/** Whether the owner reference `o` refers to one of these kinds, in any version. */
function isOneOf(kinds: readonly Pick<ObjectKind, "group" | "kind">[]): string {
  return `(o.apiVersion.split('/')[0] + '/' + o.kind) in ${celTexts(kinds.map(nameOf))}`;
}
