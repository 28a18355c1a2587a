import type { Installation } from "../../charts/installation.ts";
import { type OperatorValues, readOperatorValues } from "../../charts/values/operator-values.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { deriveValues } from "./derive-values.ts";
import type { InstallClient } from "./install-client.ts";
import { mergeValues, toSettings, type Values, withoutNulls } from "./merge-values.ts";
import { readInstallation } from "./read-installation.ts";
import { readStoredValues } from "./stored-values.ts";

/** The image of an earlier release would be started with the options of this one. */
export class EarlierImageError extends Error {
  override readonly name = "EarlierImageError";
}

export interface SettleValuesOptions {
  readonly client: Pick<InstallClient, "read">;
  /** The built-in kinds. */
  readonly kinds: readonly SynthesizableKind[];
  /** Only CRDs are installed, without a Deployment and permissions. Default: false. */
  readonly crdsOnly?: boolean;
  /** Discards the values of earlier runs. */
  readonly resetValues: boolean;
  /** Version of this command. */
  readonly version: string;
}

export interface SettledValues {
  /** Values of the installation. */
  readonly values: OperatorValues;
  /** The same without the image of this release, to be stored for the next run. */
  readonly chosen: Values;
  /** Lines about kept values and changed defaults. */
  readonly notes: readonly string[];
}

/** Defaults of installations without stored values that differ from the current defaults. */
const formerDefaults = {
  samples: { enabled: true },
  releases: { enabled: false, impersonate: false, requireServiceAccount: false },
} as const;

/**
 * Computes the values of an installation: the given values override those of the last run. An installation without
 * stored values was created by an earlier release, or by other means; its values are derived from its objects, so that
 * changed defaults have no effect.
 *
 * @throws EarlierImageError if a new release would run the image of an earlier one, or UnknownRightsError if the
 * operator would lose permissions that no value grants.
 */
export async function settleValues(given: Values, options: SettleValuesOptions): Promise<SettledValues> {
  const { client, crdsOnly = false, resetValues, version } = options;
  const installation = installationOf(given);
  const stored = await readStoredValues(client, installation);
  const live =
    stored === undefined
      ? await readInstallation(client, { ...installation, kinds: options.kinds })
      : undefined;
  const releases = given["releases"] as Values | null | undefined;
  const mayLoseRights = crdsOnly || resetValues || releases === null || releases?.["kinds"] !== undefined;
  const earlier = stored?.values ?? (live === undefined ? {} : deriveValues(live, { mayLoseRights }));
  const chosen = resetValues ? withoutNulls(given) : mergeValues(earlier, given);
  const isOlder = stored !== undefined && stored.version !== version;
  const keepsImage = !resetValues && given["image"] === undefined && chosen["image"] !== undefined;
  if (isOlder && keepsImage && !crdsOnly)
    throw new EarlierImageError(
      `Cannot install ${version} with the image ${chosen["image"]}, which was set for ${stored.version}: ` +
        "set the image of this release with --set image=…",
    );
  return {
    values: { image: `fairlead:${version}`, ...chosen } as OperatorValues,
    chosen,
    notes: [
      ...(live === undefined || live.args.some((arg) => arg.startsWith("--kinds="))
        ? []
        : defaultNotes(resetValues)),
      ...noteKept({ earlier, given, resetValues }),
    ],
  };
}

function installationOf(given: Values): Installation {
  const { name, namespace } = withoutNulls(given);
  const named = { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
  return readOperatorValues({ image: "any", ...named });
}

function defaultNotes(resetValues: boolean): readonly string[] {
  const former = toSettings(formerDefaults);
  return [
    `This installation has no stored values: it is from an earlier release, whose defaults were ${former.join(", ")}`,
    resetValues
      ? `It now gets the defaults of this release. To keep the previous ones: ${former.map((setting) => `--set ${setting}`).join(" ")}`
      : "Values that can be read from its objects are kept. Every other value that is not given gets its default; --dry-run shows the difference",
  ];
}

interface KeptInput {
  readonly earlier: Values;
  readonly given: Values;
  readonly resetValues: boolean;
}

function noteKept({ earlier, given, resetValues }: KeptInput): readonly string[] {
  const pathOf = (setting: string): string => /^[^=]*/.exec(setting)?.[0] ?? "";
  const now = new Set(toSettings(given).map(pathOf));
  const merged = new Set(toSettings(mergeValues(earlier, given)));
  const kept = toSettings(earlier)
    .filter(
      (setting) => merged.has(setting) && !now.has(pathOf(setting)) && !/^(name|namespace)=/.test(setting),
    )
    .toSorted();
  if (kept.length === 0) return [];
  return [
    resetValues
      ? `Not kept from the last run: ${kept.join(", ")}`
      : `Kept from the last run: ${kept.join(", ")} (--reset-values uses the defaults)`,
  ];
}
