import { Cluster, validateWrite, type EksSettings } from "@bowline/api";
import { BowlineError, isRecord } from "@bowline/core";
import {
  AwsProcess,
  EksProvider,
  hourlyCostSoFar,
  refusalOf,
  type AwsApi,
  type ProviderWork,
} from "@bowline/providers";

import type { CommandContext } from "../../command/command-context.ts";
import { eksTokenProgram, installedProgram } from "../../kubeconfig/credential-program.ts";
import { execPlugin } from "../../kubeconfig/kubeconfig-entries.ts";
import type { TargetRecord } from "../installation-state.ts";
import type { ProvidedPlace } from "./provided-place.ts";

export interface EksFlags {
  readonly eks?: boolean | undefined;
  readonly region?: string | undefined;
  readonly nodeType?: string | undefined;
  readonly nodes?: string | undefined;
  readonly maxNodes?: string | undefined;
  readonly kubernetesVersion?: string | undefined;
  readonly vpc?: string | undefined;
  readonly subnets?: string | undefined;
  readonly awsProfile?: string | undefined;
}

interface EksPlace extends ProvidedPlace {
  /** A kubeconfig with a token that ends, to be used at once. */
  readonly access: (work: ProviderWork) => Promise<string>;
}

interface EksParts {
  readonly context: Pick<CommandContext, "environment" | "clock" | "signal">;
  /** In the place of AWS, where that is a fake. */
  readonly aws?: AwsApi | undefined;
}

/** What most regions have, and a server with its fleet has room on; the plan says what it costs. */
const usualMachines = { instanceType: "m6i.large", nodes: 2 };
const mostAttempts = 6;
const askAgainMs = 5_000;

/** A cluster of Amazon EKS, made by whoever AWS takes this machine for, with what flags say, or else with what was recorded. */
export async function eksPlace(
  flags: EksFlags,
  before: TargetRecord | undefined,
  { context, aws }: EksParts,
): Promise<EksPlace> {
  const region = requireRegion(flags.region ?? before?.["region"]);
  const profile = textOf(flags.awsProfile ?? before?.["awsProfile"]);
  const settings = eksSettings(flags, region, before?.["eks"]);
  const env = { ...context.environment, ...(profile === undefined ? {} : { AWS_PROFILE: profile }) };
  const api = aws ?? new AwsProcess({ clock: context.clock, env });
  const provider = new EksProvider({ api, deletesVolumes: true });
  const flagsOfDown = [
    "--eks",
    `--region ${region}`,
    ...(profile === undefined ? [] : [`--aws-profile ${profile}`]),
  ];
  const spec: Cluster["spec"] = { provider: "eks", region, eks: settings };
  return {
    record: { type: "eks", region, eks: settings, ...(profile === undefined ? {} : { awsProfile: profile }) },
    words: `an EKS cluster in ${region}`,
    flags: flagsOfDown.join(" "),
    looks: "look at AWS: who this is, versions, machines, addresses, the boundary, and that the name is free",
    provider,
    spec,
    preflight: (work) => patiently(work, () => preflight(provider, work)),
    access: async (work) => {
      const { kubeconfig } = await provider.credentials(work).catch((error: unknown) => {
        throw refusalOf(error);
      });
      return kubeconfig;
    },
    recover: (work) => patiently(work, () => provider.recover(work)),
    keptKubeconfig: async (work) => {
      const program = await installedProgram(context.environment);
      const user = {
        exec: execPlugin(eksTokenProgram(program, { region, cluster: provider.nameOf(work), profile })),
      };
      return provider.kubeconfig(work, user);
    },
    hourlyCost: (records) => hourlyCostSoFar(settings, records),
    mayHoldData: (records) => records.some(({ type }) => type === "eks:nodegroup"),
    find: (name) =>
      patiently(context, () => provider.installations(name, { ...context, ...noWork(spec, name) })),
    close: async () => {
      if (aws === undefined) await api[Symbol.asyncDispose]();
    },
  };
}

/** AWS is asked again for what time mends: one request that is lost, or one too many. */
async function patiently<T>(
  { clock, signal }: Pick<ProviderWork, "clock" | "signal">,
  ask: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (BowlineError.from(error).code !== "ServerUnavailable" || attempt === mostAttempts) throw error;
      await clock.sleep(askAgainMs, signal);
    }
  }
}

/** What would stop it before it has begun, and a cluster of the name that another machine has begun. */
async function preflight(provider: EksProvider, work: ProviderWork): Promise<string> {
  const arn = await provider.preflight(work);
  const { name, id, spec } = work.cluster;
  const others = (await provider.installations(name, work)).filter((each) => each !== id);
  if (others.length === 0) return `${arn}, in ${spec.region}`;
  throw new BowlineError(
    "AlreadyExists",
    `There is an installation "${name}" in ${spec.region} already, which is not of this machine's notes (${others.join(", ")}). Choose another --name, or take it away: \`bowline down ${name} --eks --region ${spec.region}\`.`,
  );
}

function noWork(spec: Cluster["spec"], name: string): Pick<ProviderWork, "cluster" | "credential"> {
  return {
    cluster: { id: "", name, labels: {}, spec },
    credential: (credential) =>
      Promise.reject(
        new BowlineError("NotFound", `There is no Credential "${credential}" without a server.`),
      ),
  };
}

function eksSettings(flags: EksFlags, region: string, recorded: unknown): EksSettings {
  const known = isRecord(recorded) ? recorded : {};
  const { kubernetesVersion, vpc, subnets } = flags;
  const given = {
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion: kubernetesVersion.replace(/^v/u, "") }),
    ...(vpc === undefined && subnets === undefined
      ? {}
      : {
          network: {
            ...(vpc === undefined ? {} : { vpcId: vpc }),
            ...(subnets === undefined ? {} : { subnetIds: subnets.split(",") }),
          },
        }),
    nodeGroups: [nodeGroup(flags, [known["nodeGroups"]].flat()[0])],
  };
  return checked({ ...known, ...given }, region);
}

function nodeGroup({ nodeType, nodes, maxNodes }: EksFlags, recorded: unknown): object {
  const known = isRecord(recorded) ? recorded : {};
  const minSize = nodes === undefined ? (known["minSize"] ?? usualMachines.nodes) : Number(nodes);
  const most =
    maxNodes === undefined ? (nodes === undefined ? known["maxSize"] : undefined) : Number(maxNodes);
  return {
    capacity: "onDemand",
    instanceType: usualMachines.instanceType,
    ...known,
    ...(nodeType === undefined ? {} : { instanceType: nodeType }),
    name: "nodes",
    minSize,
    maxSize: most ?? minSize,
  };
}

/** By the rules of a Cluster, of which this will be the settings. */
function checked(eks: object, region: string): EksSettings {
  const body = { metadata: { name: "up" }, spec: { provider: "eks", region, eks } };
  const result = validateWrite(Cluster, body);
  const kept = result.ok ? result.object.spec.eks : undefined;
  if (kept !== undefined) return kept;
  const [problem] = result.ok ? [] : result.problems;
  throw new BowlineError(
    "InvalidArgument",
    `${problem?.path ?? "spec.eks"} ${problem?.message ?? "is missing"}.`,
  );
}

function requireRegion(value: unknown): string {
  if (typeof value === "string") return value;
  throw new BowlineError("InvalidArgument", "Say where: --region, such as --region eu-west-1.");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
