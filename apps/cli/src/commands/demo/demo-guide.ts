import { kubeContextName } from "../../kubeconfig/kubeconfig-entries.ts";

export interface GuideFacts {
  /** How this program is called: `bowline`, or `npx bowline`. */
  readonly program: string;
  /** The context that commands have to name; undefined when it is the current one. */
  readonly context: string | undefined;
  readonly hasKubectl: boolean;
  /** Of the server. */
  readonly url: string;
  readonly caFile: string;
  readonly adminTokenFile: string;
  readonly viewerTokenFile: string;
  readonly kubeconfigFile: string;
  readonly manifestFile: string;
  /** The manifests of the workload that is broken. */
  readonly brokenFile: string;
}

/** Commands, each to be copied as it stands, under titles. */
export interface DemoGuide {
  readonly sections: readonly GuideSection[];
}

interface GuideSection {
  readonly title: string;
  readonly commands: readonly string[];
}

const cluster = "edge";
/** The workloads that the demo deploys: one that is well everywhere, and one whose image nobody has published. */
const [workload, broken] = ["shop", "reports"];

/** Commands to try in a second terminal. Every one works as it stands, in the folder of the demo. */
export function demoGuide(facts: GuideFacts): DemoGuide {
  const { program, context } = facts;
  const bowline = context === undefined ? program : `${program} --context ${context}`;
  return {
    sections: [
      brokenSection(facts, bowline),
      { title: "Look around:", commands: lookCommands(bowline) },
      {
        title: "Ask who reads a Secret, who may, and what leads to it from outside:",
        commands: questions(bowline),
      },
      facts.hasKubectl ? withKubectl(facts, bowline) : withoutKubectl(facts),
      ownCluster(facts, bowline),
    ],
  };
}

function brokenSection({ brokenFile }: GuideFacts, bowline: string): GuideSection {
  return {
    title: `See in a second terminal, in this folder, why ${broken} is broken; repair it:`,
    commands: [
      `${bowline} tree wi/${broken}`,
      `${bowline} events --instance ${broken}`,
      `${bowline} deploy ${brokenFile} --set tag=1.9 --wait`,
    ],
  };
}

function lookCommands(bowline: string): string[] {
  return [
    `${bowline} get clusters`,
    `${bowline} logs wi/${workload} --all-clusters --tail 1`,
    `${bowline} audit --user editor`,
  ];
}

/** Of the password that the pods behind a public Service read. */
function questions(bowline: string): string[] {
  const secret = "secret/payments/ledger";
  return [
    `${bowline} graph uses ${secret}`,
    `${bowline} graph who-can get secrets -n payments --cluster cloud`,
    `${bowline} graph exposure -o wide`,
  ];
}

function withKubectl(facts: GuideFacts, bowline: string): GuideSection {
  const { kubeconfigFile, manifestFile, viewerTokenFile } = facts;
  const kubectl = `kubectl --context ${kubeContextName(cluster)}`;
  return {
    title: "Reach the clusters with kubectl, through the server:",
    commands: [
      `export KUBECONFIG=$PWD/${kubeconfigFile}`,
      `${kubectl} get pods -A`,
      `${kubectl} get pods -A --watch`,
      `${kubectl} apply -f ${manifestFile}`,
      `${bowline} --token-file ${viewerTokenFile} kubectl ${cluster} -- delete ns shop`,
    ],
  };
}

function ownCluster({ hasKubectl }: GuideFacts, bowline: string): GuideSection {
  const add = `${bowline} cluster add mine --run --kubeconfig ~/.kube/config`;
  if (!hasKubectl) return { title: "Join a cluster of your own:", commands: [add] };
  return {
    title: "Join a cluster of your own, and reach it from a third terminal:",
    commands: [add, `${bowline} kubectl mine -- get pods -A`],
  };
}

function withoutKubectl({ url, caFile, adminTokenFile }: GuideFacts): GuideSection {
  return {
    title: "kubectl is not installed (https://kubernetes.io/docs/tasks/tools/); curl does for a look:",
    commands: [
      `curl --cacert ${caFile} -H "Authorization: Bearer $(cat ${adminTokenFile})" ${url}/clusters/${cluster}/api/v1/pods`,
    ],
  };
}
