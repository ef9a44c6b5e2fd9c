import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { BowlineError, hasCode, makeFolder, replaceFile } from "@bowline/core";
import type { ProviderAnswer, ProviderWork, ResourceRecord } from "@bowline/providers";

import type { PhaseContext, Removal, RemoveOptions, Target } from "../target.ts";
import type { ProvidedPlace } from "./provided-place.ts";
import { requireNoClusters } from "../clusters-of-server.ts";
import { providerWork, requireUsable, runProvider } from "./provider-rounds.ts";

export interface ProvidedTargetOptions {
  readonly place: ProvidedPlace;
  /** Where the way into the cluster is kept, for `up`, `down` and the context. */
  readonly kubeconfig: string;
  /** The installation inside of the cluster, as it would be in any other. */
  readonly inner: Target;
  /** What the provider would make, for whoever wants to know before. */
  readonly steps: () => Promise<readonly string[]>;
}

/** So often, and so far apart, it is looked whether something is left. */
const mostLooks = 5;
const lookAgainMs = 15_000;

/** A server in a cluster that a provider makes first, and takes away at the end. */
export function providedTarget(options: ProvidedTargetOptions): Target {
  const { place, inner } = options;
  const { phases } = inner;
  return {
    ...inner,
    record: { ...inner.record, ...place.record },
    place: place.words,
    cost: ({ ledger }) => costOf(place, ledger.provided()),
    ...(place.close === undefined ? {} : { close: place.close }),
    earlier: () => readInstallation(options),
    plan: () => plan(options),
    phases: {
      ...phases,
      preflight: (context) => preflight(options, context),
      infrastructure: (context) => infrastructure(options, context),
    },
    remove: (context, removal) => remove(options, context, removal),
  };
}

/** Of what will be in the cluster nothing can be said before it is there. */
async function plan({ place, kubeconfig, steps }: ProvidedTargetOptions): ReturnType<Target["plan"]> {
  const { loadImage } = place;
  return {
    preflight: [place.looks],
    infrastructure: [
      ...(await steps()),
      `its kubeconfig, in ${kubeconfig}`,
      ...(loadImage === undefined ? [] : [`the image of ${loadImage.archive}, in its nodes`]),
      "look at the cluster: version, rights, storage and names; make the namespace",
    ],
    install: ["what `bowline install manifests` prints, by server-side apply"],
    wait: ["wait until the pods of the server are ready"],
    bootstrap: ["sign in with the token of the first admin, through the API server"],
    register: ["the cluster and its agent in the fleet, unless --no-register is given"],
  };
}

async function preflight({ place }: ProvidedTargetOptions, context: PhaseContext): Promise<string> {
  const work = providerWork(place, context);
  const { steps } = await place.provider.plan(work);
  const observed = await place.provider.observe(work);
  // What an earlier attempt failed of may have been put right since: the next one shows it.
  if (hasBegun(context)) return `goes on with ${place.words}`;
  requireUsable(observed);
  return place.preflight === undefined ? (steps[0] ?? "") : place.preflight(work);
}

async function infrastructure(options: ProvidedTargetOptions, context: PhaseContext): Promise<string> {
  const { place, inner } = options;
  const work = providerWork(place, context);
  await noteInstallation(options, context);
  requireUsable(await runProvider(place, work, "present", context));
  await saveKubeconfig(options, work, context);
  const { loadImage } = place;
  if (loadImage !== undefined) {
    context.progress(`loads ${loadImage.archive} into the nodes`);
    await context.call("the image in the nodes", () => loadImage.load(work));
  }
  const looked = await inner.phases.preflight(context);
  return `${looked}, ${await inner.phases.infrastructure(context)}`;
}

/** Beside the cluster, and for as long as that is there: everything of the cluster is found by this id. */
function installationPath({ kubeconfig }: ProvidedTargetOptions): string {
  return join(dirname(kubeconfig), "installation");
}

async function noteInstallation(
  options: ProvidedTargetOptions,
  { ledger, call }: PhaseContext,
): Promise<void> {
  const path = installationPath(options);
  if ((await readInstallation(options)) === ledger.state.installation) return;
  await ledger.make({ type: "file", id: path }, () =>
    call("the id of the installation", async () => {
      makeFolder(dirname(path));
      await replaceFile(path, ledger.state.installation);
    }),
  );
}

async function readInstallation(options: ProvidedTargetOptions): Promise<string | undefined> {
  const text = await readFile(installationPath(options), "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  });
  return text === "" ? undefined : text;
}

async function saveKubeconfig(
  { place, kubeconfig: path }: ProvidedTargetOptions,
  work: ProviderWork,
  { ledger, call }: PhaseContext,
): Promise<void> {
  const kubeconfig =
    place.keptKubeconfig === undefined
      ? (await place.provider.credentials(work)).kubeconfig
      : await place.keptKubeconfig(work);
  await ledger.make({ type: "file", id: path }, () =>
    call("the kubeconfig", async () => {
      makeFolder(dirname(path));
      await replaceFile(path, kubeconfig);
    }),
  );
}

/**
 * The cluster holds the data of its server: it goes when the data may, or when it never came so far as to hold any. Nothing
 * of it has to answer for that.
 */
async function remove(
  options: ProvidedTargetOptions,
  context: PhaseContext,
  removal: RemoveOptions,
): Promise<Removal> {
  const { place } = options;
  const installation = await installationOf(options, context);
  if (installation === undefined) return removeNotes(options, context);
  const isLost = context.ledger.state.installation === "";
  if (isLost) await context.ledger.note({ installation });
  const work = providerWork(place, context);
  await place.recover?.(work);
  if (!removal.deleteData && (isLost || place.mayHoldData(context.ledger.provided()))) {
    const observed = await place.provider.observe(work);
    if (observed.state !== "gone" && observed.state !== "lost") {
      return removeServer(options, work, context, observed);
    }
  }
  // One that was interrupted has asked already, and has perhaps taken the way to the server away.
  const isGoing = context.ledger.provided().some(({ state }) => state === "deleting");
  if (!removal.isForced && !isGoing) {
    // Without notes of its own, the way to the server is written first.
    await saveKubeconfig(options, work, context).catch(unlessAborted(context));
    await requireNoClusters(options.inner, context);
  }
  const answer = await untilGone(place, work, context);
  return answer.state === "gone" ? removeNotes(options, context) : unchecked(options, context, answer);
}

/** Lists of clouds lag behind, and a process that died may have made what nobody remembers: it is looked once more. */
async function untilGone(
  place: ProvidedPlace,
  work: ProviderWork,
  context: PhaseContext,
): Promise<ProviderAnswer> {
  for (let look = 1; ; look += 1) {
    const answer = await runProvider(place, work, "absent", context);
    if (answer.reason !== "LeftOver" || place.recover === undefined || look > mostLooks) return answer;
    context.progress("looks once more whether something is left");
    await work.clock.sleep(lookAgainMs, work.signal);
    await place.recover(work);
  }
}

/** Where the notes are lost, the marks of what is outside tell. */
async function installationOf(
  options: ProvidedTargetOptions,
  { ledger, signal }: PhaseContext,
): Promise<string | undefined> {
  const { place } = options;
  const { installation, name } = ledger.state;
  const known = installation === "" ? await readInstallation(options) : installation;
  if (known !== undefined) return known;
  const [found, ...others] = await place.find(name, signal);
  if (others.length === 0) return found;
  throw new BowlineError(
    "Conflict",
    `There are ${others.length + 1} installations called "${name}": ${[found, ...others].join(", ")}. Nothing was done; take the one that is meant away where its notes are, or by hand.`,
  );
}

/** The server goes, and the cluster with its data stays; the next `up` goes on with it. */
async function removeServer(
  options: ProvidedTargetOptions,
  work: ProviderWork,
  context: PhaseContext,
  observed: ProviderAnswer,
): Promise<Removal> {
  if (observed.state !== "ready") {
    const { message = "it is not as its notes say" } = observed;
    return unchecked(options, context, {
      ...observed,
      message: `${message}; with --delete-data it goes as it is`,
    });
  }
  await saveKubeconfig(options, work, context);
  const { kept, unchecked: others } = await options.inner.remove(context, { deleteData: false });
  await context.ledger.made({ type: "file", id: options.kubeconfig });
  const { ledger } = context;
  const { words, flags } = options.place;
  const again = `bowline down ${ledger.state.name} ${flags} --delete-data`;
  const costs = costOf(options.place, ledger.provided());
  return {
    kept: [...kept, `${words}, with all data: \`${again}\` takes it away`, ...(costs === "" ? [] : [costs])],
    unchecked: others,
  };
}

async function removeNotes({ kubeconfig }: ProvidedTargetOptions, context: PhaseContext): Promise<Removal> {
  await context.call("the kubeconfig", () => rm(dirname(kubeconfig), { recursive: true, force: true }));
  for (const { type, id } of context.ledger.existing()) {
    if (type !== "context") await context.ledger.gone({ type, id });
  }
  return { kept: [], unchecked: [] };
}

function unchecked(
  { place }: ProvidedTargetOptions,
  { ledger }: PhaseContext,
  { message = "it does not answer", leftOver = [] }: ProviderAnswer,
): Removal {
  const things = ledger.provided().map(({ type, id, step }) => `${type} ${id ?? step}`);
  const costs = costOf(place, ledger.provided());
  return {
    kept: [],
    unchecked: [`${place.words}: ${message}`, ...things, ...leftOver, ...(costs === "" ? [] : [costs])],
  };
}

function costOf({ hourlyCost }: ProvidedPlace, records: readonly ResourceRecord[]): string {
  const amount = hourlyCost?.(records);
  return amount === undefined ? "" : `It costs about ${amount} US dollars an hour, by list prices.`;
}

/** What cannot be had of a cluster that does not answer. */
function unlessAborted({ signal }: PhaseContext): () => void {
  return () => signal.throwIfAborted();
}

function hasBegun({ ledger }: PhaseContext): boolean {
  return ledger.provided().length > 0;
}
