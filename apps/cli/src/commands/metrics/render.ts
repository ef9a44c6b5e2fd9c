import {
  formatRef,
  render,
  resolveFromObjects,
  type KubeObject,
  type ObjectRef,
  type RenderOptions,
  type RenderResult,
  type Resolve,
  type Selection,
} from "@bowline/monitoring";

import type { CommandContext } from "../../command/command-context.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { chooseRoots } from "./choose-roots.ts";
import type { MetricsOptions } from "./metrics-options.ts";
import { readKubeObjects } from "./read-kube-objects.ts";

export interface RenderFlags extends MetricsOptions {
  readonly filename: readonly string[];
  readonly recursive: boolean;
}

/** Prints the configuration of each root; tells whether anything was left out. */
export async function printRender(context: CommandContext, options: RenderFlags): Promise<boolean> {
  const objects = await readKubeObjects(context, options.filename, options);
  const { roots, warnings } = renderRoots(objects, options);
  // A program that reads one configuration must not meet a separator of documents.
  const isOnly = roots.length === 1;
  for (const { ref, result } of roots) {
    context.terminal.out(isOnly ? result.config : `---\n# ${formatRef(ref)}\n${result.config}`);
  }
  printWarnings(context, warnings);
  return printRejections(context, roots);
}

export interface RenderedRoot {
  /** The object as it stands in the files. */
  readonly ref: ObjectRef;
  readonly result: RenderResult;
}

interface RenderedRoots {
  readonly roots: readonly RenderedRoot[];
  /** Sentences about the set as a whole. */
  readonly warnings: readonly string[];
}

/** Renders every root among the objects, or the one that was asked for. Pure. */
export function renderRoots(objects: readonly KubeObject[], options: MetricsOptions): RenderedRoots {
  const { roots, withoutMeaning } = chooseRoots(objects, options);
  const shared = renderOptions(objects, options);
  const renderAll = (selection: Selection): RenderedRoot[] =>
    roots.map(({ ref, root, objects: given }) => ({
      ref,
      result: render({ root, objects: given }, { ...shared, selection }),
    }));
  const { rendered, neglected } =
    options.selection === "auto"
      ? withNeglected(renderAll)
      : { rendered: renderAll(options.selection), neglected: [] };
  return {
    roots: rendered,
    warnings: [
      ...withoutMeaning.flatMap(({ object, fields }) =>
        fields.map(({ path, reason }) => `${formatRef(object)}: ${path} means nothing here. ${reason}`),
      ),
      ...neglected.map(
        (kind) =>
          `No ${kind} is selected by anything in the files, so every one is taken; in a cluster, none would be. Use --selection selectors to see that, and \`bowline metrics explain\` to see why.`,
      ),
    ],
  };
}

function renderOptions(objects: readonly KubeObject[], options: MetricsOptions): RenderOptions {
  const { mode, prometheusVersion: version, placeholders } = options;
  const { endpointSliceSupported, daemonSet, topologySharding, retentionPolicies } = options;
  const resolve = resolveFromObjects(objects);
  return {
    mode,
    version,
    endpointSliceSupported,
    daemonSet,
    topologySharding,
    retentionPolicies,
    checks: "values",
    resolve: placeholders ? orPlaceholder(resolve) : resolve,
  };
}

function orPlaceholder(resolve: Resolve): Resolve {
  return (ref) => resolve(ref) ?? `(${ref.kind} ${ref.namespace}/${ref.name}, key ${ref.key})`;
}

/**
 * People who render a root and a monitor from files want to see the monitor's jobs, also when the one does not select
 * the other: a kind of which nobody selects anything is taken whole. Instances come first, because nobody looks for
 * monitors before an instance is selected.
 */
function withNeglected(renderAll: (selection: Selection) => RenderedRoot[]): {
  rendered: RenderedRoot[];
  neglected: string[];
} {
  let rendered = renderAll("selectors");
  const neglected: string[] = [];
  for (let found = neglectedKinds(rendered); found.length > 0; found = neglectedKinds(rendered)) {
    neglected.push(...found);
    rendered = renderAll({ allOf: neglected });
  }
  return { rendered, neglected };
}

/** The kinds that somebody looked for and nobody selected one of. */
function neglectedKinds(rendered: readonly RenderedRoot[]): string[] {
  const looked = rendered.flatMap(({ result: { explanation } }) => [
    ...explanation.instances.map(({ instance, selected }) => ({ kind: instance.kind, selected })),
    ...explanation.monitors.flatMap(({ monitor, verdicts }) =>
      verdicts.map(({ selected }) => ({ kind: monitor.kind, selected })),
    ),
  ]);
  const byKind = Map.groupBy(looked, ({ kind }) => kind);
  return [...byKind].flatMap(([kind, verdicts]) => (verdicts.some(({ selected }) => selected) ? [] : [kind]));
}

/** On standard error, so that what is printed can be piped on. */
export function printWarnings(
  { terminal }: Pick<CommandContext, "terminal">,
  warnings: readonly string[],
): void {
  for (const warning of warnings) terminal.error(`warning: ${printableLine(warning)}\n`);
}

/** Says of each object that was left out what is wrong and what to do; tells whether there was one. */
function printRejections(
  { terminal }: Pick<CommandContext, "terminal">,
  roots: readonly RenderedRoot[],
): boolean {
  // A monitor that several roots select has the same problems under each.
  const lines = new Set(
    roots.flatMap(({ result }) =>
      result.rejected.flatMap(({ object, problems }) =>
        problems.map(({ message, fix }) => `rejected: ${formatRef(object)}: ${message} ${fix}`),
      ),
    ),
  );
  for (const line of lines) terminal.error(`${printableLine(line)}\n`);
  return lines.size > 0;
}
