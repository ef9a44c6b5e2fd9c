import { formatRef, type ObjectRef, type Refusal, type RenderResult } from "@bowline/monitoring";
import { TerminalError } from "@bowline/runtime";

import type { MetricsAgent } from "./kinds.ts";
import { configTakings, crowdedOut, fileTakings, type Takings } from "./secret-usage.ts";
import {
  configSecrets,
  fileSecrets,
  maxSecretBytes,
  maxSecretParts,
  type Files,
  type Secret,
} from "./secrets.ts";

export interface Rendered {
  readonly result: RenderResult;
  /** What the configuration names as files. */
  readonly files: Files;
}

export interface Fitted extends Rendered {
  readonly secrets: { readonly files: readonly Secret[]; readonly config: readonly Secret[] };
}

/** Renders anew, without some monitors. */
export type RenderWithout = (refuse: (monitor: ObjectRef) => Refusal | undefined) => Rendered;

interface Room {
  readonly name: keyof Fitted["secrets"];
  /** That it is too small. */
  readonly sentence: string;
  readonly takings: (rendered: Rendered) => Takings;
}

const rooms: readonly Room[] = [
  {
    name: "files",
    sentence: `The certificates and keys do not fit into ${maxSecretParts} Secrets`,
    takings: ({ result, files }) => fileTakings(result, files),
  },
  {
    name: "config",
    sentence: `The configuration does not fit into ${maxSecretParts} Secrets`,
    takings: ({ result }) => configTakings(result),
  },
];

/**
 * How much of a room is filled, in one attempt after the other. Files leave gaps where a Secret ends, of no more than
 * half of all; texts of several monitors may compress a little worse together than alone.
 */
const fillings = [0.95, 0.75, 0.5];

/**
 * The Secrets of what was rendered. When that is more than pods mount, the namespaces that take most lose monitors until
 * it fits. One that takes less than the others loses none.
 */
export function fitSecrets(agent: MetricsAgent, whole: Rendered, renderWithout: RenderWithout): Fitted {
  const refusals = new Map<string, Refusal>();
  let fitted = withSecrets(agent, whole);
  for (const room of rooms) {
    if (isWithin(room, fitted)) continue;
    const { monitors, restBytes } = room.takings(fitted);
    for (const filling of fillings) {
      const roomBytes = filling * maxSecretParts * maxSecretBytes - restBytes;
      for (const monitor of crowdedOut(monitors, roomBytes)) {
        refusals.set(formatRef(monitor), refusalOf(room, monitor));
      }
      fitted = withSecrets(
        agent,
        renderWithout((monitor) => refusals.get(formatRef(monitor))),
      );
      if (isWithin(room, fitted)) break;
    }
    if (!isWithin(room, fitted)) throw tooLarge(room);
  }
  return fitted;
}

function withSecrets(agent: MetricsAgent, { result, files }: Rendered): Fitted {
  const secrets = { files: fileSecrets(agent, files), config: configSecrets(agent, result.config) };
  return { result, files, secrets };
}

function isWithin({ name }: Room, { secrets }: Fitted): boolean {
  return secrets[name].length <= maxSecretParts;
}

function refusalOf({ sentence }: Room, { namespace }: ObjectRef): Refusal {
  return {
    message: `${sentence}, and no namespace takes more of them than ${namespace}.`,
    fix: `Have fewer or smaller monitors in the namespace ${namespace}, or divide the monitors among several agents.`,
  };
}

function tooLarge({ sentence }: Room): TerminalError {
  return new TerminalError(
    "TooLarge",
    `${sentence}, even without any monitor; shorten the remote writes and additional scrape configs, or divide the instances among several agents.`,
  );
}
