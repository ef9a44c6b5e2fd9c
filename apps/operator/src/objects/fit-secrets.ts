import { formatRef, type ObjectRef, type Refusal, type RenderResult } from "@bowline/monitoring";
import { TerminalError } from "@bowline/runtime";

import type { MetricsAgent } from "./kinds.ts";
import { configUsage, evictedMonitors, fileUsage, type SecretUsage } from "./secret-usage.ts";
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
  /** Files that the configuration names. */
  readonly files: Files;
}

export interface Fitted extends Rendered {
  readonly secrets: { readonly files: readonly Secret[]; readonly config: readonly Secret[] };
}

/** Renders anew, without some monitors. */
type RenderWithout = (refuse: (monitor: ObjectRef) => Refusal | undefined) => Rendered;

/** The Secrets that pods mount for one purpose. */
interface Budget {
  readonly name: keyof Fitted["secrets"];
  /** The refusal, without its reason: that it is too small. */
  readonly sentence: string;
  readonly usage: (rendered: Rendered) => SecretUsage;
}

const budgets: readonly Budget[] = [
  {
    name: "files",
    sentence: `The certificates and keys do not fit into ${maxSecretParts} Secrets`,
    usage: ({ result, files }) => fileUsage(result, files),
  },
  {
    name: "config",
    sentence: `The configuration does not fit into ${maxSecretParts} Secrets`,
    usage: ({ result }) => configUsage(result),
  },
];

/**
 * How much of a budget is filled, in one attempt after the other. Files leave gaps where a Secret ends, of no more than
 * half of all; texts of several monitors may compress a little worse together than alone.
 */
const fillings = [0.95, 0.75, 0.5];

/**
 * The Secrets of a rendered configuration. When they are more than pods mount, the namespaces that use most lose
 * monitors until the rest fits. One that uses less than the others loses none.
 */
export function fitSecrets(agent: MetricsAgent, whole: Rendered, renderWithout: RenderWithout): Fitted {
  const refusals = new Map<string, Refusal>();
  let fitted = withSecrets(agent, whole);
  for (const budget of budgets) {
    if (isWithin(budget, fitted)) continue;
    const { monitors, restBytes } = budget.usage(fitted);
    for (const filling of fillings) {
      const budgetBytes = filling * maxSecretParts * maxSecretBytes - restBytes;
      for (const monitor of evictedMonitors(monitors, budgetBytes)) {
        refusals.set(formatRef(monitor), refusalOf(budget, monitor));
      }
      fitted = withSecrets(
        agent,
        renderWithout((monitor) => refusals.get(formatRef(monitor))),
      );
      if (isWithin(budget, fitted)) break;
    }
    if (!isWithin(budget, fitted)) throw tooLarge(budget);
  }
  return fitted;
}

function withSecrets(agent: MetricsAgent, { result, files }: Rendered): Fitted {
  const secrets = { files: fileSecrets(agent, files), config: configSecrets(agent, result.config) };
  return { result, files, secrets };
}

function isWithin({ name }: Budget, { secrets }: Fitted): boolean {
  return secrets[name].length <= maxSecretParts;
}

function refusalOf({ sentence }: Budget, { namespace }: ObjectRef): Refusal {
  return {
    message: `${sentence}, and no namespace takes more of them than ${namespace}.`,
    fix: `Have fewer or smaller monitors in the namespace ${namespace}, or divide the monitors among several agents.`,
  };
}

function tooLarge({ sentence }: Budget): TerminalError {
  return new TerminalError(
    "TooLarge",
    `${sentence}, even without any monitor; shorten the remote writes and additional scrape configs, or divide the instances among several agents.`,
  );
}
